"""`make shown-table`: every attack on the table, in plain SQL against a fresh database, with its refusal."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from jobs.db import Conn
from tests.jobs.attacks import ATTACKS, MOVES, STAGES, Attack, Move

SCHEMA = Path(__file__).resolve().parent.parent.parent / "schema.sql"


def reach(db: Conn, stage: str) -> None:
    """Bring a database that has nothing but its tables to a stage."""
    before, sql = STAGES[stage]
    if before:
        reach(db, before)
    db.execute(sql.encode())


def attack(db: Conn, it: Attack) -> str | None:
    """Try it, and roll back. Returns the refusal, as SQLSTATE and message; None: it got through."""
    with db.transaction(force_rollback=True):
        reach(db, it.after)
        try:
            with db.transaction():
                db.execute(it.sql.encode())
        except psycopg.Error as error:
            return f"{error.sqlstate} {error.diag.message_primary}"
        return None


def move(db: Conn, it: Move) -> bool:
    """Make a legal move, in a transaction that is rolled back. Returns whether it did what it should."""
    with db.transaction(force_rollback=True):
        reach(db, it.after)
        db.execute(it.sql.encode())
        row = db.execute(it.holds.encode()).fetchone()
        return row is not None and all(row.values())


def as_expected(it: Attack, refusal: str | None) -> bool:
    return refusal is not None and (refusal.startswith(it.refusal) or f'"{it.refusal}"' in refusal)


def run(db: Conn) -> int:
    """Print every attack and every move; returns how many went wrong."""
    wrong = 0
    for it in ATTACKS:
        refusal = attack(db, it)
        good = as_expected(it, refusal)
        wrong += not good
        click = "refused" if good else "GOT THROUGH" if refusal is None else f"REFUSED OTHERWISE (not {it.refusal})"
        print(f"{it.name:<52} {click}: {refusal or it.sql}")
    for legal in MOVES:
        works = move(db, legal)
        wrong += not works
        print(f"{legal.name:<52} {'works' if works else 'DOES NOT WORK'}")
    print(f"\n{len(ATTACKS)} attacks, {len(MOVES)} legal moves, {wrong} went wrong")
    return wrong


@contextmanager
def fresh_database() -> Iterator[Conn]:
    """A database made by schema.sql, dropped afterwards: on the server of DATABASE_URL, else of a Sayso of its own."""
    with server() as url, psycopg.connect(url, autocommit=True) as admin:
        name = f"sayso_shown_table_{os.getpid()}"
        admin.execute(f'CREATE DATABASE "{name}" TEMPLATE template0'.encode())
        try:
            with psycopg.connect(make_conninfo(url, dbname=name), autocommit=True, row_factory=dict_row) as db:
                db.execute(SCHEMA.read_bytes())
                yield db
        finally:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


@contextmanager
def server() -> Iterator[str]:
    if url := os.environ.get("DATABASE_URL"):
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="sayso shown table ") as data:
        try:
            yield json.loads(sayso("up", "--detach", "--json", "--data", data))["database_url"]
        finally:
            sayso("reset", "--yes", "--data", data)


def sayso(*words: str) -> str:
    command = [sys.executable, "-m", "runtime.command", *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    with fresh_database() as database:
        sys.exit(1 if run(database) else 0)
