"""Bad input is refused with its field and value, and nothing of it is done."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

import jobs
from jobs.ask import RESERVED
from jobs.db import Conn
from jobs.rows import Job
from tests.jobs.a_lane import ASK, Lane, yes


@pytest.fixture
def lane(db: Conn, workspace: UUID) -> Lane:
    return Lane(db, workspace)


def ask_json(**changes: Any) -> dict[str, Any]:
    return {**ASK.as_json(), **changes}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"question": ""}, "ask.question"),
        ({"question": "a\0b"}, "ask.question"),
        ({"draft": "bell \a"}, "ask.draft"),
        ({"facts": {"rate": "half a pair \ud800"}}, "ask.facts.rate"),
        ({"facts": {"n": 1}}, "ask.facts.n"),
        ({"hold_seconds": -1}, "ask.hold_seconds"),
        ({"hold_seconds": 90000}, "ask.hold_seconds"),
        ({"surprise": 1}, "ask.surprise"),
        ({"draft": "x" * 70_000}, "ask"),
        *[({"answer": {"slots": {name: {"type": "text"}}}}, f"ask.answer.slots.{name}") for name in RESERVED],
        ({"answer": {"slots": {"a b": {"type": "text"}}}}, "ask.answer.slots.a b"),
        ({"answer": {"slots": {"v": {"type": "guess"}}}}, "ask.answer.slots.v"),
        ({"answer": {"slots": {"v": {"type": "choice", "options": []}}}}, "ask.answer.slots.v"),
        (
            {
                "answer": {
                    "slots": {
                        "v": {"type": "choice", "options": [{"id": "1", "label": "a"}, {"id": "1", "label": "b"}]}
                    }
                }
            },
            "ask.answer.slots.v",
        ),
        (
            {"answer": {"slots": {"v": {"type": "choice", "options": [{"id": "1", "label": "a\nb"}]}}}},
            "ask.answer.slots.v",
        ),
    ],
)
def test_an_ask_that_cannot_be_put_says_which_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(jobs.BadValue) as refusal:
        jobs.Ask.read(ask_json(**changes))
    assert refusal.value.field == field
    assert field.split(".")[-1] in str(refusal.value)
    assert refusal.value.next_step


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"dedupe_key": ""}, "dedupe_key"),
        ({"dedupe_key": "a\nb"}, "dedupe_key"),
        ({"dedupe_key": "x" * 301}, "dedupe_key"),
        ({"chat_guid": "pm\0"}, "chat_guid"),
        ({"issue_id": "\x1b[31m"}, "issue_id"),
        ({"resume": {"x": "a\0"}}, "resume.x"),
        ({"resume": {"x": float("nan")}}, "resume"),
        ({"resume": {"x": object()}}, "resume"),
        ({"resume": {"x": "x" * 70_000}}, "resume"),
        ({"not_before": datetime(2026, 1, 1)}, "not_before"),  # noqa: DTZ001  # the point of it
        ({"ask": ASK.model_copy(update={"answer": jobs.Answer(confirm=False)})}, "ask.answer"),
        ({"kind": "notice"}, "ask.hold_seconds"),
    ],
)
def test_a_job_that_cannot_be_stored_says_which_field(workspace: UUID, changes: dict[str, Any], field: str) -> None:
    job = jobs.NewJob(workspace, "pms_intake", "confirm_dispatch", "pm", "k", ASK)
    with pytest.raises(jobs.BadValue) as refusal:
        replace(job, **changes)
    assert refusal.value.field == field


@pytest.mark.parametrize(
    ("changes", "refusal", "field"),
    [
        ({"kind": "gossip"}, jobs.NotFound, "kind"),
        ({"source": "memory"}, jobs.NotFound, "kind"),
        ({"source": "nobody"}, jobs.NotFound, "kind"),
        ({"chat_guid": "nowhere"}, jobs.NotFound, "chat_guid"),
        ({"priority": "asap"}, jobs.BadValue, "priority"),
    ],
)
def test_what_only_the_database_knows_is_refused_by_field_too(
    lane: Lane, changes: dict[str, Any], refusal: type[jobs.Refused], field: str
) -> None:
    with lane.db.transaction():
        with pytest.raises(refusal) as refused:
            jobs.enqueue(lane.db, lane.new(**changes))
        assert jobs.find(lane.db) == []  # and the transaction is still usable
    assert refused.value.field == field


def test_a_job_from_json_is_read_or_refused_by_field(workspace: UUID) -> None:
    data = {
        "workspace_id": str(workspace),
        "source": "pms_intake",
        "kind": "confirm_dispatch",
        "chat_guid": "pm",
        "dedupe_key": "k",
        "ask": ask_json(),
    }
    assert jobs.NewJob.read(data).ask == ASK
    for wrong, field in (
        ({**data, "colour": "red"}, "job.colour"),
        ({**data, "not_before": "tomorrow"}, "job.not_before"),
        ({**data, "workspace_id": 7}, "job.workspace_id"),
        (7, "job"),
    ):
        with pytest.raises(jobs.BadValue) as refusal:
            jobs.NewJob.read(wrong)
        assert refusal.value.field == field
    with pytest.raises(jobs.BadValue, match="no time zone"):
        jobs.NewJob.read({**data, "not_before": "2026-01-01T00:00:00"})


def test_a_decision_without_its_proof_is_refused(db: Conn, workspace: UUID) -> None:
    good = yes(jobs.now(db))
    changes: dict[str, Any]
    for changes, field in (
        ({"decided_by": ""}, "resolution.decided_by"),
        ({"evidence": []}, "resolution.evidence"),
        ({"slots": {"confirmed": "x"}}, "resolution.slots"),
        ({"verdict": "maybe"}, "resolution.verdict"),
        ({"decided_at": datetime(2026, 1, 1)}, "resolution.decided_at"),  # noqa: DTZ001
        ({"freeform": "a\0"}, "resolution.freeform"),
    ):
        with pytest.raises(jobs.BadValue) as refusal:
            replace(good, **changes)
        assert refusal.value.field == field


def test_a_decision_on_a_job_that_is_no_longer_open_says_what_it_is_now(lane: Lane) -> None:
    job = lane.awaiting()
    jobs.cancel(lane.db, job.id, "closed", by_owner=False)
    with pytest.raises(jobs.Overtaken, match="cancelled, version") as refusal:
        jobs.resolve(lane.db, job, yes(jobs.now(lane.db)), 1)
    assert (refusal.value.field, refusal.value.value) == ("status", "cancelled")
    assert lane.job().resolution is None


def test_times_without_a_zone_are_refused_by_every_verb_that_takes_one(lane: Lane) -> None:
    job, naive = lane.awaiting(), datetime(2026, 1, 1)  # noqa: DTZ001
    with pytest.raises(jobs.BadValue, match="until"):
        jobs.defer(lane.db, job, naive, "later")
    with pytest.raises(jobs.BadValue, match="until"):
        jobs.snooze(lane.db, job.id, naive)
    assert lane.job() == job


def test_an_error_with_nul_in_it_is_kept_without(lane: Lane) -> None:
    job = lane.released()
    jobs.finish_failed(lane.db, job, "bad\0byte")
    assert lane.job().finish_error == "badbyte"


def test_a_row_that_another_language_wrote_is_checked_when_it_is_read(lane: Lane) -> None:
    lane.db.execute(
        "SELECT jobs_enqueue(%s, 'pms_intake', 'confirm_dispatch', 'pm', 'k', %s)",
        (lane.workspace, Jsonb({"question": "Osalpa?", "answer": 7})),
    )
    with pytest.raises(jobs.BadValue, match=r"ask\.draft|ask\.answer"):
        _ = lane.job().the_ask


TEXTS = st.text(min_size=1, max_size=20)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=TEXTS, fact=TEXTS, key=TEXTS)
def test_any_text_is_either_stored_as_it_is_or_refused_by_name(
    db: Conn, workspace: UUID, question: str, fact: str, key: str
) -> None:
    lane = Lane(db, workspace)
    with db.transaction(force_rollback=True):
        try:
            new = lane.new(key, ask=jobs.Ask.read(ask_json(question=question, facts={"words": fact})))
        except jobs.BadValue:
            return
        stored: Job = jobs.get(db, jobs.enqueue(db, new).job_id)
        assert (stored.dedupe_key, stored.the_ask.question, stored.the_ask.facts["words"]) == (key, question, fact)


def test_later_and_sooner_are_the_callers_business(lane: Lane) -> None:
    past = jobs.now(lane.db) - timedelta(days=400)
    assert lane.enqueue(not_before=past).not_before == past
