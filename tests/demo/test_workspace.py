"""The demo workspace, as the processes find it."""

import time

import pytest

import jobs
from channels import due
from demo import workspace
from directory import TRADES
from jobs.db import Conn
from runtime.registry import OWNERS
from subsystems import intake

TABLES = (
    "jobs",
    "intake_orders",
    "channel_messages",
    "ledger_calls",
    "memory_events",
    "memory_policies",
    "directory_people",
    "directory_units",
    "directory_vendors",
    "job_events",
)


@pytest.fixture
def demo(db: Conn) -> Conn:
    jobs.register_kinds(db, [(owner.source, kind) for owner in OWNERS for kind in owner.kinds])
    workspace.prepare(db)
    return db


def count(db: Conn, query: str) -> int:
    row = db.execute(f"SELECT count(*) AS n FROM {query}".encode()).fetchone()
    assert row is not None
    n: int = row["n"]
    return n


def test_nothing_is_open_due_or_unread_in_it(demo: Conn) -> None:
    now = jobs.now(demo)
    assert count(demo, "jobs WHERE finished_at IS NULL") == 0
    assert count(demo, "asks WHERE closed_at IS NULL") == 0
    assert count(demo, "chat_wakes") == 0
    assert count(demo, "chats WHERE next_look_at IS NOT NULL") == 0
    assert due.look(demo, now) == due.Due((), ())
    assert jobs.due(demo, now) == jobs.Due((), ())
    assert set(jobs.health(demo, now).values()) == {0}


def test_it_has_what_a_newcomer_is_told_of(demo: Conn) -> None:
    assert count(demo, "directory_properties") == 6
    assert count(demo, "directory_vendors") == 14
    assert (
        count(demo, "directory_vendors WHERE NOT is_active")
        == count(demo, "directory_vendors WHERE insured_until IS NULL")
        == 1
    )
    assert count(demo, "directory_vendors WHERE 'Bob' = ANY (aliases) AND 'electrical' = ANY (trades)") == 2
    assert (
        count(demo, "directory_units u WHERE NOT EXISTS (SELECT FROM directory_people p WHERE p.unit_id = u.id)") == 0
    )
    able = "directory_vendors WHERE is_active AND insured_until > now() AND '{}' = ANY (trades)"
    assert [trade for trade in TRADES if count(demo, able.format(trade)) == 0] == []


def test_its_past_was_lived_through_weeks_ago_and_leaves_precedents(demo: Conn) -> None:
    past = demo.execute(
        "SELECT trade, vendor_id, decided_at < now() - interval '4 days' AS long_ago FROM memory_events"
    ).fetchall()
    assert len(past) == len(workspace.PAST)
    assert all(event["long_ago"] for event in past)
    assert {event["trade"] for event in past if event["vendor_id"]} >= {"electrical", "plumbing", "hvac", "appliance"}
    assert count(demo, "jobs WHERE created_at > now() - interval '4 days'") == 0
    assert count(demo, "channel_messages WHERE status <> 'accepted'") == 0


def test_preparing_it_again_changes_nothing_and_both_take_under_two_seconds(demo: Conn) -> None:
    before = [count(demo, table) for table in TABLES]
    began = time.monotonic()
    workspace.prepare(demo)
    assert time.monotonic() - began < 2
    assert [count(demo, table) for table in TABLES] == before


def test_a_preparation_that_was_cut_short_is_completed_by_the_next(db: Conn, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs.register_kinds(db, [(owner.source, kind) for owner in OWNERS for kind in owner.kinds])
    with monkeypatch.context() as cut:
        cut.setattr(workspace, "PAST", workspace.PAST[:3])
        workspace.prepare(db)
    workspace.prepare(db)
    assert count(db, "memory_events") == len(workspace.PAST)
    assert count(db, "jobs WHERE finished_at IS NULL") == 0


def test_sparks_in_12_birch_4_suggest_osalpa_and_both_bobs_can_be_named(demo: Conn) -> None:
    row = demo.execute(
        "SELECT u.workspace_id, u.id, t.id AS tenant FROM directory_units u JOIN directory_people t ON t.unit_id = u.id"
        " WHERE u.external_id = 'birch-4'"
    ).fetchone()
    assert row is not None
    order_id = intake.report(
        demo,
        row["workspace_id"],
        origin="tenant",
        external_id="now",
        words="outlet in kitchen sparks when i plug in the toaster",
        unit_id=row["id"],
        tenant_id=row["tenant"],
        category=None,
        received_at=jobs.now(demo),
    ).order_id
    [job] = [job for job in jobs.find(demo, workspace_id=row["workspace_id"]) if job.issue_id == str(order_id)]
    assert job.the_ask.question == "Sending Osalpa Electric for the electrical at 12 Birch #4?"
    assert "past_decisions" in job.the_ask.facts
    named = [
        option["label"] for option in job.ask["answer"]["slots"]["vendor"]["candidates"] if "Bob" in option["aliases"]
    ]
    assert named == ["Bob Reyes Wiring", "Bob's Electric"]
