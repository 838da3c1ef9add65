"""The table holds its rules by itself: attacks in plain SQL, every pair of statuses, what each move leaves behind."""

import os
from collections.abc import Iterator
from typing import cast

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from jobs.db import Conn
from jobs.states import EDGES, STATUSES
from tests.jobs.attacks import ATTACKS, MOVES, Attack, Move
from tests.shown.table import as_expected, attack, move, reach

STAGE = {
    "pending": "pending",
    "asking": "rejected",
    "awaiting_reply": "awaiting",
    "resolved": "held",
    "cancelled": "cancelled",
    "failed": "pending",
}


@pytest.fixture(scope="module")
def table(server_url: str, template: str) -> Iterator[Conn]:
    """One database for all of these: each test rolls back what it did."""
    name = f"sayso_test_table_{os.getpid()}"
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
        with psycopg.connect(make_conninfo(server_url, dbname=name), autocommit=True, row_factory=dict_row) as db:
            yield db
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


@pytest.mark.parametrize("it", ATTACKS, ids=lambda it: it.name)
def test_an_attack_in_plain_sql_is_refused(table: Conn, it: Attack) -> None:
    refusal = attack(table, it)
    assert as_expected(it, refusal), refusal


@pytest.mark.parametrize("it", MOVES, ids=lambda it: it.name)
def test_a_legal_move_works(table: Conn, it: Move) -> None:
    assert move(table, it)


@pytest.mark.parametrize("old", STATUSES)
def test_the_edges_are_those_of_the_guard(table: Conn, old: str) -> None:
    """A pair is no edge exactly when the guard says SY006; what else it asks of an edge is another refusal, or none."""
    for new in STATUSES:
        if new == old:
            continue
        with table.transaction(force_rollback=True):
            reach(table, STAGE[old])
            if old == "failed":
                table.execute("UPDATE jobs SET status = 'failed', end_reason = 'x' WHERE dedupe_key = 'k'")
            try:
                with table.transaction():
                    table.execute("UPDATE jobs SET status = %s WHERE dedupe_key = 'k'", (new,))
                state = None
            except psycopg.Error as error:
                state = error.sqlstate
        assert (state == "SY006") == ((old, new) not in EDGES), (old, new, state)


def test_a_look_at_the_lease_is_no_event_and_moves_no_version(table: Conn) -> None:
    with table.transaction(force_rollback=True):
        reach(table, "cancelled")
        before = events(table)
        table.execute(
            "UPDATE jobs SET finish_attempts = 1, finish_lease_until = app_now() WHERE dedupe_key = 'k'"
        )
        assert events(table) == before


def test_numbers_that_the_database_counts_cannot_be_given_to_it(table: Conn) -> None:
    with table.transaction(force_rollback=True):
        reach(table, "held")
        table.execute(
            "UPDATE jobs SET version = 99, ask_rev = 99, decision_no = 9, ended_at = 'epoch' WHERE dedupe_key = 'k'"
        )
        row = table.execute(
            "SELECT version < 99 AND ask_rev = 1 AND decision_no = 1 AND ended_at > '2021-01-01' AS kept FROM jobs"
            " WHERE dedupe_key = 'k'"
        ).fetchone()
        assert row == {"kept": True}


def test_one_statement_over_many_jobs_leaves_an_event_each_and_one_wake_a_chat(table: Conn) -> None:
    with table.transaction(force_rollback=True):
        reach(table, "pending")
        table.execute("DELETE FROM chat_wakes")
        before = events(table)
        table.execute("UPDATE jobs SET not_before = not_before + interval '1 h'")
        wakes = table.execute("SELECT count(*) AS n FROM chat_wakes").fetchone()
        assert events(table) == before + 3
        assert wakes == {"n": 1}


def events(db: Conn) -> int:
    row = db.execute("SELECT count(*) AS n FROM job_events").fetchone()
    assert row is not None
    return cast(int, row["n"])
