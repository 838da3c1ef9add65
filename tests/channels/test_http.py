"""The http channel says truly what became of a text: taken, refused, not sent, or not known, and asks but once."""

import json
import socket
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Event
from uuid import UUID

import httpx
import pytest

from channels import http
from channels.contract import Accepted, NotSent, Outgoing, Rejected, Submitted, Unknown
from channels.delivery import LEASE
from channels.http import Http, NoPage, Page
from channels.signing import verify
from tests.channels.a_bridge import Answer, Bridge, a_bridge, says, sends

SECRET = "a secret of the tests"
NOW = 1_800_000_000
TEXT = Outgoing(UUID(int=7), "+1 555", "Go? Öl \U0001f527", datetime(2027, 1, 1, tzinfo=UTC))
TAKEN = '{"provider_id": "p1"}'


@pytest.fixture
def bridge() -> Iterator[Bridge]:
    with a_bridge() as bridge:
        yield bridge


@pytest.fixture
def channel(bridge: Bridge) -> Http:
    return Http(bridge.url + "/b/", SECRET, lambda: NOW)


def reset(to: socket.socket) -> None:
    to.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def test_a_text_is_posted_with_our_id_and_signed(bridge: Bridge, channel: Http) -> None:
    bridge.answer = says(202, TAKEN)
    assert channel.submit(TEXT) == Accepted("p1")
    head, _, body = bridge.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /b/messages HTTP/1.1\r\n")
    assert json.loads(body) == {"id": str(TEXT.id), "address": TEXT.address, "body": TEXT.body}
    signed = next(line for line in head.decode().split("\r\n") if line.lower().startswith("sayso-signature: "))
    verify(SECRET, signed.partition(": ")[2], "POST", "/b/messages", body, NOW)


@pytest.mark.parametrize(("answer", "kind"), [
    (says(200, TAKEN), Accepted), (says(201, TAKEN), Accepted),
    *((says(status, "no such phone"), Rejected) for status in (400, 401, 403, 404, 409, 410, 413, 422)),
    (says(429, "later"), NotSent), (says(503), NotSent),
    (says(500, "oh"), Unknown), (says(502), Unknown), (says(504), Unknown), (says(204), Unknown), (says(418), Unknown),
    (says(302, TAKEN, "location: /elsewhere\r\n"), Unknown),
    (says(200), Unknown), (says(200, "ok"), Unknown), (says(200, "{}"), Unknown), (says(200, b"\xff"), Unknown),
    (says(200, '{"provider_id": ""}'), Unknown), (says(200, '{"provider_id": 7}'), Unknown),
    (says(200, "[" * 60_000), Unknown),
    (says(200, '{"provider_id": "a\\u0000"}'), Unknown), (says(200, '{"provider_id": "\\ud800"}'), Unknown),
    (says(200, TAKEN + " " * http.LONGEST_ANSWER + "x"), Accepted),
    (says(200, " " * http.LONGEST_ANSWER + TAKEN), Unknown),
    (sends(b""), Unknown), (reset, Unknown), (sends(b"HTTP/1.1 200 OK\r\ncontent-length: 21\r\n\r\n{"), Unknown),
    (sends(b"hello\r\n\r\n"), Unknown), (sends(b"HTTP/1.1 200"), Unknown),
])
def test_every_answer_has_one_meaning_and_no_text_is_posted_twice(
        bridge: Bridge, channel: Http, answer: Answer, kind: type[Submitted]) -> None:
    bridge.answer = answer
    outcome = channel.submit(TEXT)
    assert isinstance(outcome, kind), outcome
    assert len(bridge.requests) == 1


def test_a_refusal_has_the_words_of_the_bridge(bridge: Bridge, channel: Http) -> None:
    bridge.answer = says(422, "no such phone\n")
    assert channel.submit(TEXT) == Rejected("the bridge answered 422: no such phone")


def test_a_bridge_that_is_not_there_was_certainly_not_written_to() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert isinstance(Http(f"http://127.0.0.1:{port}", SECRET).submit(TEXT), NotSent)
    assert isinstance(Http("http://nowhere.invalid", SECRET).submit(TEXT), NotSent)
    assert isinstance(Http(f"http://127.0.0.1:{port}", SECRET).look_up(TEXT), Unknown)


def test_a_bridge_that_is_slow_is_left_after_a_while_and_its_answer_is_unknown(
        bridge: Bridge, monkeypatch: pytest.MonkeyPatch) -> None:
    over = Event()

    def wait(_: socket.socket) -> None:
        over.wait(10)

    monkeypatch.setattr(http, "TIMEOUTS", httpx.Timeout(0.2))
    bridge.answer = wait
    try:
        assert isinstance(Http(bridge.url, SECRET).submit(TEXT), Unknown)
    finally:
        over.set()
    assert len(bridge.requests) == 1


def test_an_answer_that_drips_is_left_too(bridge: Bridge, channel: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    def drip(to: socket.socket) -> None:
        to.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
        while True:
            to.sendall(b" ")

    monkeypatch.setattr(http, "ANSWER_SECONDS", 0)
    bridge.answer = drip
    assert isinstance(channel.submit(TEXT), Unknown)


def test_all_that_it_may_wait_for_ends_well_within_the_lease() -> None:
    times = http.TIMEOUTS.as_dict()
    assert None not in times.values()
    assert sum(filter(None, times.values())) + http.ANSWER_SECONDS < LEASE.total_seconds()


def test_a_connection_is_not_used_again_so_a_closed_one_harms_no_text(bridge: Bridge, channel: Http) -> None:
    bridge.answer = says(200, TAKEN)
    assert [channel.submit(TEXT) for _ in range(3)] == [Accepted("p1")] * 3
    assert len(bridge.requests) == 3, "this bridge hears one request a connection"


def test_many_threads_may_use_it_at_once(bridge: Bridge, channel: Http) -> None:
    bridge.answer = says(200, TAKEN)
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(channel.submit, [TEXT] * 40)) == [Accepted("p1")] * 40


@pytest.mark.parametrize(("answer", "found"), [
    (says(200, TAKEN), Accepted("p1")), (says(204), Rejected), (says(404), Unknown), (says(200, "yes"), Unknown),
    (says(503), Unknown), (sends(b""), Unknown)])
def test_a_look_up_tells_the_bridge_not_to_take_it_any_more(
        bridge: Bridge, channel: Http, answer: Answer, found: Accepted | type) -> None:
    bridge.answer = answer
    got = channel.look_up(TEXT)
    assert got == found if isinstance(found, Accepted) else isinstance(got, found)
    assert bridge.requests[0].startswith(f"DELETE /b/messages/{TEXT.id} HTTP/1.1\r\n".encode())


def test_history_is_asked_for_after_a_cursor_whatever_is_in_it(bridge: Bridge, channel: Http) -> None:
    bridge.answer = says(200, '{"events": [{"id": 1}, 2], "cursor": "c2"}')
    assert channel.history("a b&c=ü/%") == Page(events=[{"id": 1}, 2], cursor="c2")
    head = bridge.requests[0].partition(b"\r\n\r\n")[0].decode()
    target = head.split(" ")[1]
    assert target == "/b/events?after=a%20b%26c%3D%C3%BC%2F%25"
    signed = next(line for line in head.split("\r\n") if line.lower().startswith("sayso-signature: "))
    verify(SECRET, signed.partition(": ")[2], "GET", target, b"", NOW)


@pytest.mark.parametrize("answer", [says(500, "oh"), says(200, "[]"), says(200, '{"events": []}'), sends(b"")])
def test_history_that_cannot_be_read_says_why(bridge: Bridge, channel: Http, answer: Answer) -> None:
    bridge.answer = answer
    assert isinstance(channel.history(""), NoPage)
