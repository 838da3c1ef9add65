"""The servers a benchmark runs on: embedded, in a folder of their own, with the settings that we ship."""

import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

import jobs
from jobs.db import Conn
from runtime import embedded, postgres
from runtime.migrate import migrate

CHATS = 10


@contextmanager
def server() -> Iterator[str]:
    """The address of a new PostgreSQL. fsync is on."""
    with tempfile.TemporaryDirectory(prefix="sayso bench ") as folder:
        data = Path(folder)
        made = postgres.embedded(embedded.home(data))
        process = embedded.bring_up(made, data / "output")
        try:
            yield made.url
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
            embedded.delete(data)


def database(url: str, name: str) -> str:
    """The address of a new database there."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name}".encode())
    return make_conninfo(url, dbname=name)


def connect(url: str) -> Conn:
    return psycopg.connect(url, autocommit=True, row_factory=dict_row)


def prepare(db: Conn) -> UUID:
    """Our tables, one workspace, and its chats; the workspace's id."""
    migrate(db)
    jobs.register_kinds(db, [("memory", "question")])
    row = db.execute("INSERT INTO directory_workspaces (name) VALUES ('bench') RETURNING id").fetchone()
    assert row is not None
    for number in range(CHATS):
        jobs.make_chat(db, row["id"], chat(number))
    workspace_id: UUID = row["id"]
    return workspace_id


def chat(number: int) -> str:
    return f"chat-{number % CHATS}"
