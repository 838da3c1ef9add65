"""With a real worker and a real broker: a hint may come five times or not at all, and everything happens once."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import jobs
from channels import delivery
from channels.contract import Accepted, LookedUp, Outgoing, Submitted
from jobs.db import Conn
from runtime.broker import Hint, Publisher, celery
from runtime.config import QUEUES, ROOT
from runtime.relay import Relay
from runtime.wiring import connect
from tests.runtime.a_worker import TABLES
from tests.runtime.an_end import decided


class FiveTimes(Publisher):
    """Every hint five times over."""

    def publish(self, hint: Hint) -> None:
        for _ in range(5):
            super().publish(hint)


class Stand:
    """A database with the worker's tables, a relay, and a worker to start."""

    def __init__(self, db: Conn, listener: Conn, database_url: str, broker_url: str, output: Path) -> None:
        self.db = db
        self._listener = listener
        self.app = celery(lambda: broker_url, QUEUES)
        self.publisher = FiveTimes(self.app)
        self.relay = Relay(self.publisher)
        self._environment = {**os.environ, "DATABASE_URL": database_url, "REDIS_URL": broker_url,
                             "PYTHONPATH": str(ROOT)}
        self._output = output

    @contextmanager
    def worker(self) -> "Iterator[subprocess.Popen[bytes]]":
        command = [sys.executable, "-m", "celery", "-A", "tests.runtime.a_worker", "worker", "-P", "threads", "-c", "4",
                   "-Q", ",".join(QUEUES), "--without-gossip", "--without-mingle"]
        with self._output.open("ab") as out:
            process = subprocess.Popen(command, env=self._environment, stdout=out, stderr=out)
        try:
            self.until(lambda: self.rows("ready WHERE pid = %s", process.pid) == 1, "the worker to start")
            yield process
        finally:
            process.terminate()
            process.wait(30)

    def until(self, true: Callable[[], bool], what: str) -> None:
        """Let the relay turn on each notification, and at least each second, until it is true."""
        end = time.monotonic() + 30
        while not true():
            assert time.monotonic() < end, f"waited for {what}: {self._output.read_text()[-2000:]}"
            self.relay.turn(self.db)
            for _ in self._listener.notifies(timeout=0.2, stop_after=1):
                pass

    def flush(self) -> None:
        """Lose every hint."""
        with self.app.connection_for_write() as connection:
            connection.default_channel.client.flushdb()

    def rows(self, where: str, *values: Any) -> int:
        row = self.db.execute(f"SELECT count(*) AS n FROM {where}".encode(), values).fetchone()
        assert row is not None
        count: int = row["n"]
        return count

    def plan(self, workspace_id: UUID, body: str) -> UUID:
        row = self.db.execute(
            "INSERT INTO channel_messages"
            " (workspace_id, idempotency_key, purpose, chat_guid, channel, address, body, source)"
            " VALUES (%s, %s, 'effect', 'pm', 'terminal', %s, %s, 'memory') RETURNING id",
            (workspace_id, body, body, body)).fetchone()
        assert row is not None
        made: UUID = row["id"]
        return made


class Silent:
    """In the test's own process: nothing may be sent from here, only looked up."""

    name = "terminal"

    def submit(self, text: Outgoing) -> Submitted:
        raise AssertionError("sent again")

    def look_up(self, text: Outgoing) -> LookedUp:
        return Accepted("found")


@pytest.fixture
def stand(db: Conn, database_url: str, broker_url: str, tmp_path: Path) -> Iterator[Stand]:
    db.execute(TABLES.encode())
    with connect(database_url, "test") as listener:
        listener.execute("LISTEN sayso")
        made = Stand(db, listener, database_url, broker_url, tmp_path / "worker.log")
        yield made
        made.flush()


def test_an_end_is_finished_once_and_a_text_sent_once_though_hints_are_repeated_and_lost(
        stand: Stand, db: Conn, workspace: UUID) -> None:
    job = decided(db, workspace)
    text = stand.plan(workspace, "hello")
    stand.relay.turn(db)
    stand.flush()  # before any worker runs: what was hinted is lost, and hinted again
    with stand.worker():
        stand.until(lambda: jobs.get(db, job.id).finished_at is not None, "the finish")
        stand.until(lambda: stand.rows("channel_messages WHERE settled_at IS NOT NULL") == 1, "the settlement")
        for hint in (Hint("finish_job", ("memory", str(job.id)), "memory"), Hint("tick", ("once",), "ticks"),
                     Hint("deliver_message", (str(text),), "deliveries"),
                     Hint("settle_message", ("memory", str(text)), "memory")):
            stand.publisher.publish(hint)
        stand.until(lambda: stand.rows("sent WHERE body = 'tick'") == 5, "the ticks")
    assert stand.rows("done WHERE what = %s", job.id) == 1
    assert stand.rows("done WHERE what = %s", text) == 1
    assert stand.rows("sent WHERE body = 'hello'") == 1


def test_a_text_whose_worker_is_killed_while_sending_is_unknown_and_never_sent_again(
        stand: Stand, db: Conn, workspace: UUID) -> None:
    text = stand.plan(workspace, "die")
    with stand.worker() as worker:
        stand.until(lambda: worker.poll() is not None, "the worker to be killed")
    assert stand.rows("channel_messages WHERE status = 'submitting'") == 1
    after = stand.plan(workspace, "after")
    with stand.worker():
        stand.until(lambda: stand.rows("channel_messages WHERE id = %s AND settled_at IS NOT NULL", after) == 1,
                    "the other text")
    now = jobs.now(db) + delivery.LEASE
    db.execute("SELECT set_config('sayso.now', %s, false)", ((now + timedelta(seconds=1)).isoformat(),))
    assert delivery.sweep(db, jobs.now(db)) == 1
    assert stand.rows("channel_messages WHERE status = 'unknown'") == 1
    assert delivery.deliver(db, text, [Silent()]) == Accepted("found")
    assert stand.rows("sent WHERE body = 'die'") == 1
