"""The embedded Valkey keeps what it was given, and lets nobody in without the password."""

import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from runtime import child, embedded, valkey


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "with spaces"
    folder.mkdir()
    yield folder
    embedded.delete(folder)


def test_what_was_written_is_there_after_a_restart_and_nothing_is_evicted(data: Path) -> None:
    server = valkey.embedded(embedded.home(data))
    process = embedded.bring_up(server, data / "output")
    client = redis.Redis.from_url(server.url)
    assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    client.rpush("hints", "one")
    child.end(process, signal.SIGTERM, 10)
    process = embedded.bring_up(server, data / "output")
    assert redis.Redis.from_url(server.url).lrange("hints", 0, -1) == [b"one"]
    child.end(process, signal.SIGTERM, 10)


def test_the_password_is_asked_for_and_stands_in_no_command_line(data: Path) -> None:
    server = valkey.embedded(embedded.home(data))
    process = embedded.bring_up(server, data / "output")
    with socket.create_connection(("127.0.0.1", server.address.port)) as line:
        line.sendall(b"PING\r\n")
        assert line.recv(100).startswith(b"-NOAUTH")
    assert server.address.password not in " ".join(server.program.argv)
    child.end(process, signal.SIGTERM, 10)
