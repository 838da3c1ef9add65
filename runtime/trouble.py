"""Trouble: what keeps the whole from getting on, in words that say what to do. What can be counted is in health."""

import shutil
from pathlib import Path

from psycopg.errors import DiskFull

from jobs.db import Conn
from runtime import migrate

LEAST_FREE_MB = 100  # a database of any size writes its log in pieces of 16
THEN = "then all goes on by itself"


def of_database(db: Conn) -> list[str]:
    """Whether it can be written to, and is of our version. `db` is in autocommit; nothing is left behind in it."""
    return [*_cannot_write(db), *_other_version(db)]


def of_disks(data: Path) -> list[str]:
    """Whether there is room where the logs are, and where the embedded servers have their files."""
    free = {path: shutil.disk_usage(path).free // 1_000_000
            for path in (data, (data / "postgres").resolve()) if path.exists()}
    return [f"the disk of {path} has only {room} MB left: make room, {THEN}"
            for path, room in free.items() if room < LEAST_FREE_MB]


def _cannot_write(db: Conn) -> list[str]:
    row = db.execute("SELECT current_setting('transaction_read_only') = 'on' AS read_only,"
                     " pg_is_in_recovery() AS standby").fetchone()
    assert row is not None
    if row["standby"]:
        return [f"the database is read-only, a standby: promote it, {THEN}; or let DATABASE_URL name the primary"]
    if row["read_only"]:
        return [f"the database is read-only: set default_transaction_read_only to off, {THEN}"]
    try:
        db.execute("SELECT pg_export_snapshot()")  # writes a small file, which is gone with this statement
    except DiskFull as error:
        return [f"the database has no room to write ({error.diag.message_primary}): make room on its disk, {THEN}"]
    return []


def _other_version(db: Conn) -> list[str]:
    if behind := migrate.behind(db):
        return [f"the database lacks {', '.join(behind)} of this version of Sayso: sayso up adds what is missing"]
    if ahead := migrate.ahead(db):
        return [f"the database has {', '.join(ahead)} of a newer Sayso: what runs goes on; install that version here"]
    return []
