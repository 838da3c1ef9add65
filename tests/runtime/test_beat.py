"""One beat leads, and a standby takes over when the session of the leader is gone."""

from collections.abc import Iterator

import psycopg
import pytest

import jobs
from jobs.db import Conn
from runtime.beat import Beat
from runtime.broker import Publisher, celery
from runtime.config import QUEUES
from runtime.tasks import Tick
from runtime.ticks import make_months
from runtime.wiring import connect

TICKS = (Tick("often", 1, lambda db, now: None), Tick("rarely", 60, lambda db, now: None))


@pytest.fixture
def publisher(broker_url: str) -> Iterator[Publisher]:
    app = celery(lambda: broker_url, QUEUES)
    yield Publisher(app)
    with app.connection_for_write() as connection:
        connection.default_channel.client.flushdb()


def test_of_two_beats_one_leads_until_its_session_is_lost(db: Conn, database_url: str, publisher: Publisher) -> None:
    with connect(database_url, "first") as one, connect(database_url, "second") as two:
        first, second = Beat(one, publisher, TICKS), Beat(two, publisher, TICKS)
        assert first.turn(0).published == ("often", "rarely")
        assert not second.turn(0).leads
        assert (first.turn(1).published, second.turn(1).published) == (("often",), ())
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sayso first'")
        with pytest.raises(psycopg.OperationalError):
            first.turn(2)
        assert second.turn(2).published == ("often", "rarely")
    assert publisher.waiting("ticks") == 5


def test_ticks_that_nobody_takes_do_not_pile_up(
        db: Conn, publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.beat.FULL", 2)
    beat = Beat(db, publisher, TICKS)
    assert [len(beat.turn(second).published) for second in range(3)] == [2, 0, 0]


def test_a_missing_broker_is_told_about_and_the_tick_is_tried_again(db: Conn) -> None:
    beat = Beat(db, Publisher(celery(lambda: "redis://127.0.0.1:1/0", QUEUES)), TICKS)
    done = beat.turn(0)
    assert done.leads
    assert done.broker is not None
    assert done.published == ()


def test_the_tick_of_the_months_keeps_a_year_ahead(db: Conn) -> None:
    db.execute("DROP TABLE job_events_202711")
    with db.transaction():
        make_months(db, jobs.now(db))
    row = db.execute("SELECT count(*) AS months FROM pg_inherits WHERE inhparent = 'job_events'::regclass").fetchone()
    assert row is not None
    assert row["months"] == 16
