"""The embedded PostgreSQL comes up whatever the last one left behind."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from runtime import child, embedded, postgres
from runtime.embedded import PasswordLostError
from runtime.errors import DidNotStartError
from runtime.postgres import Postgres


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("with spaces ")
    yield folder
    embedded.delete(folder)


def started(data: Path) -> tuple[Postgres, child.Popen]:
    server = postgres.embedded(embedded.home(data), ("fsync=off",))
    return server, embedded.bring_up(server, data / "output")


def stopped(process: child.Popen) -> None:
    child.end(process, signal.SIGINT, 20)


def test_a_pid_file_with_the_number_of_a_stranger_does_not_stop_it(data: Path) -> None:
    server = postgres.embedded(embedded.home(data))
    server.prepare()
    (server.cluster / "postmaster.pid").write_text(f"{os.getpid()}\n{server.cluster}\n")
    _, process = started(data)
    stopped(process)


@pytest.mark.parametrize("text", ["", "garbage\n", "-1\n"])
def test_a_pid_file_that_says_nothing_is_removed(data: Path, text: str) -> None:
    server = postgres.embedded(embedded.home(data))
    server.prepare()
    (server.cluster / "postmaster.pid").write_text(text)
    server.prepare()
    assert not (server.cluster / "postmaster.pid").exists()


def test_a_lost_or_wrong_password_is_said_at_once_and_makes_no_new_one(data: Path) -> None:
    server = postgres.embedded(embedded.home(data))
    server.prepare()
    good = server.home.servers.read_text()
    try:
        for bad in ("", "{", "[]", '{"postgres": {"port": "x"}}', "{}"):
            server.home.servers.write_text(bad)
            with pytest.raises(PasswordLostError, match=r"servers\.json"):
                postgres.embedded(server.home)
            assert server.home.servers.read_text() == bad
        server.home.servers.write_text('{"postgres": {"port": 0, "password": "wrong"}}')
        began = time.monotonic()
        with pytest.raises(PasswordLostError):
            started(data)
        assert time.monotonic() - began < 10
    finally:
        server.home.servers.write_text(good)


def test_one_that_still_runs_on_the_cluster_is_stopped_first(data: Path) -> None:
    _, orphan = started(data)
    _, process = started(data)
    assert orphan.wait(20) == 0
    stopped(process)


def test_a_port_that_was_taken_meanwhile_is_replaced_and_otherwise_it_stays(data: Path) -> None:
    first = postgres.embedded(embedded.home(data))
    assert postgres.embedded(embedded.home(data)).url == first.url
    with socket.create_server(("127.0.0.1", first.address.port)):
        second, process = started(data)
        assert second.address.port != first.address.port
        assert second.address.password == first.address.password
        stopped(process)


def test_nobody_comes_in_without_the_password(data: Path) -> None:
    server, process = started(data)
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(server.url.replace(server.address.password, "guessed"))
    stopped(process)


def test_the_last_line_it_said_is_the_reason_when_it_cannot_start(data: Path) -> None:
    server = postgres.embedded(embedded.home(data), ("shared_buffers=none",))
    with pytest.raises(DidNotStartError, match='invalid value for parameter "shared_buffers"'):
        embedded.bring_up(server, data / "output", seconds=1, tries_seconds=0)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root keeps the cluster elsewhere")
def test_for_root_no_folder_above_the_data_changes_its_mode_and_a_deleted_folder_begins_anew(tmp_path: Path) -> None:
    private = tmp_path / "private"
    (private / "data").mkdir(parents=True)
    private.chmod(0o700)
    before = [(folder, folder.stat().st_mode) for folder in private.parents]
    home = embedded.home(private / "data")
    assert [(folder, folder.stat().st_mode) for folder in private.parents] == before
    assert embedded.home(private / "data") == home
    (private / "data" / "postgres").unlink()
    another = embedded.home(private / "data")
    assert another != home
    home.folder.joinpath("postgres").rmdir()
    home.folder.rmdir()
    embedded.delete(private / "data")
    assert not another.folder.exists()
