"""From a report to the question about it."""

import threading

import psycopg
import pytest
from psycopg.rows import dict_row

import jobs
from channels.contract import Rejected
from subsystems import intake
from subsystems.intake.sweep import sweep
from tests.subsystems.office import SPARKS, Office, Scripted


def test_sparks_are_asked_about_as_an_emergency_with_the_standing_wish_and_why(office: Office) -> None:
    office.state_policy()
    order_id = office.report().order_id
    job = office.live(order_id)
    assert job is not None
    ask = job.the_ask
    assert (job.kind, job.priority, job.chat_guid, job.issue_id) == ("confirm_dispatch", "urgent", "pm", str(order_id))
    assert ask.question == "Sending Osalpa Electric for the electrical at 12 Birch #4?"
    assert SPARKS in ask.draft
    assert "You said so on" in ask.draft
    assert (ask.hold_seconds, ask.reversible, ask.answer.confirm) == (5, False, True)
    assert ask.facts["tenant_words"] == SPARKS
    assert ask.facts["rate"] == "$95/h"
    assert office.order(order_id)["status"] == "waiting"


def test_the_suggested_vendor_is_the_only_option_and_every_other_active_one_can_be_named(office: Office) -> None:
    office.state_policy()
    job = office.live(office.report().order_id)
    assert job is not None
    slot = job.ask["answer"]["slots"]["vendor"]
    assert [(o["label"], o["suggested"]) for o in slot["options"]] == [("Osalpa Electric", True)]
    assert [o["label"] for o in slot["candidates"]] == ["Bob's Electric", "Lapsed Wiring", "Delgado Plumbing"]
    assert not slot["open"]


def test_the_same_report_twice_is_one_order_and_one_question(office: Office) -> None:
    first, second = office.report(), office.report("other words")
    assert (second.order_id, second.repeated, first.repeated) == (first.order_id, True, False)
    assert len(office.rows("SELECT FROM jobs")) == 1


def test_a_report_joins_the_callers_transaction(office: Office) -> None:
    with office.db.transaction() as theirs:
        office.report()
        raise psycopg.Rollback(theirs)
    assert office.rows("SELECT FROM intake_orders") == office.rows("SELECT FROM jobs") == []


def test_without_wish_or_precedent_the_manager_is_asked_who_and_nobody_is_suggested(office: Office) -> None:
    job = office.live(office.report("toilet keeps running").order_id)
    assert job is not None
    ask = job.the_ask
    assert ask.question == "Who should handle the plumbing at 12 Birch #4?"
    assert not ask.answer.confirm
    assert "1. Delgado Plumbing" in ask.draft
    assert "vendor_id" not in job.resume
    assert not any(option["suggested"] for option in job.ask["answer"]["slots"]["vendor"]["options"])


def test_the_last_decision_is_suggested_again(office: Office) -> None:
    first = office.report("toilet keeps running").order_id
    office.decide(first, "choose", vendor=str(office.vendors["delgado"]))
    job = office.live(office.report("kitchen faucet drips", "2").order_id)
    assert job is not None
    assert job.the_ask.question == "Sending Delgado Plumbing for the plumbing at 12 Birch #4?"
    assert "You sent them last time" in job.the_ask.draft


@pytest.mark.parametrize(
    ("vendor", "reason"),
    [("lapsed", "has no insurance on file"), ("gone", "is no longer active"), ("delgado", "does other work")],
)
def test_a_wish_for_somebody_who_cannot_be_sent_is_said_and_not_followed(
    office: Office, vendor: str, reason: str
) -> None:
    office.state_policy(vendor)
    job = office.live(office.report().order_id)
    assert job is not None
    assert job.the_ask.question.startswith("Who should handle")
    assert reason in job.the_ask.draft
    assert "vendor_id" not in job.resume


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("its broken again", "Which trade should look at this"),
        ("whats the wifi password", "does not sound like a repair"),
    ],
)
def test_words_that_name_no_trade_are_asked_about_not_guessed(office: Office, words: str, says: str) -> None:
    order_id = office.report(words).order_id
    job = office.live(order_id)
    assert job is not None
    assert job.kind == "clarify_wo"
    assert says in job.the_ask.draft
    assert office.order(order_id)["trade"] is None


def test_a_report_from_nowhere_is_asked_where_it_is_from(office: Office) -> None:
    job = office.live(office.report(unit_id=None, tenant_id=None).order_id)
    assert job is not None
    assert job.the_ask.question == "Which unit is this from?"
    assert [o["label"] for o in job.ask["answer"]["slots"]["unit"]["candidates"]] == ["12 Birch #4", "12 Birch #5"]


def test_urgency_decides_the_priority_and_only_an_emergency_is_urgent(office: Office) -> None:
    asked = {
        words: office.live(office.report(words, words).order_id)
        for words in ("i smell gas", "no hot water", "toilet keeps running", "light bulb in the closet is out")
    }
    assert [job.priority for job in asked.values() if job] == ["urgent", "normal", "normal", "low"]


def test_without_any_vendor_the_order_is_the_managers_and_they_are_told(office: Office) -> None:
    office.rows("UPDATE directory_vendors SET is_active = false RETURNING id")
    order_id = office.report().order_id
    assert office.order(order_id)["status"] == "with_manager"
    assert "No active vendor is on file" in office.notices()[0]


@pytest.mark.parametrize(
    "given", [{"words": "  "}, {"words": "a\0b"}, {"words": "x" * 70_000}, {"external_id": ""}, {"category": "a\x07"}]
)
def test_a_report_that_cannot_be_stored_is_refused_by_field_and_nothing_is_kept(
    office: Office, given: dict[str, str]
) -> None:
    with office.db.transaction():
        with pytest.raises(intake.BadReport) as refused:
            office.report(**{"words": SPARKS, **given})
        assert office.rows("SELECT FROM intake_orders") == []  # and the transaction can be used
    assert refused.value.field in given


def test_the_longest_words_and_a_hundred_vendors_still_fit_into_an_ask(office: Office) -> None:
    for n in range(300):
        office.insert(
            "directory_vendors (workspace_id, external_id, name, aliases, trades, address)"
            " VALUES (%s, %s, %s, %s, '{electrical}', 'x')",
            f"v{n}",
            f"Vendor {n} " + "é" * 200,
            ["ü" * 100],
        )
    order_id = office.report("sparks " + "€" * 65_000).order_id
    assert office.live(order_id) is not None


def test_the_sweep_asks_about_orders_that_nobody_was_asked_about_once(office: Office) -> None:
    order_id = office.report().order_id
    job = office.live(order_id)
    assert job is not None
    jobs.cancel(office.db, job.id, "withdrawn", by_owner=True)
    office.rows("UPDATE intake_orders SET status = 'new' RETURNING id")
    for _ in range(2):
        with office.db.transaction():
            sweep(office.db, office.now)
    again = office.live(order_id)
    assert again is not None
    assert again.id != job.id
    assert office.order(order_id)["status"] == "waiting"
    assert len(office.rows("SELECT FROM jobs")) == 2


def test_two_that_report_the_same_at_once_make_one_order(office: Office, database_url: str) -> None:
    both = threading.Barrier(2)

    def one() -> None:
        with psycopg.connect(database_url, autocommit=True, row_factory=dict_row) as db:
            both.wait()
            intake.report(
                db,
                office.ws,
                origin="tenant",
                external_id="same",
                words=SPARKS,
                unit_id=office.unit,
                tenant_id=office.maya,
                category=None,
                received_at=office.now,
            )

    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(office.rows("SELECT FROM intake_orders")) == len(office.rows("SELECT FROM jobs")) == 1


def test_however_long_names_and_words_are_a_channel_can_carry_every_text(office: Office) -> None:
    for table in ("properties", "people", "vendors"):
        office.rows(f"UPDATE directory_{table} SET name = external_id || repeat('x', 290) RETURNING id")
    office.rows("UPDATE directory_units SET label = repeat('#', 300) RETURNING id")
    office.state_policy("lapsed")
    order_id = office.report("outlet sparks " * 4000).order_id
    office.decide(order_id, "condition", None)
    job = office.decide(order_id, "correct", vendor=str(office.vendors["osalpa"]))
    office.deliver(Scripted(Rejected("why" * 9000), "osalpa"))
    bodies = [row["body"] for row in office.rows("SELECT body FROM channel_messages")]
    assert max(map(len, (job.the_ask.draft, *bodies, *office.notices()))) < 3500
    assert len(job.the_ask.question) < 400
