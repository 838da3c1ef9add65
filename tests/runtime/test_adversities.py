"""What goes wrong around a running system: `sayso status` names it, and when it is over everything goes on by itself.

One system for all of them, started as anybody would, but with the shim in its database server.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.rows import dict_row

from jobs.db import Conn
from runtime import running, wiring
from runtime.commands.system import delete, status_of, stop
from runtime.config import ROOT
from tests.chaos.shim import Shim
from tests.runtime.test_migrate import widen

DEADLINE_SECONDS = 45


def eventually(connect: Callable[[], Conn]) -> Conn:
    """The server may just be coming up."""
    end = time.monotonic() + DEADLINE_SECONDS
    while True:
        try:
            return connect()
        except psycopg.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def fill_the_log(db: Conn) -> None:
    """Until the server needs a new file for it."""
    while True:
        db.execute("SELECT pg_switch_wal()")
        db.execute("UPDATE directory_workspaces SET name = 'Test'")


class Office:
    """A running system, in which texts are planned and chats woken, to see that each process works."""

    def __init__(self, data: Path, shim: Shim) -> None:
        self.data = data
        self.shim = shim
        self.planned: list[UUID] = []
        run = running.current(data)
        assert run
        assert run.database_url
        self.url = run.database_url
        with self.connect() as db:
            row = db.execute("INSERT INTO directory_workspaces (name) VALUES ('Test') RETURNING id").fetchone()
            assert row
            self.workspace_id: UUID = row["id"]

    @contextmanager
    def connect(self) -> Iterator[Conn]:
        """A session that may write even where the database's default is that it may not."""
        def connect() -> Conn:
            return psycopg.connect(self.url, autocommit=True, row_factory=dict_row, application_name="the test",
                                   options="-c default_transaction_read_only=off")

        with eventually(connect) as db:
            yield db

    def status(self) -> dict[str, Any]:
        return status_of(self.data)

    def stuck(self) -> dict[str, str]:
        """The checks that are red, each with its remedy."""
        return {check["check"]: check["remedy"] for check in self.status()["health"] if check["stuck"]}

    def signal(self, name: str, number: signal.Signals) -> None:
        run = running.current(self.data)
        assert run
        (process,) = (process for process in run.processes if process.name == name)
        assert process.birth
        os.kill(process.birth.pid, number)

    def until(self, true: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + DEADLINE_SECONDS
        while not true():
            assert time.monotonic() < end, f"waited for {what}: {self.status()}"
            time.sleep(0.1)

    def logged(self, name: str, words: str) -> Callable[[], bool]:
        """Whether a process has logged this since now."""
        log = self.data / "logs" / f"{name}.log"
        before = log.stat().st_size
        return lambda: words in log.read_text()[before:]

    def blocked(self) -> int:
        with self.connect() as db:
            row = db.execute("SELECT count(*) AS n FROM pg_locks WHERE NOT granted").fetchone()
        assert row
        count: int = row["n"]
        return count

    def plan(self) -> None:
        """Something to do for the conductor, for deliveries and for handlers, each reached by the relay."""
        text_id = uuid4()
        with self.connect() as db, db.transaction():
            db.execute("INSERT INTO chats (workspace_id, chat_guid) VALUES (%s, %s)",
                       (self.workspace_id, str(text_id)))
            db.execute("INSERT INTO chat_wakes (workspace_id, chat_guid) VALUES (%s, %s)",
                       (self.workspace_id, str(text_id)))
            db.execute("INSERT INTO channel_messages"
                       " (id, workspace_id, idempotency_key, purpose, chat_guid, channel, address, body, source)"
                       " VALUES (%(id)s, %(workspace)s, %(id)s::text, 'effect', %(id)s::text, 'terminal', %(id)s::text,"
                       "  'hello', 'pms_intake')", {"id": text_id, "workspace": self.workspace_id})
        self.planned.append(text_id)

    def works(self) -> None:
        """All goes on by itself: what was planned before and what is planned now is done, once, and all is green."""
        self.plan()
        self.until(self._done, "all that was planned")
        with self.connect() as db:
            rows = db.execute("SELECT id, status, attempts FROM channel_messages ORDER BY created_at, id").fetchall()
        assert {(row["status"], row["attempts"]) for row in rows} == {("accepted", 1)}
        assert {row["id"] for row in rows} == set(self.planned)
        self.until(lambda: self.status()["well"], "everything to be well")

    def _done(self) -> bool:
        try:
            with self.connect() as db:
                row = db.execute("SELECT (SELECT count(*) FROM channel_messages WHERE settled_at IS NULL)"
                                 " + (SELECT count(*) FROM chat_wakes) AS open").fetchone()
        except psycopg.OperationalError:  # it went away meanwhile
            return False
        return row == {"open": 0}


@pytest.fixture(scope="module")
def office() -> Iterator[Office]:
    patch = pytest.MonkeyPatch()
    for variable in ("DATABASE_URL", "REDIS_URL", "SAYSO_DATA"):
        patch.delenv(variable, raising=False)
    with tempfile.TemporaryDirectory(prefix="sayso-adversities-") as folder:
        Path(folder).chmod(0o755)  # the account of the database reads the shim
        shim, data = Shim(Path(folder)), Path(folder) / "data"
        shim.build()
        try:
            up = subprocess.run([sys.executable, "-m", "runtime.command", "up", "--detach", "--data", str(data)],
                                cwd=ROOT, env={**os.environ, **shim.environment}, capture_output=True, text=True,
                                check=False)
            assert up.returncode == 0, up.stdout + up.stderr
            yield Office(data, shim)
        finally:
            stop(data)
            delete(data)
            patch.undo()


def test_a_snapshot_that_somebody_keeps_open_is_named_with_how_to_end_it(office: Office) -> None:
    with office.connect() as db:
        db.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        db.autocommit = False
        db.execute("SELECT 1")
        office.works()
        office.shim.move(3700)
        remedy = office.stuck()["oldest_transaction_seconds"]
        with office.connect() as other:
            found = other.execute(remedy.partition(": ")[2].partition(";")[0].encode()).fetchone()
            assert found
            assert found["application_name"] == "the test"
            assert "pg_terminate_backend" in remedy
            other.execute("SELECT pg_terminate_backend(%s)", (found["pid"],))
        office.works()
        with pytest.raises(psycopg.OperationalError):
            db.execute("SELECT 1")


def test_a_transaction_left_open_over_a_lock_is_named_once_somebody_waits_for_a_minute(office: Office) -> None:
    with office.connect() as holder, office.connect() as waiter:
        with holder.transaction():
            holder.execute("UPDATE directory_workspaces SET name = 'Held'")
            thread = threading.Thread(target=waiter.execute, args=("UPDATE directory_workspaces SET name = 'Test'",))
            thread.start()
            office.until(lambda: office.blocked() == 1, "the other one to wait")
            office.shim.move(61)
            assert "pg_blocking_pids" in office.stuck()["oldest_lock_wait_seconds"]
        thread.join()
    office.works()


def test_no_session_of_ours_keeps_its_locks_when_its_process_is_frozen(office: Office) -> None:
    wired = wiring.wire(office.data)
    with wired.connect() as own, wired.pool(1) as pool, pool.connection() as lent:
        for db in (own, lent):
            row = db.execute("SHOW idle_in_transaction_session_timeout").fetchone()
            assert row == {"idle_in_transaction_session_timeout": "1min"}


def test_a_full_disk_is_named_and_nothing_is_lost_or_doubled_even_where_the_server_had_to_stop(office: Office) -> None:
    office.plan()
    office.shim.fill_disk(True)
    assert "no room to write" in office.status()["trouble"]
    with office.connect() as db, pytest.raises(psycopg.OperationalError):
        fill_the_log(db)
    office.until(lambda: "does not answer" in (office.status()["trouble"] or ""), "it to be said")
    office.shim.fill_disk(False)
    office.works()


def test_a_read_only_database_is_named_and_no_session_stays_read_only_afterwards(office: Office) -> None:
    with office.connect() as db:
        db.execute("ALTER DATABASE postgres SET default_transaction_read_only = on")
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'sayso %'")
    office.plan()
    for name in ("conductor", "deliveries", "handlers"):
        office.until(office.logged(name, "couldn't get a connection"), f"{name} to come across it")
    assert "the database is read-only" in office.status()["trouble"]
    with office.connect() as db:
        db.execute("ALTER DATABASE postgres RESET default_transaction_read_only")
    office.works()


def test_a_broker_that_hangs_is_named_within_seconds_and_no_worker_stays_deaf_after_it(office: Office) -> None:
    for ends_by in (signal.SIGCONT, signal.SIGKILL):
        office.signal("valkey", signal.SIGSTOP)
        office.plan()
        began = time.monotonic()
        assert "the broker" in office.status()["trouble"]
        assert time.monotonic() - began < 8
        office.until(office.logged("relay", "the broker does not answer"), "the relay to see it")
        office.signal("valkey", ends_by)
        office.works()


def test_processes_of_the_version_before_go_on_after_a_migration_and_status_says_that_they_are_behind(
        office: Office) -> None:
    for _ in range(6):
        office.works()  # each worker has its statements prepared
    with office.connect() as db:
        widen(db)
        db.execute("INSERT INTO runtime_migrations (number, name, sha256) VALUES (9999, '9999_new.sql', 'x')")
    office.plan()
    assert "9999_new.sql of a newer Sayso" in office.status()["trouble"]
    with office.connect() as db:
        db.execute("DELETE FROM runtime_migrations WHERE number = 9999")
    office.works()
