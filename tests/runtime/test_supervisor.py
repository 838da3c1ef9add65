"""The supervisor with real servers and real processes, which are killed."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from runtime import running
from runtime.commands.system import delete, stop
from runtime.config import ROOT
from runtime.running import Run
from tests.shown.start import as_an_ordinary_user

DESK = [sys.executable, str(ROOT / "tests" / "runtime" / "a_desk.py")]
TWO = ("relay=beats", "beat=beats")


class Desk:
    """A supervisor on a data folder of its own, and those it is started as."""

    def __init__(self, data: Path, prefix: list[str] | None = None, **environment: str) -> None:
        self.data = data
        self._prefix = prefix or []
        ours = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "REDIS_URL")}
        self.environment = {**ours, **environment}

    def up(self, *named: str) -> "subprocess.CompletedProcess[str]":
        """Start it in the background; returns when it is ready, or not."""
        return subprocess.run([*self._prefix, *DESK, str(self.data), "detach", *named], env=self.environment,
                              capture_output=True, text=True, timeout=100, check=False)

    @property
    def run(self) -> Run:
        run = running.current(self.data)
        assert run is not None
        return run

    def until(self, true: Callable[[Run], bool]) -> Run:
        """Read what it says until it says so."""
        end = time.monotonic() + 30
        while not true(self.run):
            assert time.monotonic() < end, self.run
            time.sleep(0.02)
        return self.run

    def kill(self) -> Run:
        """Kill the supervisor alone; what it last said."""
        last = self.run
        os.kill(last.supervisor.pid, signal.SIGKILL)
        return last


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    yield from a_desk(Desk(tmp_path / "a folder with spaces"))


def a_desk(desk: Desk) -> Iterator[Desk]:
    yield desk
    stop(desk.data)
    if desk.data.exists():
        delete(desk.data)


def gone(run: Run) -> bool:
    """Whether no process of that run is left, within ten seconds."""
    births = [run.supervisor, *(process.birth for process in run.processes)]
    end = time.monotonic() + 10
    while any(birth and birth.alive for birth in births):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_it_returns_when_every_process_works_and_stops_with_nothing_left_but_the_data(desk: Desk) -> None:
    started = desk.up(*TWO)
    assert started.returncode == 0, started.stdout + started.stderr
    run = desk.run
    assert [(process.name, process.state) for process in run.processes] == [
        (name, "running") for name in ("postgres", "valkey", "relay", "beat")]
    stop(desk.data)
    assert gone(run)
    assert running.current(desk.data) is None
    assert (desk.data / "postgres" / "PG_VERSION").exists()


def test_after_a_kill_9_of_the_supervisor_the_next_start_finds_the_data_within_five_seconds(desk: Desk) -> None:
    desk.up(*TWO)
    assert desk.run.database_url
    with psycopg.connect(desk.run.database_url) as db:
        db.execute("CREATE TABLE kept (n int)")
    killed = desk.kill()
    began = time.monotonic()
    started = desk.up(*TWO)
    assert started.returncode == 0, started.stdout + started.stderr
    assert time.monotonic() - began < 5
    assert gone(killed)
    assert desk.run.database_url
    with psycopg.connect(desk.run.database_url) as db:
        db.execute("SELECT n FROM kept")


def test_two_supervisors_never_share_a_data_folder_and_the_second_says_who_holds_it(desk: Desk) -> None:
    desk.up()
    second = desk.up()
    assert second.returncode == 1
    assert f"process {desk.run.supervisor.pid}" in second.stdout
    assert "sayso down" in second.stdout


def test_what_dies_starts_again_a_server_as_well_as_a_process(desk: Desk) -> None:
    desk.up(*TWO)
    for process in desk.run.processes:
        assert process.birth
        os.kill(process.birth.pid, signal.SIGKILL)
    after = desk.until(lambda run: all(process.restarts and process.state == "running" for process in run.processes))
    assert after.database_url
    with psycopg.connect(after.database_url) as db:
        db.execute("SELECT 1")


def test_ctrl_c_while_it_runs_in_a_terminal_stops_all(desk: Desk) -> None:
    process = subprocess.Popen([*DESK, str(desk.data), "up", *TWO], env=desk.environment, stdout=subprocess.PIPE,
                               text=True)
    assert process.stdout
    while process.stdout.readline() != "up\n":
        assert process.poll() is None
    run = desk.run
    process.send_signal(signal.SIGINT)
    assert process.stdout.read().splitlines()[-1] == "stopped"
    assert process.wait(20) == 0
    assert gone(run)


def test_servers_of_the_users_own_are_used_and_none_is_started(tmp_path: Path, database_url: str,
                                                               broker_url: str) -> None:
    for desk in a_desk(Desk(tmp_path / "own", DATABASE_URL=url(database_url), REDIS_URL=broker_url)):
        started = desk.up(*TWO)
        assert started.returncode == 0, started.stdout + started.stderr
        assert [process.name for process in desk.run.processes] == ["relay", "beat"]
        assert not (desk.data / "postgres").exists()


def test_a_database_that_does_not_answer_is_the_reason_given(tmp_path: Path, broker_url: str) -> None:
    for desk in a_desk(Desk(tmp_path / "own", DATABASE_URL="postgresql://127.0.0.1:1/x", REDIS_URL=broker_url)):
        started = desk.up(*TWO)
        assert started.returncode == 1
        assert "the database 127.0.0.1:1/x does not answer" in started.stdout
        assert running.current(desk.data) is None


def test_a_broker_that_does_not_answer_is_the_reason_given_before_a_process_starts(
        tmp_path: Path, database_url: str) -> None:
    for desk in a_desk(Desk(tmp_path / "own", DATABASE_URL=url(database_url), REDIS_URL="redis://127.0.0.1:1/0")):
        started = desk.up(*TWO)
        assert started.returncode == 1
        assert "the broker 127.0.0.1:1/0 does not answer" in started.stdout
        assert "REDIS_URL" in started.stdout
        assert "starting relay" not in started.stdout


def test_down_during_a_start_ends_the_start(desk: Desk) -> None:
    with subprocess.Popen([*DESK, str(desk.data), "up", *TWO], env=desk.environment, stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "starting postgres\n"
        assert stop(desk.data)
        assert process.wait(5) == 0
        assert "up\n" not in process.stdout.readlines()


def test_it_goes_on_without_its_logs_and_its_run_json_and_makes_them_again(
        tmp_path: Path, database_url: str, broker_url: str) -> None:
    for desk in a_desk(Desk(tmp_path / "own", DATABASE_URL=url(database_url), REDIS_URL=broker_url)):
        desk.up(*TWO)
        before = desk.run
        shutil.rmtree(desk.data / "logs")
        running.path(desk.data).unlink()
        relay = before.processes[0].birth
        assert relay
        os.kill(relay.pid, signal.SIGKILL)
        end = time.monotonic() + 10
        while running.current(desk.data) is None:
            assert time.monotonic() < end
            time.sleep(0.02)
        desk.until(lambda run: run.processes[0].restarts == 1 and run.processes[0].state == "running")
        assert desk.run.supervisor == before.supervisor


def test_it_starts_though_whoever_started_it_stops_listening(
        tmp_path: Path, database_url: str, broker_url: str) -> None:
    for desk in a_desk(Desk(tmp_path / "own", DATABASE_URL=url(database_url), REDIS_URL=broker_url)):
        with subprocess.Popen([*DESK, str(desk.data), "detach", *TWO], env=desk.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:
            assert process.stdout
            assert process.stdout.readline() == b"starting relay\n"
            process.stdout.close()
            process.wait(20)
        desk.until(lambda run: run.ready)


@pytest.mark.skipif(os.geteuid() != 0, reason="every other test here runs as an ordinary user already")
def test_it_runs_as_an_ordinary_user_too() -> None:
    with as_an_ordinary_user() as (prefix, folder):
        for desk in a_desk(Desk(folder / "data", prefix, HOME=str(folder))):
            started = desk.up(*TWO)
            assert started.returncode == 0, started.stdout + started.stderr
            assert (desk.data / "postgres").owner() == folder.owner() != "root"
            killed = desk.kill()
            assert desk.up(*TWO).returncode == 0
            assert gone(killed)


def url(conninfo: str) -> str:
    """A libpq line of words as an address."""
    words = psycopg.conninfo.conninfo_to_dict(conninfo)
    return f"postgresql://{words['user']}:{words.get('password', '')}@{words['host']}:{words['port']}/{words['dbname']}"
