"""What every test may ask for: a database of its own, and a broker."""

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from jobs.db import Conn
from runtime import embedded, postgres, valkey
from runtime.migrate import migrate

FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")  # a test's database need not survive anything


@contextmanager
def a_server(make: Any, stop: signal.Signals) -> Iterator[str]:
    """The address of an embedded server in a home of its own, which is deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="sayso test ") as folder:
        data = Path(folder)
        try:
            server = make(embedded.home(data))
            process = embedded.bring_up(server, data / "output")
            try:
                yield server.url
            finally:
                process.send_signal(stop)
                process.wait(20)
        finally:
            embedded.delete(data)


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """A PostgreSQL: that of DATABASE_URL, else an embedded one for this session (for each worker of pytest-xdist)."""
    if url := os.environ.get("DATABASE_URL"):
        yield url
        return
    with a_server(lambda home: postgres.embedded(home, FAST), signal.SIGINT) as url:
        yield url


@pytest.fixture(scope="session")
def broker_url() -> Iterator[str]:
    """An embedded Valkey for this session. What a test writes into it, it removes."""
    with a_server(valkey.embedded, signal.SIGTERM) as url:
        yield url


@contextmanager
def a_database(server_url: str, name: str, template: str = "template0") -> Iterator[str]:
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
        yield make_conninfo(server_url, dbname=name)
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


@pytest.fixture(scope="session")
def template(server_url: str) -> Iterator[str]:
    """The name of a database that was migrated once; each test gets a copy."""
    name = f"sayso_template_{os.getpid()}"
    with a_database(server_url, name) as url:
        with psycopg.connect(url, autocommit=True, row_factory=dict_row) as db:
            migrate(db)
        yield name


numbers = count(1)


@pytest.fixture
def database_url(server_url: str, template: str) -> Iterator[str]:
    """A migrated database of this test alone."""
    with a_database(server_url, f"sayso_test_{os.getpid()}_{next(numbers)}", template) as url:
        yield url


@pytest.fixture
def db(database_url: str) -> Iterator[Conn]:
    """A connection to it, in autocommit, with rows as dictionaries."""
    with psycopg.connect(database_url, autocommit=True, row_factory=dict_row) as connection:
        yield connection


@pytest.fixture
def workspace(db: Conn) -> UUID:
    """The id of a workspace that has the chat 'pm'."""
    row = db.execute("INSERT INTO directory_workspaces (name) VALUES ('Test') RETURNING id").fetchone()
    assert row is not None
    db.execute("INSERT INTO chats (workspace_id, chat_guid) VALUES (%s, 'pm')", (row["id"],))
    workspace_id: UUID = row["id"]
    return workspace_id
