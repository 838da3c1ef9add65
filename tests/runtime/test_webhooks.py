"""What the bridge tells is stored before it is acknowledged, once, for who wrote it; the history has the rest."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import httpx
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

import directory
from channels import histories, outbox
from channels.http import NAME, Http
from channels.signing import HEADER, sign
from jobs.db import Conn
from runtime import config, health, processes
from runtime.webhooks import LARGEST_EVENT, Webhooks
from runtime.wiring import connect
from tests.channels.a_bridge import Bridge, a_bridge, says

SECRET = "a secret of the tests"
NOW = 1_800_000_000
DANA = "+1 555 0100"


@pytest.fixture
def home(db: Conn) -> directory.Workspace:
    return directory.create_workspace(
        db, name="Home", manager_name="Dana", chat_guid="dana", channel=NAME, address=DANA)


def lending(url: str) -> Callable[[], AbstractContextManager[Conn]]:
    return lambda: connect(url, "webhooks")


class Client:
    """Asks the application, without a server between."""

    def __init__(self, webhooks: Webhooks) -> None:
        self._transport = httpx.ASGITransport(webhooks.application())

    def post(self, target: str, content: bytes, headers: dict[str, str] | None = None) -> httpx.Response:
        async def once() -> httpx.Response:
            async with httpx.AsyncClient(transport=self._transport, base_url="http://sayso") as client:
                return await client.post(target, content=content, headers=headers)

        return asyncio.run(once())


@pytest.fixture
def client(database_url: str, home: directory.Workspace) -> Client:
    return Client(Webhooks(SECRET, lending(database_url), lambda: NOW))


def an_event(event_id: str = "e1", **other: Any) -> dict[str, Any]:
    return {"id": event_id, "address": DANA, "body": event_id, "sent_at": "2026-11-30T10:00:00+02:00", "quotes": None,
            **other}


def post(client: Client, event: object, at: int = NOW, secret: str = SECRET) -> httpx.Response:
    body = event if isinstance(event, bytes) else json.dumps(event).encode()
    return client.post("/events", content=body, headers={HEADER: sign(secret, at, "POST", "/events", body)})


def heard(db: Conn) -> list[str]:
    return [row["body"] for row in db.execute("SELECT body FROM channel_inbound ORDER BY seq")]


def test_an_event_is_stored_in_the_chat_of_who_wrote_it_and_twice_is_once(db: Conn, client: Client) -> None:
    first, again = post(client, an_event()), post(client, an_event(body="other words"))
    assert (first.status_code, first.json()) == (200, {"repeated": False})
    assert (again.status_code, again.json()) == (200, {"repeated": True})
    stored = db.execute("SELECT chat_guid, channel, provider_id, body, sent_at, quotes FROM channel_inbound").fetchall()
    assert stored == [{"chat_guid": "dana", "channel": "http", "provider_id": "e1", "body": "e1",
                       "sent_at": datetime(2026, 11, 30, 8, tzinfo=UTC), "quotes": None}]


def test_events_are_numbered_as_they_come(db: Conn, client: Client) -> None:
    post(client, an_event("later", sent_at="2026-11-30T10:00:09Z"))
    post(client, an_event("sooner", sent_at="2026-11-30T10:00:00Z"))
    assert heard(db) == ["later", "sooner"]


def test_a_quote_is_kept_when_it_is_of_a_text_to_that_chat_and_else_left_out(
        db: Conn, client: Client, home: directory.Workspace) -> None:
    text = outbox.plan(db, workspace_id=home.id, key="k", purpose="confirmation", body="Go.", to=outbox.ToChat("dana"))
    other = directory.create_workspace(db, name="Other", manager_name="Lee", chat_guid="lee")
    lee = outbox.ToChat("lee")
    theirs = outbox.plan(db, workspace_id=other.id, key="k", purpose="confirmation", body="No.", to=lee)
    for event_id, quotes in (("a", text), ("b", theirs), ("c", uuid4())):
        assert post(client, an_event(event_id, quotes=str(quotes))).status_code == 200
    quoted = db.execute("SELECT quotes FROM channel_inbound ORDER BY seq").fetchall()
    assert [row["quotes"] for row in quoted] == [text, None, None]


@pytest.mark.parametrize(("at", "secret"), [(NOW - 301, SECRET), (NOW + 301, SECRET), (NOW, "another secret!!")])
def test_nothing_is_taken_from_who_has_not_the_secret_or_is_late(
        db: Conn, client: Client, at: int, secret: str) -> None:
    told = post(client, an_event(), at, secret)
    assert (told.status_code, heard(db)) == (401, [])
    assert told.json()["next"]
    assert SECRET not in told.text


def test_a_request_without_a_signature_or_with_another_path_is_refused(db: Conn, client: Client) -> None:
    body = json.dumps(an_event()).encode()
    assert client.post("/events", content=body).status_code == 401
    signed = {HEADER: sign(SECRET, NOW, "POST", "/events", body)}
    assert client.post("/events?a=b", content=body, headers=signed).status_code == 401
    signed = {HEADER: sign(SECRET, NOW, "POST", "/events?a=b", body)}
    assert client.post("/events?a=b", content=body, headers=signed).status_code == 200


@pytest.mark.parametrize(("event", "said"), [
    (b"{", "the event: "), (b"[]", "the event: "), ({"id": "e1"}, "address is missing"),
    (an_event(id=7), "id is 7"), (an_event(id=""), "id is ''"), (an_event(id="a\0"), "id is 'a\\x00'"),
    (an_event(address="x" * 1001), "address is 'xxx"), (an_event(body=None), "body is None"),
    (an_event(body=" "), "body ' '"), (an_event(body="a\0b"), "body 'a\\x00b'"),
    (an_event(body="x" * 20_001), "body 'xxx"), (an_event(sent_at="2026-11-30T10:00:00"), "sent_at is '2026-11-30T10"),
    (an_event(sent_at=5), "sent_at is 5"), (an_event(sent_at="yesterday"), "sent_at is 'yesterday'"),
    (an_event(sent_at="0001-01-01T00:00:00Z"), "sent_at is '0001"), (an_event(quotes="it"), "quotes is 'it'"),
    (b'{"id": "\\ud800", "address": "a", "body": "b", "sent_at": "2026-11-30T10:00:00Z"}', "the event: "),
])
def test_a_malformed_event_is_refused_by_field_and_value(
        db: Conn, client: Client, event: object, said: str) -> None:
    told = post(client, event)
    assert told.status_code == 400, told.text
    assert told.json()["error"].startswith(said)
    assert told.json()["next"]
    assert heard(db) == []


def test_an_event_that_is_too_large_is_refused_before_it_is_read(db: Conn, client: Client) -> None:
    assert post(client, an_event(more="x" * LARGEST_EVENT)).status_code == 413
    assert post(client, an_event(more="x" * (LARGEST_EVENT - 300))).status_code == 200


def test_who_is_nobody_or_one_of_two_or_no_manager_may_not_write(
        db: Conn, client: Client, home: directory.Workspace) -> None:
    assert post(client, an_event(address="+1 555 9999")).status_code == 422
    db.execute("INSERT INTO directory_people (workspace_id, external_id, name, role, channel, address)"
               " VALUES (%s, 't', 'Tess', 'tenant', 'http', '+1 555 0101')", (home.id,))
    assert post(client, an_event(address="+1 555 0101")).status_code == 422
    directory.create_workspace(db, name="Terminal", manager_name="Al", chat_guid="al", address="+1 555 0102")
    assert post(client, an_event(address="+1 555 0102")).status_code == 422
    directory.create_workspace(db, name="Other", manager_name="Lee", chat_guid="lee", channel=NAME, address=DANA)
    told = post(client, an_event())
    assert told.status_code == 422
    assert "can be any of 2" in told.json()["error"]
    assert heard(db) == []


def test_while_the_database_does_not_answer_the_bridge_is_told_to_come_again() -> None:
    def broken() -> AbstractContextManager[Conn]:
        raise psycopg.OperationalError("gone")

    assert post(Client(Webhooks(SECRET, broken, lambda: NOW)), an_event()).status_code == 503


def page(*events: object, cursor: str) -> bytes:
    return json.dumps({"events": events, "cursor": cursor}).encode()


@pytest.fixture
def bridge() -> Iterator[Bridge]:
    with a_bridge() as bridge:
        yield bridge


def with_history(bridge: Bridge, pages: dict[str, bytes]) -> None:
    """The bridge answers each cursor with its page."""

    def answer(to: socket.socket) -> None:
        cursor = bridge.requests[-1].split(b" ")[1].partition(b"after=")[2].decode()
        says(200, pages[cursor])(to)

    bridge.answer = answer


def asked(bridge: Bridge) -> list[str]:
    return [request.split(b" ")[1].decode() for request in bridge.requests]


def test_history_brings_what_was_lost_once_and_goes_on_where_it_stopped(
        db: Conn, client: Client, bridge: Bridge) -> None:
    post(client, an_event("b"))
    with_history(bridge, {"": page(an_event("a"), an_event("b"), cursor="1"), "1": page(an_event("c"), cursor="2"),
                          "2": page(cursor="2")})
    histories.begin(db, NAME)
    assert histories.catch_up(db, Http(bridge.url, SECRET)) == histories.CaughtUp(2, 0, None)
    assert heard(db) == ["b", "a", "c"]
    histories.begin(db, NAME)
    histories.catch_up(db, Http(bridge.url, SECRET))
    assert asked(bridge) == [f"/events?after={cursor}" for cursor in ("", "1", "2", "2")]


def test_what_is_refused_in_a_history_is_passed_over(db: Conn, client: Client, bridge: Bridge) -> None:
    bad = [an_event(address="+1"), an_event(sent_at="x"), an_event(body=""), an_event(body="\ud83d"), 7, None,
           {"id": {}}]
    with_history(bridge, {"": page(*bad, an_event("good"), cursor="1"), "1": page(cursor="1")})
    histories.begin(db, NAME)
    assert histories.catch_up(db, Http(bridge.url, SECRET)) == histories.CaughtUp(1, len(bad), None)
    assert heard(db) == ["good"]


def test_a_pass_that_breaks_off_is_repeated_and_stores_nothing_twice(
        db: Conn, client: Client, bridge: Bridge) -> None:
    with_history(bridge, {"": page(an_event("a"), an_event("b"), cursor="1"), "1": page(cursor="1")})
    histories.begin(db, NAME)
    db.execute("CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 / 0; END $$;"
               "CREATE TRIGGER fail BEFORE INSERT ON channel_inbound FOR EACH ROW WHEN (NEW.body = 'b')"
               " EXECUTE FUNCTION fail()")
    with pytest.raises(psycopg.Error):
        histories.catch_up(db, Http(bridge.url, SECRET))
    db.execute("DROP TRIGGER fail ON channel_inbound")
    assert histories.catch_up(db, Http(bridge.url, SECRET)) == histories.CaughtUp(1, 0, None)
    assert heard(db) == ["a", "b"]


def test_a_slower_reader_does_not_put_the_cursor_back(db: Conn, client: Client, bridge: Bridge) -> None:
    def overtaken(to: socket.socket) -> None:
        db.execute("UPDATE channel_histories SET cursor = '9'")
        with_history(bridge, {"9": page(cursor="9")})
        says(200, page(an_event("a"), cursor="1"))(to)

    bridge.answer = overtaken
    histories.begin(db, NAME)
    histories.catch_up(db, Http(bridge.url, SECRET))
    assert asked(bridge) == ["/events?after=", "/events?after=9"]


def test_a_bridge_that_repeats_itself_or_fails_ends_the_pass(db: Conn, client: Client, bridge: Bridge) -> None:
    histories.begin(db, NAME)
    with_history(bridge, {"": page(an_event("a"), cursor="1"), "1": page(an_event("a"), cursor="1")})
    assert "the cursor" in (histories.catch_up(db, Http(bridge.url, SECRET)).trouble or "")
    bridge.answer = says(500, "oh")
    assert histories.catch_up(db, Http(bridge.url, SECRET)).trouble == "the bridge answered 500: oh"


def test_a_history_that_is_not_read_for_a_minute_is_stuck_while_webhooks_runs(db: Conn) -> None:
    def number() -> list[int]:
        return [row["number"] for row in health.look(db) if row["check"] == "oldest_history_seconds" and row["stuck"]]

    histories.begin(db, NAME)
    db.execute("UPDATE channel_histories SET read_at = app_now() - interval '90 s'")
    assert number() == []
    processes.beat(db, "webhooks")
    assert number() == [90]


def a_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def until(found: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not found():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_process_listens_beats_reads_the_history_and_stops_when_told(
        db: Conn, database_url: str, home: directory.Workspace, bridge: Bridge, tmp_path: Path) -> None:
    with_history(bridge, {"": page(an_event("lost"), cursor="1"), "1": page(cursor="1")})
    port = a_free_port()
    environment = {**os.environ, "DATABASE_URL": f"postgresql://?{urlencode(conninfo_to_dict(database_url))}",
                   "SAYSO_DATA": str(tmp_path), "SAYSO_PROCESS": "webhooks", "SAYSO_HTTP_URL": bridge.url,
                   "SAYSO_HTTP_SECRET": SECRET, "SAYSO_HTTP_LISTEN": f"127.0.0.1:{port}"}
    command = [sys.executable, "-m", "runtime.webhooks"]
    with subprocess.Popen(command, cwd=config.ROOT, env=environment) as process:
        try:
            until(lambda: "webhooks" in processes.of_this_host(db))
            until(lambda: heard(db) == ["lost"])
            body = json.dumps(an_event("told")).encode()
            signed = {HEADER: sign(SECRET, int(time.time()), "POST", "/events", body)}
            told = httpx.post(f"http://127.0.0.1:{port}/events", content=body, headers=signed)
            assert (told.status_code, told.json()) == (200, {"repeated": False})
            assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
            second = subprocess.run(command, cwd=config.ROOT, env=environment, capture_output=True, text=True)
            assert f"SAYSO_HTTP_LISTEN: nothing can listen on 127.0.0.1:{port}" in second.stderr
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0
        finally:
            process.kill()
    log = (tmp_path / "logs" / "webhooks.log").read_text()
    assert '"event_id": "told"' in log
    assert DANA not in log
    assert SECRET not in log
