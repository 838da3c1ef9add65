"""Migrations: numbered SQL files, upward only, each applied once and never edited afterwards."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
from psycopg.errors import DeadlockDetected, LockNotAvailable

from jobs.db import Conn
from runtime.errors import MigrationRefusedError

FOLDER = Path(__file__).resolve().parent.parent / "migrations"
ONE_AT_A_TIME = 0x5A7507  # advisory lock; any number nobody else uses
LOCK_SECONDS = 1.0  # whoever comes after a file that waits for a lock waits with it: so long, and no longer
PAUSE_SECONDS = 1.0  # between two tries, for those who waited
TRIES = 30


@dataclass(frozen=True)
class Migration:
    number: int
    path: Path
    sql: bytes

    @property
    def hash(self) -> str:
        return sha256(self.sql).hexdigest()


def migrate(db: Conn, folder: Path = FOLDER, say: Callable[[str], None] = lambda line: None) -> list[int]:
    """Bring the database up to the last file of `folder`; the numbers applied now, an empty list when there were none.

    `db` must be in autocommit: each file is a transaction of its own, so a file that fails leaves those before it.
    Several callers at once are safe: they wait for each other on an advisory lock. The first file makes the table
    in which this is recorded.

    Others may work meanwhile. A file that does not get a lock within a second gives up all it has, and is tried again
    up to thirty times, which `say` is told: so nobody waits behind it for longer than that and what it does itself.

    Raises MigrationRefusedError: before anything is applied when an applied file was edited or removed, or when the
    database knows numbers that the files do not; later when a file fails, or does not get its locks.
    """
    files = read(folder)
    with _alone(db):
        applied = _applied(db)
        _refuse_what_does_not_fit(files, applied, folder)
        new = [file for file in files if file.number not in applied]
        for file in new:
            _apply(db, file, say)
    return [file.number for file in new]


def behind(db: Conn, folder: Path = FOLDER) -> list[str]:
    """The names of the files that the database does not have yet."""
    applied = _applied(db)
    return [file.path.name for file in read(folder) if file.number not in applied]


def ahead(db: Conn, folder: Path = FOLDER) -> list[str]:
    """The names of what was applied to the database and is not among the files."""
    known = {file.number for file in read(folder)}
    return [row["name"] for number, row in sorted(_applied(db).items()) if number not in known]


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


def _apply(db: Conn, file: Migration, say: Callable[[str], None]) -> None:
    for left in reversed(range(TRIES)):
        try:
            _try(db, file)
            return
        except (LockNotAvailable, DeadlockDetected) as error:
            if not left:
                raise MigrationRefusedError(
                    f"{file.path} does not get its locks: {error}{_oldest(db)}",
                    "Nothing of this file was kept. End what holds them, with SELECT pg_terminate_backend(PID), "
                    "and start again.") from error
            say(f"{file.path.name} waits for a lock{_oldest(db)}; it is tried {left} more times")
            time.sleep(PAUSE_SECONDS)
        except psycopg.Error as error:
            raise MigrationRefusedError(f"{file.path} failed: {error}",
                                        "Nothing of this file was kept. Correct it and start again.") from error


def _try(db: Conn, file: Migration) -> None:
    with db.transaction():
        db.execute("SELECT set_config('lock_timeout', %s, true)", (f"{LOCK_SECONDS}s",))
        db.execute(file.sql)
        db.execute("INSERT INTO runtime_migrations (number, name, sha256) VALUES (%s, %s, %s)",
                   (file.number, file.path.name, file.hash))


def _oldest(db: Conn) -> str:
    """Who most likely holds them: the session whose transaction is open longest."""
    row = db.execute(
        "SELECT pid, application_name AS name, extract(epoch FROM clock_timestamp() - xact_start)::int AS seconds"
        "  FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        "   AND xact_start IS NOT NULL ORDER BY xact_start LIMIT 1").fetchone()
    return "" if row is None else \
        f"; process {row['pid']} ({row['name'] or 'without a name'}) has had a transaction open for {row['seconds']} s"


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
