"""The relay turns what is due into hints, ever more rarely while it stays due, and outlives its servers."""

import subprocess
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from celery import Celery

import jobs
from channels import pauses
from jobs.db import Conn
from runtime import embedded, relay, valkey
from runtime.broker import Hint, Publisher, celery
from runtime.config import QUEUES
from runtime.relay import Relay
from runtime.wiring import connect
from tests.runtime.an_end import decided


class Kept(Publisher):
    """Publishes, and keeps what it published."""

    def __init__(self, app: Celery) -> None:
        super().__init__(app)
        self.hints: list[Hint] = []
        self.any = threading.Event()

    def publish(self, hint: Hint) -> None:
        super().publish(hint)
        self.hints.append(hint)
        self.any.set()

    def taken(self) -> list[tuple[str, str]]:
        hints, self.hints = self.hints, []
        return sorted((hint.task, hint.queue) for hint in hints)


@pytest.fixture
def kept(broker_url: str) -> Iterator[Kept]:
    app = celery(lambda: broker_url, QUEUES)
    yield Kept(app)
    with app.connection_for_write() as connection:
        connection.default_channel.client.flushdb()


def advance(db: Conn, seconds: float) -> None:
    at = jobs.now(db) + timedelta(seconds=seconds)
    db.execute("SELECT set_config('sayso.now', %s, false)", (at.isoformat(),))


def plan(db: Conn, workspace_id: UUID, ended: bool = False) -> UUID:
    row = db.execute(
        "INSERT INTO directory_people (workspace_id, external_id, name, role, address)"
        " VALUES (%s, 't', 'T', 'tenant', 't') RETURNING id", (workspace_id,)).fetchone()
    assert row is not None
    row = db.execute(
        "INSERT INTO channel_messages"
        " (workspace_id, idempotency_key, purpose, person_id, channel, address, body, source)"
        " VALUES (%s, 'k', 'effect', %s, 'terminal', 't', 'hello', 'memory') RETURNING id",
        (workspace_id, row["id"])).fetchone()
    assert row is not None
    if ended:
        db.execute("UPDATE channel_messages SET status = 'cancelled'")
    found: UUID = row["id"]
    return found


def test_everything_due_is_hinted_on_its_queue(db: Conn, workspace: UUID, kept: Kept) -> None:
    decided(db, workspace)
    plan(db, workspace)
    done = Relay(kept).turn(db)
    assert (done.published, done.broker) == (3, None)
    assert kept.taken() == [("deliver_message", "deliveries"), ("finish_job", "memory"), ("turn_chat", "conductor")]
    assert kept.waiting("deliveries") == 1


def test_the_end_of_a_text_is_hinted_to_its_owner(db: Conn, workspace: UUID, kept: Kept) -> None:
    plan(db, workspace, ended=True)
    Relay(kept).turn(db)
    assert kept.taken() == [("settle_message", "memory")]


def test_what_stays_due_is_hinted_again_after_one_second_then_two_and_at_last_every_thirty(
        db: Conn, workspace: UUID, kept: Kept) -> None:
    plan(db, workspace)
    one, gaps, since = Relay(kept), [], 0
    advance(db, 0)
    assert one.turn(db).published == 1
    for _ in range(100):
        advance(db, 1)
        since += 1
        if one.turn(db).published:
            gaps.append(since)
            since = 0
    assert gaps == [1, 2, 4, 8, 16, 30, 30]


def test_something_due_anew_is_hinted_at_once(db: Conn, workspace: UUID, kept: Kept) -> None:
    db.execute("SELECT chat_wake(%s, 'pm')", (workspace,))
    one = Relay(kept)
    assert [one.turn(db).published for _ in range(2)] == [1, 0]
    db.execute("SELECT chat_wake(%s, 'pm')", (workspace,))
    assert one.turn(db).published == 1


def test_a_text_of_a_paused_workspace_is_not_hinted(db: Conn, workspace: UUID, kept: Kept) -> None:
    plan(db, workspace)
    pauses.pause(db, workspace, "test")
    assert Relay(kept).turn(db).published == 0


def test_a_relay_leaves_the_rows_as_they_are(db: Conn, workspace: UUID, kept: Kept) -> None:
    decided(db, workspace)
    before = db.execute("SELECT xmin::text, * FROM jobs").fetchall()
    Relay(kept).turn(db)
    assert db.execute("SELECT xmin::text, * FROM jobs").fetchall() == before


def test_a_queue_that_nobody_empties_gets_no_more_hints(
        db: Conn, workspace: UUID, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "FULL", 1)
    plan(db, workspace)
    Relay(kept).turn(db)
    done = Relay(kept).turn(db)
    assert (done.published, done.full) == (0, ("deliveries",))


def test_a_broker_that_is_killed_is_told_about_and_used_again_when_it_is_back(
        db: Conn, workspace: UUID, tmp_path: Path) -> None:
    server = valkey.embedded(embedded.home(tmp_path))
    process = embedded.bring_up(server, tmp_path / "output")
    try:
        one = Relay(Publisher(celery(lambda: server.url, QUEUES)))
        plan(db, workspace)
        advance(db, 0)
        assert one.turn(db).published == 1
        process.kill()
        process.wait()
        advance(db, 10)
        assert one.turn(db).broker is not None
        process = embedded.bring_up(server, tmp_path / "output")
        done = one.turn(db)
        assert (done.published, done.broker) == (1, None)
    finally:
        end(process)
        embedded.delete(tmp_path)


def end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    process.wait(20)


def test_a_relay_whose_database_sessions_are_cut_connects_again(
        db: Conn, workspace: UUID, kept: Kept, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "SWEEP_SECONDS", 0.05)
    stop, sessions = threading.Event(), threading.Semaphore(0)

    def session() -> Conn:
        made = connect(database_url, "relay under test")
        sessions.release()
        return made

    thread = threading.Thread(target=relay.run, args=(Relay(kept), session, stop.is_set))
    thread.start()
    try:
        assert sessions.acquire(timeout=10)
        assert sessions.acquire(timeout=10)
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                   " WHERE application_name = 'sayso relay under test'")
        assert sessions.acquire(timeout=10)
        assert sessions.acquire(timeout=10)
        plan(db, workspace)
        assert kept.any.wait(10)
        assert kept.taken() == [("deliver_message", "deliveries")]
    finally:
        stop.set()
        thread.join(10)
