"""Migrations go up, once and in order, and add up to schema.sql."""

import os
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from jobs.db import Conn
from runtime import finishing
from runtime.config import ROOT
from runtime.embedded import Home
from runtime.errors import MigrationRefusedError
from runtime.migrate import ahead, behind, migrate
from runtime.postgres import binaries
from tests.runtime.an_end import Kept, decided

EMPTY = f"sayso_empty_{os.getpid()}"
FIRST = ("CREATE TABLE runtime_migrations (number int PRIMARY KEY, name text, sha256 text, "
         "applied_at timestamptz DEFAULT now());")


@pytest.fixture
def empty(server_url: str) -> Iterator[Conn]:
    """A database with nothing in it."""
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{EMPTY}" TEMPLATE template0'.encode())
        with psycopg.connect(server_url, dbname=EMPTY, autocommit=True, row_factory=dict_row) as db:
            yield db
        admin.execute(f'DROP DATABASE "{EMPTY}" WITH (FORCE)'.encode())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "0001_first.sql").write_text(FIRST)
    (tmp_path / "0002_second.sql").write_text("CREATE TABLE second (n int); INSERT INTO second VALUES (2);")
    return tmp_path


def test_schema_sql_is_what_the_migrations_add_up_to(empty: Conn, database_url: str) -> None:
    empty.execute((ROOT / "schema.sql").read_bytes())
    written = make_conninfo(database_url, dbname=EMPTY)
    assert dump(written) == dump(database_url)


def dump(url: str) -> list[str]:
    """The schema of a database, as pg_dump tells it, in an order that does not depend on how it came about."""
    command = [str(binaries(Home(Path("/"), None)) / "pg_dump"), "--schema-only", "--no-owner", url]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    statements = re.split(r"\n\n+", re.sub(r"^\\(un)?restrict .*$|^--.*$", "", text, flags=re.MULTILINE))
    return sorted(statement.strip() for statement in statements)


def test_each_file_is_applied_once_and_recorded(empty: Conn, folder: Path) -> None:
    assert migrate(empty, folder) == [1, 2]
    assert migrate(empty, folder) == []
    rows = empty.execute("SELECT * FROM runtime_migrations ORDER BY number").fetchall()
    assert [(row["number"], row["name"]) for row in rows] == [(1, "0001_first.sql"), (2, "0002_second.sql")]


def test_two_that_migrate_at_once_apply_each_file_once(empty: Conn, folder: Path, server_url: str) -> None:
    def one(_: int) -> list[int]:
        with psycopg.connect(server_url, dbname=EMPTY, autocommit=True, row_factory=dict_row) as db:
            return migrate(db, folder)

    with ThreadPoolExecutor(2) as two:
        assert sorted(two.map(one, range(2))) == [[], [1, 2]]


def test_a_file_that_fails_leaves_nothing_of_itself_and_all_of_those_before(empty: Conn, folder: Path) -> None:
    (folder / "0003_third.sql").write_text("CREATE TABLE third (n int); SELECT 1 / 0;")
    with pytest.raises(MigrationRefusedError, match=r"0003_third\.sql failed: division by zero"):
        migrate(empty, folder)
    assert empty.execute("SELECT to_regclass('second') AS second, to_regclass('third') AS third").fetchone() == {
        "second": "second", "third": None}
    (folder / "0003_third.sql").write_text("CREATE TABLE third (n int);")
    assert migrate(empty, folder) == [3]


def test_a_file_that_was_changed_after_it_was_applied_is_refused_by_name(empty: Conn, folder: Path) -> None:
    migrate(empty, folder)
    (folder / "0002_second.sql").write_text("CREATE TABLE other (n int);")
    with pytest.raises(MigrationRefusedError, match=r"0002_second\.sql was changed") as refusal:
        migrate(empty, folder)
    assert "new migration" in refusal.value.next_step


def test_a_database_that_is_ahead_of_the_files_is_refused(empty: Conn, folder: Path) -> None:
    migrate(empty, folder)
    (folder / "0002_second.sql").unlink()
    with pytest.raises(MigrationRefusedError, match=r"migration 0002_second\.sql"):
        migrate(empty, folder)


@pytest.mark.parametrize(("name", "said"), [
    ("0003_gap.sql", "0003_gap.sql should have number 0002"),
    ("0001_again.sql", "0001_first.sql should have number 0002"),
    ("third.sql", "third.sql is not named NNNN_name.sql"),
])
def test_a_number_that_is_missing_or_twice_is_refused_before_anything_is_applied(
        empty: Conn, folder: Path, name: str, said: str) -> None:
    (folder / "0002_second.sql").unlink()
    (folder / name).write_text("CREATE TABLE third (n int);")
    with pytest.raises(MigrationRefusedError, match=re.escape(said)):
        migrate(empty, folder)
    assert empty.execute("SELECT to_regclass('runtime_migrations') AS made").fetchone() == {"made": None}


@pytest.fixture
def third(empty: Conn, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that needs a lock on a table that is there already. Tries follow quickly."""
    migrate(empty, folder)
    (folder / "0003_third.sql").write_text("ALTER TABLE second ADD COLUMN news text;")
    monkeypatch.setattr("runtime.migrate.LOCK_SECONDS", 0.2)
    monkeypatch.setattr("runtime.migrate.PAUSE_SECONDS", 0.01)
    return folder


def test_while_a_migration_waits_for_a_long_transaction_others_write_and_it_is_applied_after_that(
        empty: Conn, third: Path, server_url: str) -> None:
    said: list[str] = []
    with (psycopg.connect(server_url, dbname=EMPTY, application_name="a report") as long,
          psycopg.connect(server_url, dbname=EMPTY, autocommit=True) as writer, ThreadPoolExecutor(1) as thread):
        long.execute("SELECT FROM second")
        writer.execute("SET statement_timeout = '10s'")
        applied = thread.submit(migrate, empty, third, said.append)
        written = 0
        while len(said) < 3:
            assert not applied.done()
            writer.execute("INSERT INTO second VALUES (3)")
            written += 1
        long.rollback()
        assert applied.result(30) == [3]
        assert written
    assert re.fullmatch(r"0003_third\.sql waits for a lock; process \d+ \(a report\) has had a transaction open for "
                        r"\d+ s; it is tried 29 more times", said[0])


def test_a_migration_that_never_gets_its_lock_is_refused_with_who_holds_it_and_leaves_nothing(
        empty: Conn, third: Path, server_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.migrate.TRIES", 2)
    with psycopg.connect(server_url, dbname=EMPTY, application_name="a report") as long:
        long.execute("SELECT FROM second")
        with pytest.raises(MigrationRefusedError, match=r"does not get its locks: .*\(a report\)") as refusal:
            migrate(empty, third)
    assert "pg_terminate_backend" in refusal.value.next_step
    assert behind(empty, third) == ["0003_third.sql"]
    assert migrate(empty, third) == [3]


def test_what_the_database_lacks_or_has_beyond_the_files_is_named(empty: Conn, folder: Path) -> None:
    assert behind(empty, folder) == ["0001_first.sql", "0002_second.sql"]
    migrate(empty, folder)
    (folder / "0002_second.sql").unlink()
    assert (behind(empty, folder), ahead(empty, folder)) == ([], ["0002_second.sql"])


def test_a_session_that_prepared_its_statements_before_a_migration_works_on_after_it(
        db: Conn, database_url: str, workspace: UUID) -> None:
    owner = Kept().owner

    def live(key: str) -> finishing.Home:
        job = finishing.again(lambda: decided(db, workspace, key))
        return finishing.finish_job(db, owner, job.id)

    assert {live(f"before {number}") for number in range(7)} == {finishing.Home.TAKEN}
    with psycopg.connect(database_url, autocommit=True, row_factory=dict_row) as other:
        widen(other)
    assert {live(f"after {number}") for number in range(7)} == {finishing.Home.TAKEN}
    row = db.execute("SELECT count(*) FILTER (WHERE turn_failures > 0) AS failed, max(finish_attempts) AS attempts"
                     " FROM chats, jobs").fetchone()
    assert row == {"failed": 0, "attempts": 1}


def widen(db: Conn) -> None:
    """Give every table one column more, as migrations do."""
    for row in db.execute("SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace"
                               " AND relkind IN ('r', 'p') AND NOT relispartition").fetchall():
        db.execute(f"ALTER TABLE {row['name']} ADD COLUMN news text NOT NULL DEFAULT 'new'".encode())
