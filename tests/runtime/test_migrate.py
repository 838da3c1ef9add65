"""Migrations go up, once and in order, and add up to schema.sql."""

import os
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from jobs.db import Conn
from runtime.config import ROOT
from runtime.embedded import Home
from runtime.errors import MigrationRefusedError
from runtime.migrate import migrate
from runtime.postgres import binaries

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
