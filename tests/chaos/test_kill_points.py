"""A process dies exactly at the point that was armed, and the rows say how far it had come."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest

from jobs.db import Conn
from runtime.config import ROOT
from tests.chaos.kill_points import Points
from tests.runtime.a_worker import TABLES

DELIVER = "import sys; from tests.runtime.a_worker import app; app.tasks['deliver_message'](sys.argv[1])"
STORE = """
import os, psycopg
with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as db:
    db.execute("INSERT INTO sent VALUES ('outside')")
    with db.transaction():
        db.execute("INSERT INTO sent VALUES ('inside')")
        db.execute("SELECT 1")
"""
CALL = """
import httpx, structlog
bridge = httpx.MockTransport(lambda request: print("asked", flush=True) or httpx.Response(200))
with structlog.contextvars.bound_contextvars(task="deliver_message"):
    httpx.Client(transport=bridge).post("http://bridge/")
print("answered", flush=True)
"""


@pytest.fixture
def points(tmp_path: Path) -> Points:
    made = Points(tmp_path)
    made.make()
    return made


def run(points: Points, database_url: str, code: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "DATABASE_URL": database_url, "REDIS_URL": "redis://127.0.0.1:1/0",
             "SAYSO_PROCESS": "webhooks", "SAYSO_KILL_POINTS": str(points.folder),
             "PYTHONPATH": f"{ROOT / 'tests/chaos/hook'}:{ROOT}"})


def plan(db: Conn, workspace_id: UUID, body: str) -> str:
    """A text in a chat and to an address of its own: none waits behind another."""
    db.execute("INSERT INTO chats (workspace_id, chat_guid) VALUES (%s, %s)", (workspace_id, body))
    row = db.execute(
        "INSERT INTO channel_messages"
        " (workspace_id, idempotency_key, purpose, chat_guid, channel, address, body, source)"
        " VALUES (%s, %s, 'effect', %s, 'terminal', %s, %s, 'memory') RETURNING id::text",
        (workspace_id, body, body, body, body)).fetchone()
    assert row
    message_id: str = row["id"]
    return message_id


def test_a_delivery_dies_where_it_was_armed_and_the_row_is_as_it_was_committed(
        points: Points, db: Conn, database_url: str, workspace: UUID) -> None:
    db.execute(TABLES.encode())
    assert run(points, database_url, DELIVER, plan(db, workspace, "first")).returncode == 0
    for word, number, status, sent in (
            ("UPDATE-channel_messages", 0, "planned", 0), ("COMMIT", 0, "submitting", 0),
            ("INSERT", 0, "submitting", 1), ("UPDATE-channel_messages", -1, "submitting", 1),
            ("COMMIT", -1, "accepted", 1)):
        armed = sorted(name for name in points.seen() if word in name)[number]
        points.arm(armed)
        assert run(points, database_url, DELIVER, plan(db, workspace, armed)).returncode == -signal.SIGKILL
        assert armed in points.hits()
        row = db.execute("SELECT status, (SELECT count(*) FROM sent s WHERE s.body = m.body) AS sent"
                         " FROM channel_messages m WHERE body = %s", (armed,)).fetchone()
        assert row == {"status": status, "sent": sent}, armed


def test_a_point_that_nobody_has_seen_is_armed_by_task_and_number(
        points: Points, db: Conn, database_url: str, workspace: UUID) -> None:
    db.execute(TABLES.encode())
    points.arm("deliver_message-02")
    assert run(points, database_url, DELIVER, plan(db, workspace, "first")).returncode == -signal.SIGKILL
    (hit,) = points.hits()
    assert hit.startswith("deliver_message-02-")


def test_without_a_task_what_a_transaction_does_is_counted_under_the_name_of_the_process(
        points: Points, db: Conn, database_url: str) -> None:
    db.execute(TABLES.encode())
    assert run(points, database_url, STORE).returncode == 0
    assert points.seen() == {"webhooks-01-INSERT-INTO-sent", "webhooks-02-COMMIT"}
    points.arm("webhooks-01-INSERT-INTO-sent")
    assert run(points, database_url, STORE).returncode == -signal.SIGKILL
    row = db.execute("SELECT string_agg(body, ' ') AS bodies FROM sent").fetchone()
    assert row == {"bodies": "outside inside outside"}
    assert run(points, database_url, STORE).returncode == 0, "one process dies at an armed point, not all"


@pytest.mark.parametrize(("armed", "said"), [("deliver_message-01-before-POST", ""),
                                             ("deliver_message-02-after-POST", "asked\n")])
def test_a_call_has_a_point_before_and_after_it(points: Points, database_url: str, armed: str, said: str) -> None:
    points.arm(armed)
    ran = run(points, database_url, CALL)
    assert (ran.returncode, ran.stdout, points.hits()) == (-signal.SIGKILL, said, [armed])
