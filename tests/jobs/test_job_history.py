"""Whatever legal verbs do in whatever order, the history adds up to the rows."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jobs
from jobs.db import Conn
from tests.jobs.a_lane import Lane, reworded, yes

KEYS = ("a", "b", "n")


def a_turn(lane: Lane, _: jobs.Job | None, n: int) -> None:
    chat, now = lane.begin(), jobs.now(lane.db)
    jobs.take_reports(lane.db, chat)
    for carrier in (jobs.open_ask(lane.db, chat), jobs.open_ask(lane.db, chat, notice=True)):
        if carrier is not None and carrier.ask.shown_at is not None:
            jobs.asked(lane.db, carrier.ask.id)
        elif carrier is not None:
            jobs.take_back(lane.db, carrier.ask.id)
    jobs.step_forward(lane.db, chat)
    for notice in (False, True):
        job = jobs.next_due(lane.db, chat, now, notice)
        if job is not None:
            jobs.claim(lane.db, chat, [job])
    jobs.end_turn(lane.db, chat)


def a_mark(lane: Lane, job: jobs.Job | None, n: int) -> None:
    if job is not None and job.ask_id is not None:
        moves: list[Callable[[UUID], object]] = [
            lambda i: jobs.mark_submitted(lane.db, i),
            lambda i: jobs.mark_shown(lane.db, i, "accepted"),
            lambda i: jobs.mark_rejected(lane.db, i),
            lambda i: jobs.withdraw(lane.db, i, "preempted"),
        ]
        moves[n % 4](job.ask_id)


def a_showing(lane: Lane, job: jobs.Job | None, n: int) -> None:
    """All that is needed to get what is due before the person."""
    a_turn(lane, job, n)
    for ask in lane.db.execute("SELECT id FROM asks WHERE closed_at IS NULL AND rejected_at IS NULL").fetchall():
        jobs.mark_submitted(lane.db, ask["id"])
        jobs.mark_shown(lane.db, ask["id"], "accepted")
    a_turn(lane, job, n)


def an_enqueue(lane: Lane, job: jobs.Job | None, n: int, key: str = "") -> None:
    new = lane.notice(key) if key == "n" else lane.new(key, resume={"v": n}, ask=reworded("Osalpa?", 10 * (n % 2)))
    jobs.enqueue(lane.db, new)


def a_decision(lane: Lane, _: jobs.Job | None, n: int) -> None:
    for job in jobs.find(lane.db, status=["awaiting_reply"]):
        jobs.resolve(lane.db, job, yes(jobs.now(lane.db)), job.ask_rev)


def a_finish(lane: Lane, _: jobs.Job | None, n: int) -> None:
    for due in jobs.due(lane.db, jobs.now(lane.db)).finishes:
        claimed = jobs.release(lane.db, due.job_id, due.source)
        if claimed is not None and n % 3:
            jobs.finish(lane.db, claimed)
        elif claimed is not None:
            jobs.finish_failed(lane.db, claimed, "boom")


def on_the_job(verb: Callable[[Lane, jobs.Job, int], object]) -> Callable[[Lane, jobs.Job | None, int], object]:
    return lambda lane, job, n: None if job is None else verb(lane, job, n)


STEPS: dict[str, Callable[[Lane, jobs.Job | None, int], object]] = {
    "turn": a_turn,
    "mark": a_mark,
    "show": a_showing,
    "resolve": a_decision,
    "finish": a_finish,
    "supersede": on_the_job(lambda lane, job, n: jobs.supersede(lane.db, job.id, reworded(f"Bob {n}?", 0), {})),
    "revoke": on_the_job(lambda lane, job, n: jobs.revoke(lane.db, job, "wait")),
    "defer": on_the_job(
        lambda lane, job, n: jobs.defer(lane.db, job, jobs.now(lane.db) + timedelta(seconds=n), "later")
    ),
    "snooze": on_the_job(lambda lane, job, n: jobs.snooze(lane.db, job.id, jobs.now(lane.db) + timedelta(seconds=n))),
    "cancel": on_the_job(lambda lane, job, n: jobs.cancel(lane.db, job.id, "closed", by_owner=bool(n % 2))),
    "fail": on_the_job(lambda lane, job, n: jobs.fail(lane.db, job.id, "no channel")),
    "retry": on_the_job(lambda lane, job, n: jobs.retry(lane.db, job.id)),
    "later": lambda lane, job, n: lane.later(seconds=n),
}
SEQUENCES = st.lists(
    st.tuples(
        st.sampled_from(["enqueue", "enqueue", "show", "show", "resolve", *STEPS]),
        st.sampled_from(KEYS),
        st.integers(0, 30),
    ),
    min_size=15,
    max_size=40,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=SEQUENCES)
def test_the_history_of_any_legal_verbs_adds_up_to_the_rows(
    db: Conn, workspace: UUID, steps: list[tuple[str, str, int]]
) -> None:
    lane = Lane(db, workspace)
    with db.transaction(force_rollback=True):
        for key in KEYS:
            an_enqueue(lane, None, 0, key)
        for name, key, n in steps:
            found = jobs.find(db, text=f"{key} ", limit=1)
            with suppress(jobs.Refused), db.transaction():
                if name == "enqueue":
                    an_enqueue(lane, None, n, key)
                else:
                    STEPS[name](lane, found[0] if found else None, n)
        check(db)
    db.execute("SELECT set_config('sayso.now', '', false)")


def check(db: Conn) -> None:
    for job in jobs.find(db, limit=1000):
        events = db.execute("SELECT * FROM job_events WHERE job_id = %s ORDER BY version", (job.id,)).fetchall()
        assert [event["version"] for event in events] == list(range(1, job.version + 1))
        assert [event["old_status"] for event in events] == [None, *(event["new_status"] for event in events[:-1])]
        last = events[-1]
        assert (last["new_status"], last["finished"], last["ask_rev"], last["decision_no"]) == (
            job.status,
            job.finished_at is not None,
            job.ask_rev,
            job.decision_no,
        )
        decided = sum(e["new_status"] == "resolved" != e["old_status"] for e in events)
        kept = db.execute("SELECT count(*) AS n FROM job_decisions WHERE job_id = %s", (job.id,)).fetchone()
        assert decided == job.decision_no == (kept or {})["n"]
    assert (
        db.execute(
            "SELECT 1 FROM jobs WHERE finished_at IS NULL GROUP BY workspace_id, dedupe_key HAVING count(*) > 1"
        ).fetchall()
        == []
    )
    assert (
        db.execute(
            "SELECT 1 FROM asks WHERE closed_at IS NULL GROUP BY chat_guid, expects_reply HAVING count(*) > 1"
        ).fetchall()
        == []
    )
    assert (
        db.execute(
            "SELECT 1 FROM asks a WHERE closed_at IS NULL AND NOT EXISTS (SELECT FROM jobs WHERE open_ask_id = a.id)"
        ).fetchall()
        == []
    )
