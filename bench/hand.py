"""Hand-written SQL that writes the rows that ours writes, in as few statements as one would: without guards, checks,
foreign keys or triggers, with the same columns and the indexes that reading needs. What nobody can be much faster than.
"""

# ruff: noqa: E501  statements, as they read best
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from jobs.db import Conn

ASK: dict[str, Any] = {  # what intake asks, in the mean of its length
    "question": "Sending Osalpa for the electrical at 12 Birch #4?",
    "draft": "Tess Ward, 12 Birch #4: “the outlet in the kitchen is dead”\nSending Osalpa for the electrical at 12 Birch #4? "
             "Dana said so on Oct 5, 2026 for all electrical.",
    "answer": {"confirm": True, "slots": {"vendor": {
        "type": "choice", "options": [{"id": "0198c2f0-0000-7000-8000-000000000001", "label": "Osalpa", "aliases": ["Omar"]}],
        "candidates": [{"id": "0198c2f0-0000-7000-8000-000000000002", "label": "Bob Reyes"}]}}},
    "facts": {"tenant_words": "the outlet in the kitchen is dead", "urgency": "normal", "rate": "$95/h"},
    "reversible": False, "hold_seconds": 0}
RESUME: dict[str, Any] = {"order_id": "0198c2f0-0000-7000-8000-000000000003", "vendor_id": "0198c2f0-0000-7000-8000-000000000001"}

TABLES = ("chats", "chat_wakes", "asks", "ask_items", "jobs", "job_events", "job_decisions")

EVENT = """INSERT INTO hand.job_events (workspace_id, job_id, chat_guid, ask_id, turn_no, old_status, new_status, version, ask_rev,
                                  decision_no, finished) SELECT workspace_id, id, chat_guid, ask_id, {turn}, {old}, status, version,
                                  ask_rev, decision_no, finished_at IS NOT NULL FROM j"""
WAKE = "INSERT INTO hand.chat_wakes (workspace_id, chat_guid) SELECT DISTINCT workspace_id, chat_guid FROM j"
NOTIFY = "SELECT pg_notify('sayso', '')"

ENQUEUE = f"""
WITH j AS (
  INSERT INTO hand.jobs (workspace_id, source, kind, chat_guid, dedupe_key, ask, resume, priority)
  VALUES (%(workspace_id)s, %(source)s, %(kind)s, %(chat_guid)s, %(dedupe_key)s, %(ask)s, %(resume)s, 'normal')
  ON CONFLICT (workspace_id, dedupe_key) WHERE finished_at IS NULL DO NOTHING RETURNING *),
 e AS ({EVENT.format(turn="NULL", old="NULL")}), w AS ({WAKE})
SELECT id, pg_notify('sayso', '') FROM j"""
LIVE = "SELECT id, status FROM hand.jobs WHERE workspace_id = %(workspace_id)s AND dedupe_key = %(dedupe_key)s AND finished_at IS NULL"
BULK = f"""
WITH j AS (
  INSERT INTO hand.jobs (workspace_id, source, kind, chat_guid, dedupe_key, ask, resume, priority)
  SELECT %(workspace_id)s, %(source)s, %(kind)s, chat_guid, dedupe_key, ask, resume, 'normal'
    FROM unnest(%(chat_guid)s::text[], %(dedupe_key)s::text[], %(asks)s::jsonb[], %(resumes)s::jsonb[])
         AS new (chat_guid, dedupe_key, ask, resume)
  ON CONFLICT (workspace_id, dedupe_key) WHERE finished_at IS NULL DO NOTHING RETURNING *),
 e AS ({EVENT.format(turn="NULL", old="NULL")}), w AS ({WAKE}), n AS ({NOTIFY})
SELECT j.id FROM j, n"""
BEGIN_TURN = """
WITH gone AS (DELETE FROM hand.chat_wakes WHERE workspace_id = %(ws)s AND chat_guid = %(chat)s)
UPDATE hand.chats SET turn_no = turn_no + 1 WHERE workspace_id = %(ws)s AND chat_guid = %(chat)s RETURNING turn_no"""
CLAIM = f"""
WITH head AS (SELECT id FROM hand.jobs WHERE workspace_id = %(ws)s AND chat_guid = %(chat)s AND needs_reply AND rank = 1
                 AND status = 'pending' AND not_before <= %(now)s ORDER BY not_before, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED),
 a AS (INSERT INTO hand.asks (workspace_id, chat_guid, opened_turn) SELECT %(ws)s, %(chat)s, %(turn)s FROM head RETURNING id),
 j AS (UPDATE hand.jobs SET status = 'asking', ask_id = a.id, version = version + 1, ask_attempts = 1, updated_at = app_now()
         FROM head, a WHERE jobs.id = head.id RETURNING jobs.*),
 i AS (INSERT INTO hand.ask_items (ask_id, item_no, job_id, ask_rev) SELECT ask_id, 1, id, ask_rev FROM j),
 e AS ({EVENT.format(turn="%(turn)s", old="'pending'")}), w AS ({WAKE}), n AS ({NOTIFY})
SELECT j.id, j.ask_id FROM j, n"""
SUBMITTED = "UPDATE hand.asks SET submitted_at = app_now() WHERE id = %(ask)s"
SHOWN = f"""
WITH j AS (UPDATE hand.asks SET shown_at = app_now(), shown_by = 'accepted' WHERE id = %(ask)s RETURNING *), w AS ({WAKE})
{NOTIFY}"""
ASKED = f"""
WITH j AS (UPDATE hand.jobs SET status = 'awaiting_reply', version = version + 1, updated_at = app_now() WHERE id = %(id)s RETURNING *),
 e AS ({EVENT.format(turn="%(turn)s", old="'asking'")}), w AS ({WAKE})
{NOTIFY}"""
RESOLVE = f"""
WITH j AS (UPDATE hand.jobs SET status = 'resolved', resolution = %(resolution)s, answered_rev = ask_rev, version = version + 1,
                  decision_no = decision_no + 1, ended_at = app_now(), release_at = app_now(), finish_after = app_now(),
                  updated_at = app_now() WHERE id = %(id)s RETURNING *),
 d AS (INSERT INTO hand.job_decisions (workspace_id, job_id, decision_no, ask_id, answered_rev, resolution)
       SELECT workspace_id, id, decision_no, ask_id, answered_rev, resolution FROM j),
 c AS (UPDATE hand.asks SET closed_at = app_now(), closed_why = 'answered', closed_turn = %(turn)s FROM j WHERE asks.id = j.ask_id),
 e AS ({EVENT.format(turn="%(turn)s", old="'awaiting_reply'")}), w AS ({WAKE})
{NOTIFY}"""
END_TURN = """
UPDATE hand.chats SET next_look_at = (SELECT min(not_before) FROM (
    SELECT not_before FROM hand.jobs WHERE workspace_id = %(ws)s AND chat_guid = %(chat)s AND needs_reply AND rank = 1
       AND status = 'pending' AND not_before > %(now)s ORDER BY not_before LIMIT 1) AS next), turn_failures = 0
 WHERE workspace_id = %(ws)s AND chat_guid = %(chat)s"""
RELEASE = """
UPDATE hand.jobs SET finish_attempts = finish_attempts + 1, finish_lease_until = app_now() + interval '60 s', updated_at = app_now()
 WHERE id = %(id)s AND finished_at IS NULL AND finish_after <= app_now()"""
FINISH = f"""
WITH j AS (UPDATE hand.jobs SET finished_at = app_now(), version = version + 1, updated_at = app_now() WHERE id = %(id)s RETURNING *),
 e AS ({EVENT.format(turn="NULL", old="'resolved'")})
{NOTIFY}"""


class Hand:
    """The same things as Ours does, over one connection in autocommit."""

    name = "hand-written SQL"

    def __init__(self, db: Conn, workspace_id: UUID) -> None:
        self.db = db
        self.workspace_id = workspace_id

    def job(self, chat: str, key: str) -> dict[str, Any]:
        return {"workspace_id": self.workspace_id, "source": "memory", "kind": "question", "chat_guid": chat,
                "dedupe_key": key, "ask": ASK, "resume": RESUME}

    def enqueue(self, job: dict[str, Any]) -> None:
        given = job | {"ask": Jsonb(job["ask"]), "resume": Jsonb(job["resume"])}
        if self.db.execute(ENQUEUE, given).fetchone() is None:
            self.db.execute(LIVE, given).fetchone()

    def enqueue_many(self, new: Sequence[dict[str, Any]]) -> None:
        columns = {name: [job[name] for job in new] for name in ("chat_guid", "dedupe_key")}
        self.db.execute(BULK, new[0] | columns | {
            "asks": [Jsonb(job["ask"]) for job in new], "resumes": [Jsonb(job["resume"]) for job in new]}).fetchall()

    def live(self, chat: str, resolution: dict[str, Any]) -> bool:
        """The next job of a chat from pending to home; False when none is due."""
        where: dict[str, Any] = {"ws": self.workspace_id, "chat": chat}
        with self.db.transaction():
            where |= {"turn": self.db.execute(BEGIN_TURN, where).fetchone()["turn_no"]}  # type: ignore[index]
            where |= {"now": self.db.execute("SELECT app_now() AS now").fetchone()["now"]}  # type: ignore[index]
            row = self.db.execute(CLAIM, where).fetchone()
            self.db.execute(END_TURN, where)
        if row is None:
            return False
        job = {"id": row["id"], "ask": row["ask_id"], "resolution": Jsonb(resolution)}
        self.db.execute(SUBMITTED, job)
        self.db.execute(SHOWN, job)
        with self.db.transaction():
            job |= {"turn": self.db.execute(BEGIN_TURN, where).fetchone()["turn_no"]}  # type: ignore[index]
            self.db.execute(ASKED, job)
            self.db.execute(RESOLVE, job)
            self.db.execute(END_TURN, where)
        self.db.execute(RELEASE, job)
        self.db.execute(FINISH, job)
        return True

    def next_ask(self, chat: str) -> None:
        """A turn that finds what is next, and asks nothing."""
        where: dict[str, Any] = {"ws": self.workspace_id, "chat": chat}
        with self.db.transaction():
            self.db.execute(BEGIN_TURN, where)
            where |= {"now": self.db.execute("SELECT app_now() AS now").fetchone()["now"]}  # type: ignore[index]
            self.db.execute("SELECT id FROM hand.asks WHERE workspace_id = %(ws)s AND chat_guid = %(chat)s AND closed_at IS NULL"
                            " AND expects_reply", where).fetchone()
            self.db.execute(END_TURN, where)


def make(db: Conn) -> None:
    """A schema beside ours with tables of the same columns and indexes, and nothing that guards them."""
    db.execute("DROP SCHEMA IF EXISTS hand CASCADE")
    db.execute("CREATE SCHEMA hand")
    for table in TABLES:
        db.execute(f"CREATE TABLE hand.{table} (LIKE public.{table} INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING IDENTITY"
                   " INCLUDING INDEXES)".encode())
