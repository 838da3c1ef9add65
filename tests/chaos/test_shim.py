"""The shim in an embedded server: its clock moves there and back, its disk fills and empties, and it lives on."""

import signal
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from runtime import postgres
from tests.chaos.shim import Shim
from tests.conftest import FAST, a_server


@pytest.fixture(scope="module")
def shim() -> Iterator[Shim]:
    with tempfile.TemporaryDirectory(prefix="sayso-shim-") as folder:
        Path(folder).chmod(0o755)  # the account of the server reads it
        made = Shim(Path(folder))
        made.build()
        yield made


@pytest.fixture(scope="module")
def url(shim: Shim) -> Iterator[str]:
    patch = pytest.MonkeyPatch()
    for name, value in shim.environment.items():
        patch.setenv(name, value)
    with a_server(lambda home: postgres.embedded(home, FAST), signal.SIGINT) as made:
        patch.undo()
        yield made


@pytest.fixture
def db(url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def difference(db: psycopg.Connection) -> timedelta:
    """What the server's clock is ahead of the machine's, to the second."""
    row = db.execute("SELECT clock_timestamp() - %s::timestamptz", (datetime.now(UTC),)).fetchone()
    assert row
    return timedelta(seconds=round(row[0].total_seconds()))


def test_the_servers_clock_moves_forward_and_back_in_sessions_that_are_open(shim: Shim, db: psycopg.Connection) -> None:
    for seconds, ahead in ((3600, 3600), (-3660, -60), (60, 0)):
        shim.move(seconds)
        assert difference(db) == timedelta(seconds=ahead)
        db.execute("CHECKPOINT")


def test_while_the_disk_is_full_nothing_can_grow_and_afterwards_all_goes_on(shim: Shim, db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE grows (what text)")
    shim.fill_disk(True)
    with pytest.raises(psycopg.errors.DiskFull):
        db.execute("INSERT INTO grows SELECT repeat('x', 1000) FROM generate_series(1, 1000)")
    assert db.execute("SELECT count(*) FROM grows").fetchone() == (0,)
    shim.fill_disk(False)
    db.execute("INSERT INTO grows SELECT repeat('x', 1000) FROM generate_series(1, 1000)")
    assert db.execute("SELECT count(*) FROM grows").fetchone() == (1000,)
