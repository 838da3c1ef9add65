"""Heartbeats, and what status reads from them."""

import os
import re

import pytest
from psycopg.conninfo import conninfo_to_dict

from jobs.db import Conn
from runtime import config, health, processes, wiring
from runtime.config import load
from runtime.errors import UnreachableError
from runtime.processes import Heartbeat
from runtime.wiring import Wiring


@pytest.fixture
def wired(database_url: str) -> Wiring:
    return Wiring(data=wiring.data_folder(), workers=load(), process="relay", given_database_url=database_url,
                  given_broker_url=None)


def test_each_beat_moves_the_row_of_its_process_and_not_the_time_it_started(db: Conn, wired: Wiring) -> None:
    heartbeat = Heartbeat("relay", wired.connect)
    heartbeat.turn()
    first = processes.of_this_host(db)["relay"]
    heartbeat.turn()
    second = processes.of_this_host(db)["relay"]
    assert (first.pid, second.pid) == (os.getpid(), os.getpid())
    assert second.started_at == first.started_at
    assert second.beat_at > first.beat_at


def test_a_heart_beats_again_after_its_connection_was_lost(db: Conn, wired: Wiring) -> None:
    heartbeat = Heartbeat("relay", wired.connect)
    heartbeat.turn()
    first = processes.of_this_host(db)["relay"]
    db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sayso relay'")
    assert heartbeat.turn() < processes.SECONDS
    assert heartbeat.turn() == processes.SECONDS
    assert processes.of_this_host(db)["relay"].beat_at > first.beat_at


def test_a_process_that_says_nothing_for_twenty_seconds_is_stuck_with_a_remedy(db: Conn, wired: Wiring) -> None:
    Heartbeat("relay", wired.connect).turn()
    assert {check["check"] for check in health.look(db) if check["stuck"]} == set()
    db.execute("UPDATE runtime_processes SET beat_at = beat_at - interval '21 s'")
    stuck = [check for check in health.look(db) if check["stuck"]]
    assert [(check["check"], check["number"]) for check in stuck] == [("late_processes", 1)]
    assert "logs" in stuck[0]["remedy"]


def test_a_pool_replaces_a_connection_that_the_server_closed(db: Conn, wired: Wiring) -> None:
    with wired.pool(1) as pool:
        with pool.connection() as lent:
            assert lent.execute("SELECT 1 AS one").fetchone() == {"one": 1}
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sayso relay'")
        with pool.connection() as lent:
            assert lent.execute("SELECT 1 AS one").fetchone() == {"one": 1}


def test_a_database_that_does_not_answer_is_a_refusal_without_the_password(database_url: str) -> None:
    words = conninfo_to_dict(database_url)
    with pytest.raises(UnreachableError) as refusal:
        wiring.connect(f"postgresql://{words['user']}:secret@127.0.0.1:1/x", "relay")
    assert "secret" not in str(refusal.value)
    assert "127.0.0.1:1/x does not answer" in str(refusal.value)
    assert "Connection refused" in str(refusal.value)


def test_the_page_for_two_in_the_morning_names_every_check_and_no_other() -> None:
    page = (config.ROOT / "docs" / "operations.md").read_text()
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == [check.name for check in health.CHECKS]
