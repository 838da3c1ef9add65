"""Migrations: numbered SQL files, upward only, each applied once and never edited afterwards."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg

from jobs.db import Conn
from runtime.errors import MigrationRefusedError

FOLDER = Path(__file__).resolve().parent.parent / "migrations"
ONE_AT_A_TIME = 0x5A7507  # advisory lock; any number nobody else uses


@dataclass(frozen=True)
class Migration:
    number: int
    path: Path
    sql: bytes

    @property
    def hash(self) -> str:
        return sha256(self.sql).hexdigest()


def migrate(db: Conn, folder: Path = FOLDER) -> list[int]:
    """Bring the database up to the last file of `folder`; the numbers applied now, an empty list when there were none.

    `db` must be in autocommit: each file is a transaction of its own, so a file that fails leaves those before it.
    Several callers at once are safe: they wait for each other on an advisory lock. The first file makes the table
    in which this is recorded. Raises MigrationRefusedError, before anything is applied, when an applied file was
    edited or removed, or when the database knows numbers that the files do not.
    """
    files = read(folder)
    with _alone(db):
        applied = _applied(db)
        _refuse_what_does_not_fit(files, applied, folder)
        new = [file for file in files if file.number not in applied]
        for file in new:
            _apply(db, file)
    return [file.number for file in new]


def read(folder: Path) -> list[Migration]:
    """The files in order. Raises MigrationRefusedError when the numbers are not 1, 2, 3 and so on, each once."""
    files = []
    for path in sorted(folder.glob("*.sql")):
        match = re.fullmatch(r"(\d{4})_[a-z0-9_]+\.sql", path.name)
        if not match:
            raise MigrationRefusedError(f"{path} is not named NNNN_name.sql", "Rename it.")
        files.append(Migration(int(match[1]), path, path.read_bytes()))
        if files[-1].number != len(files):
            raise MigrationRefusedError(f"{path} should have number {len(files):04}", "Number the files without a gap.")
    return files


def _refuse_what_does_not_fit(files: list[Migration], applied: dict[int, dict[str, Any]], folder: Path) -> None:
    known = {file.number: file for file in files}
    for number, row in sorted(applied.items()):
        if number not in known:
            raise MigrationRefusedError(
                f"the database has migration {row['name']}, which {folder} does not have",
                "Run the version of Sayso that made this database, or a newer one.")
        if known[number].hash != row["sha256"]:
            raise MigrationRefusedError(
                f"{known[number].path} was changed after it was applied on {row['applied_at']:%Y-%m-%d}",
                "Put the file back as it was, and write the change as a new migration.")


def _apply(db: Conn, file: Migration) -> None:
    with db.transaction():
        try:
            db.execute(file.sql)
        except psycopg.Error as error:
            raise MigrationRefusedError(f"{file.path} failed: {error}",
                                        "Nothing of this file was kept. Correct it and start again.") from error
        db.execute("INSERT INTO runtime_migrations (number, name, sha256) VALUES (%s, %s, %s)",
                   (file.number, file.path.name, file.hash))


def _applied(db: Conn) -> dict[int, dict[str, Any]]:
    there = db.execute("SELECT to_regclass('runtime_migrations') IS NOT NULL AS there").fetchone()
    if not there or not there["there"]:
        return {}
    return {row["number"]: row for row in db.execute("SELECT * FROM runtime_migrations").fetchall()}


@contextmanager
def _alone(db: Conn) -> Iterator[None]:
    db.execute("SELECT pg_advisory_lock(%s)", (ONE_AT_A_TIME,))
    try:
        yield
    finally:
        db.execute("SELECT pg_advisory_unlock(%s)", (ONE_AT_A_TIME,))
