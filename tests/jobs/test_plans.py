"""The cost of what is asked all the time does not grow with the table: each reads few rows, however many there are."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.rows import dict_row

import jobs
from jobs.db import Conn, now, sql
from tests.conftest import a_database

MANY = 20_000  # waiting, and as many finished: at 1,000,000 the planner decides as it does here
FEW = 60  # rows that a statement may read or pass over

FILL = """
INSERT INTO jobs (workspace_id, source, kind, chat_guid, dedupe_key, ask, status, resolution, answered_rev, decision_no,
                  release_at, ended_at, finish_after, finished_at)
SELECT %(ws)s, 'memory', 'question', 'pm', status || n, '{"question": "Go?"}', status,
       CASE status WHEN 'resolved' THEN '{}'::jsonb END, 1, 1, done, done, done, done
  FROM generate_series(1, %(many)s) AS n,
       (VALUES ('pending', NULL), ('resolved', now())) AS state (status, done)
"""


@pytest.fixture(scope="module")
def full(server_url: str, template: str) -> Iterator[Conn]:
    """A database in which one busy chat has all those jobs, and 'quiet' has none."""
    with a_database(server_url, "sayso_test_plans", template) as url, \
            psycopg.connect(url, autocommit=True, row_factory=dict_row) as db:
        jobs.register_kinds(db, [("memory", "question")])
        db.execute("INSERT INTO directory_workspaces (name) VALUES ('Test')")
        for chat in ("pm", "quiet"):
            jobs.make_chat(db, workspace_of(db), chat)
        with db.transaction():
            db.execute("SET LOCAL session_replication_role = replica")
            db.execute(FILL, {"ws": workspace_of(db), "many": MANY})
        db.execute("VACUUM ANALYZE jobs")
        yield db


def workspace_of(db: Conn) -> UUID:
    row = db.execute("SELECT id FROM directory_workspaces").fetchone()
    assert row is not None
    found: UUID = row["id"]
    return found


def rows_read(db: Conn, statement: str, **given: Any) -> int:
    """All rows that the plan of a statement of jobs/statements touched."""
    text = getattr(sql, statement).sql
    with db.transaction(force_rollback=True):
        row = db.execute(b"EXPLAIN (ANALYZE, FORMAT JSON) " + text.encode(), given).fetchone()
    assert row is not None
    return touched(row["QUERY PLAN"][0]["Plan"])


def touched(plan: dict[str, Any]) -> int:
    """Of the leaves: what they gave and what they threw away, in every loop."""
    below = plan.get("Plans", [])
    here = 0 if below else plan["Actual Rows"]
    here += sum(plan.get(name, 0) for name in ("Rows Removed by Filter", "Rows Removed by Index Recheck"))
    return int(here * plan["Actual Loops"]) + sum(map(touched, below))


@pytest.mark.parametrize("chat", ["pm", "quiet"])
@pytest.mark.parametrize("statement", ["next_of_rank", "end_turn", "open_ask", "held", "begin_turn", "take_wakes"])
def test_a_turn_reads_few_rows_however_many_jobs_wait_or_are_finished(full: Conn, statement: str, chat: str) -> None:
    given = {"workspace_id": workspace_of(full), "chat_guid": chat, "needs_reply": True, "rank": 1, "now": now(full),
             "expects_reply": True, "turn_no": 1}
    assert rows_read(full, statement, **given) <= FEW


@pytest.mark.parametrize("statement", ["due_chats", "due_finishes"])
def test_what_is_due_is_found_by_reading_little(full: Conn, statement: str) -> None:
    assert rows_read(full, statement, now=now(full)) <= FEW


def test_a_key_is_looked_up_by_reading_one_row(full: Conn) -> None:
    with full.transaction(force_rollback=True):
        row = full.execute(
            "EXPLAIN (ANALYZE, FORMAT JSON) SELECT id FROM jobs"
            " WHERE workspace_id = %s AND dedupe_key = 'pending77' AND finished_at IS NULL",
            (workspace_of(full),)).fetchone()
    assert row is not None
    assert touched(row["QUERY PLAN"][0]["Plan"]) == 1
