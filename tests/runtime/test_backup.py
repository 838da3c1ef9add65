"""A restored system does nothing by itself: what may have left is not sent again, what was decided is asked again."""

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode
from uuid import UUID

import psycopg
import pytest
from click.testing import CliRunner
from psycopg.conninfo import conninfo_to_dict

import jobs
from channels import due, pauses
from channels.contract import Accepted, Outgoing, Submitted, Unknown
from channels.delivery import deliver
from jobs.db import Conn
from runtime import embedded, postgres
from runtime.backup import BackupError, InUseError, back_up, database, make_safe, restore
from runtime.commands.outgoing import backup as backup_command
from runtime.commands.outgoing import restore as restore_command
from runtime.folder import claim
from runtime.wiring import Wiring, connect, wire
from tests.conftest import a_database
from tests.runtime.an_end import decided


class Silent:
    name = "terminal"

    def submit(self, text: Outgoing) -> Submitted:
        raise AssertionError("sent again")

    def look_up(self, text: Outgoing) -> Unknown:
        return Unknown("cannot say")


def plan(db: Conn, workspace_id: UUID, key: str, due_in: timedelta = timedelta(0)) -> UUID:
    row = db.execute(
        "INSERT INTO channel_messages"
        " (workspace_id, idempotency_key, purpose, chat_guid, channel, address, body, due_at)"
        " VALUES (%s, %s, 'effect', 'pm', 'terminal', %s, %s, app_now() + %s) RETURNING id",
        (workspace_id, key, key, key, due_in)).fetchone()
    assert row is not None
    made: UUID = row["id"]
    return made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a b.dump"


@pytest.fixture
def again(database_url: str) -> Iterator[Conn]:
    """A connection that was not there when the database was emptied."""
    with connect(database_url, "test") as db:
        yield db


def test_a_restore_puts_back_every_row_and_guard_of_the_backup(
        db: Conn, workspace: UUID, database_url: str, file: Path) -> None:
    job = decided(db, workspace, hold_seconds=60)
    back_up(database_url, file)
    assert file.stat().st_mode & 0o777 == 0o600
    db.execute("UPDATE directory_workspaces SET name = 'Changed'")
    db.execute("CREATE TABLE stray (x int)")
    restore(database_url, file)
    assert db.execute("SELECT name FROM directory_workspaces").fetchall() == [{"name": "Test"}]
    assert db.execute("SELECT to_regclass('stray') AS stray").fetchall() == [{"stray": None}]
    with pytest.raises(jobs.Refused), jobs.refusals():
        db.execute("DELETE FROM jobs")
    assert jobs.get(db, job.id).decision_no == 1


def test_a_text_that_may_have_left_since_is_looked_up_and_not_sent_again(
        db: Conn, workspace: UUID, database_url: str, file: Path) -> None:
    due_then, tomorrow = plan(db, workspace, "due"), plan(db, workspace, "tomorrow", timedelta(days=1))
    back_up(database_url, file)
    done = restore(database_url, file)
    assert (done.texts_unknown, done.texts_planned) == (1, 1)
    pauses.resume(db, None)
    now = jobs.now(db)
    assert [hint.message_id for hint in due.look(db, now).deliveries] == [due_then]
    assert deliver(db, due_then, [Silent()]) == Unknown("cannot say")
    assert due.health(db, now)["unknown_sends"] == 1
    db.execute("SELECT set_config('sayso.now', %s, false)", ((now + timedelta(days=1)).isoformat(),))
    with connect(database_url, "test") as later:
        later.execute("SELECT set_config('sayso.now', %s, false)", ((now + timedelta(days=2)).isoformat(),))
        assert tomorrow in {hint.message_id for hint in due.look(later, jobs.now(later)).deliveries}


def test_everything_is_paused_after_a_restore(db: Conn, workspace: UUID, database_url: str, file: Path) -> None:
    back_up(database_url, file)
    restore(database_url, file)
    assert [(p.workspace_id, p.reason) for p in pauses.paused(db)] == [(None, "restored from a backup")]


def test_a_decision_that_was_not_carried_out_is_asked_about_again(
        db: Conn, workspace: UUID, database_url: str, file: Path) -> None:
    job = decided(db, workspace)
    back_up(database_url, file)
    assert restore(database_url, file).decisions_taken_back == 1
    assert jobs.get(db, job.id).status == "pending"
    assert make_safe(db).decisions_taken_back == 0, "once is enough"


def test_nothing_is_restored_under_a_running_process(db: Conn, workspace: UUID, database_url: str, file: Path) -> None:
    back_up(database_url, file)
    with connect(database_url, "relay"), pytest.raises(InUseError) as refused:
        restore(database_url, file)
    assert "sayso relay" in str(refused.value)
    assert "sayso down" in refused.value.next_step


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PGDMP and then nothing"])
def test_a_file_that_is_no_backup_changes_nothing(
        db: Conn, workspace: UUID, database_url: str, file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(BackupError):
        restore(database_url, file)
    assert db.execute("SELECT name FROM directory_workspaces").fetchall() == [{"name": "Test"}]


def test_a_backup_overwrites_no_file_unasked(
        db: Conn, database_url: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", f"postgresql://?{urlencode(conninfo_to_dict(database_url))}")
    file.write_text("precious")
    ran = CliRunner().invoke(backup_command, [str(file)])
    assert (ran.exit_code != 0, file.read_text()) == (True, "precious")
    assert CliRunner().invoke(backup_command, [str(file), "--yes"]).exit_code == 0
    assert file.read_bytes().startswith(b"PGDMP")


def test_the_embedded_server_is_started_when_nothing_runs(tmp_path: Path) -> None:
    here = Wiring(tmp_path / "data", wire(tmp_path).workers, "command", None, None)
    claim(here.data)
    try:
        postgres.embedded(embedded.home(here.data)).prepare()
        with database(here) as url, connect(url, "test") as db:
            assert db.execute("SELECT 1 AS one").fetchall() == [{"one": 1}]
    finally:
        embedded.delete(here.data)


def test_where_there_is_no_database_none_is_made(tmp_path: Path) -> None:
    for data in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(BackupError, match=str(data)) as refused, \
                database(Wiring(data, wire(tmp_path).workers, "command", None, None)):
            pass
        assert "--data" in refused.value.next_step
        assert "DATABASE_URL" in refused.value.next_step
    assert list(tmp_path.iterdir()) == []


def test_a_database_of_others_is_neither_backed_up_nor_replaced(
        db: Conn, workspace: UUID, database_url: str, server_url: str, file: Path) -> None:
    back_up(database_url, file)
    with a_database(server_url, f"sayso_stranger_{os.getpid()}") as stranger, \
            psycopg.connect(stranger, autocommit=True) as theirs:
        theirs.execute("CREATE TABLE precious (x int)")
        with pytest.raises(BackupError, match="none of Sayso"):
            back_up(stranger, file.with_name("other"))
        with pytest.raises(BackupError, match="none of Sayso"):
            restore(stranger, file)
        theirs.execute("SELECT x FROM precious")


def test_a_backup_goes_into_an_ordinary_file_or_nowhere(db: Conn, database_url: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for file in (tmp_path / "fifo", Path("/dev/null"), tmp_path, tmp_path / "nowhere" / "file"):
        with pytest.raises(BackupError, match=str(file)):
            back_up(database_url, file)
    assert [path.name for path in tmp_path.iterdir()] == ["fifo"]


def test_a_restore_asks_with_the_place_of_what_it_replaces(
        db: Conn, database_url: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", f"postgresql://?{urlencode(conninfo_to_dict(database_url))}")
    back_up(database_url, file)
    asked = CliRunner().invoke(restore_command, [str(file)], input="n\n")
    words = conninfo_to_dict(database_url)
    assert f"{words['host']}:{words['port']}/{words['dbname']}" in asked.output


def test_an_accepted_text_stays_accepted(db: Conn, workspace: UUID, database_url: str, file: Path) -> None:
    text = plan(db, workspace, "done")

    class Taken(Silent):
        def submit(self, text: Outgoing) -> Submitted:
            return Accepted("there")

    deliver(db, text, [Taken()])
    back_up(database_url, file)
    restore(database_url, file)
    assert db.execute("SELECT status FROM channel_messages").fetchall() == [{"status": "accepted"}]
