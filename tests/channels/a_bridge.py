"""A bridge in the test's own process: it keeps the raw requests it got, and answers each as the test says."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

Answer = Callable[[socket.socket], None]


@dataclass
class Bridge:
    url: str = ""
    answer: Answer = lambda _: None
    requests: list[bytes] = field(default_factory=list)


def says(status: int, body: str | bytes = "", more: str = "") -> Answer:
    """A whole answer; afterwards the connection stays open until the client or the bridge closes it."""
    text = body.encode() if isinstance(body, str) else body
    head = f"HTTP/1.1 {status} X\r\n{more}content-length: {len(text)}\r\n\r\n"
    return lambda to: to.sendall(head.encode() + text)


def sends(raw: bytes) -> Answer:
    """These bytes, and then the connection is closed."""
    return lambda to: to.sendall(raw)


@contextmanager
def a_bridge() -> Iterator[Bridge]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        bridge = Bridge(f"http://127.0.0.1:{server.getsockname()[1]}")
        threading.Thread(target=_serve, args=(server, bridge), daemon=True).start()
        try:
            yield bridge
        finally:
            server.shutdown(socket.SHUT_RDWR)


def _serve(server: socket.socket, bridge: Bridge) -> None:
    with suppress(OSError):
        while True:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.settimeout(10)
                bridge.requests.append(_request(connection))
                bridge.answer(connection)


def _request(connection: socket.socket) -> bytes:
    got = b""
    while b"\r\n\r\n" not in got and (piece := connection.recv(65536)):
        got += piece
    head, _, body = got.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
    while len(body) < length and (piece := connection.recv(65536)):
        body += piece
    return head + b"\r\n\r\n" + body
