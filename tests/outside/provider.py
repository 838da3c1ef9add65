"""A fake provider, to be run as a process of its own: `python -m tests.outside.provider --help`.

It is the other side of the plain HTTP channel and knows nothing of our database. It answers slowly, drops connections
after it has taken a text, tells what people wrote twice and out of order, and loses some of that until it is asked for
its history. What it took is its log: one JSON line each, written before anybody is told.
"""

import argparse
import json
import random
import re
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx

from channels.errors import BadSignatureError
from channels.signing import HEADER, sign, verify

SLOW_SECONDS = 0.25  # the mean; one answer in fifty takes ten times as long
PAGE = 100  # events
TRIES_SECONDS = (0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8)  # between the tries of one webhook


@dataclass(frozen=True)
class Quirks:
    """How it hurts, as shares of one."""

    drops: float = 0.1
    loses: float = 0.02
    repeats: bool = True
    slow_seconds: float = SLOW_SECONDS


@dataclass
class Provider:
    """Everything it knows, in memory and in its log."""

    secret: str
    webhook: str
    log: Path
    quirks: Quirks
    dice: random.Random
    clock: Path | None = None  # a file that begins with seconds by which the world's clock differs from ours
    taken: dict[str, dict[str, Any]] = field(default_factory=dict)
    inbox: list[dict[str, Any]] = field(default_factory=list)  # what the people see, in order
    refused: set[str] = field(default_factory=set)  # ids that we were told not to expect any more
    events: list[dict[str, Any]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(32))
    client: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=5, trust_env=False))

    def roll(self) -> float:
        with self.lock:
            return self.dice.random()

    def count(self, what: str) -> None:
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def take(self, text: dict[str, Any]) -> tuple[int, Any] | None:
        """Take one text, before or after thinking about it. None: the connection is dropped without an answer."""
        seconds = self.quirks.slow_seconds * 2 * self.roll() * (10 if self.roll() < 0.02 else 1)
        before = self.roll() < 0.5
        if not before:
            time.sleep(seconds)
        answer = self._take(text)
        if before:
            time.sleep(seconds)
        if answer[0] == 200 and self.roll() < self.quirks.drops:
            self.count("dropped")
            return None
        return answer

    def _take(self, text: dict[str, Any]) -> tuple[int, Any]:
        with self.lock:
            if text["id"] in self.refused:
                return 409, {"error": "you told me not to take it"}
            again = text["id"] in self.taken
            entry = {"what": "taken again" if again else "taken", "at": self._time().isoformat(), **text,
                     "provider_id": f"p{len(self.inbox)}"}
            with self.log.open("a") as log:
                log.write(json.dumps(entry) + "\n")
            self.inbox.append(entry)
            return 200, {"provider_id": self.taken.setdefault(text["id"], entry)["provider_id"]}

    def withdraw(self, message_id: str) -> tuple[int, Any]:
        self.count("looked up")
        with self.lock:
            if message_id in self.taken:
                return 200, {"provider_id": self.taken[message_id]["provider_id"]}
            self.refused.add(message_id)
            return 204, None

    def history(self, after: str) -> tuple[int, Any]:
        start = int(after or 0)
        with self.lock:
            events = self.events[start : start + PAGE]
        return 200, {"events": events, "cursor": str(start + len(events))}

    def say(self, address: str, body: str, quotes: str | None) -> tuple[int, Any]:
        """Somebody writes. It is in the history at once; the webhooks come when they come, or never."""
        event = {"id": str(uuid4()), "address": address, "body": body, "quotes": quotes,
                 "sent_at": self._time().isoformat()}
        with self.lock:
            self.events.append(event)
        if self.roll() < self.quirks.loses:
            self.count("webhooks lost")
            return 200, event
        for _ in range(2 if self.quirks.repeats else 1):
            self.pool.submit(self._tell, event, self.quirks.slow_seconds * 2 * self.roll())
        return 200, event

    def _time(self) -> datetime:
        offset = struct.unpack("=q", self.clock.read_bytes()[:8])[0] if self.clock else 0
        return datetime.now(UTC) + timedelta(seconds=offset)

    def _tell(self, event: dict[str, Any], delay: float) -> None:
        time.sleep(delay)
        body, path = json.dumps(event).encode(), urlsplit(self.webhook).path
        for pause in TRIES_SECONDS:
            headers = {HEADER: sign(self.secret, int(time.time()), "POST", path, body)}
            try:
                answer = self.client.post(self.webhook, content=body, headers=headers)
            except httpx.HTTPError:
                self.count("webhooks not taken")
            else:
                if answer.status_code == 200:
                    return
                self.count(f"webhooks answered {answer.status_code}")
                if answer.status_code < 500:
                    return
            time.sleep(pause)

    def answer(self, method: str, path: str, body: bytes, signature: str | None) -> tuple[int, Any] | None:
        """What to answer a request; None: nothing, and the connection ends."""
        parts = urlsplit(path)
        given = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        if parts.path == "/people/inbox":
            with self.lock:
                return 200, self.inbox[int(given["after"]) :]
        if parts.path == "/people/say":
            said = json.loads(body)
            return self.say(said["address"], said["body"], said.get("quotes"))
        if parts.path == "/people/counts":
            with self.lock:
                return 200, self.counts
        try:
            verify(self.secret, signature, method, path, body, time.time())
        except BadSignatureError as refusal:
            return 401, {"error": str(refusal)}
        if (method, parts.path) == ("POST", "/messages"):
            return self.take(json.loads(body))
        if method == "DELETE" and (found := re.fullmatch(r"/messages/([0-9a-f-]{36})", parts.path)):
            return self.withdraw(found[1])
        if (method, parts.path) == ("GET", "/events"):
            return self.history(given["after"])
        return 404, {"error": "there is no such thing"}


def serve(provider: Provider, port: int) -> ThreadingHTTPServer:
    """A server that answers for it; port 0 is any."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            answer = provider.answer(self.command, self.path, body, self.headers.get(HEADER))
            if answer is None:
                self.close_connection = True
                return
            status, content = answer
            data = b"" if content is None else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_DELETE = handle_any  # noqa: N815  # the names that the library looks for

        def log_message(self, *_: Any) -> None:
            """Its log is what it took."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *_: Any) -> None:
            """A client that went away, or was killed, is an everyday thing here."""

    return Server(("127.0.0.1", port), Handler)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.outside.provider", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--webhook", required=True, help="where it tells what people wrote")
    parser.add_argument("--secret", required=True)
    parser.add_argument("--log", type=Path, required=True, help="what it took")
    parser.add_argument("--clock", type=Path, help="a file with the seconds by which its clock is wrong")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--drops", type=float, default=Quirks.drops)
    parser.add_argument("--loses", type=float, default=Quirks.loses)
    parser.add_argument("--slow-seconds", type=float, default=Quirks.slow_seconds)
    given = parser.parse_args()
    quirks = Quirks(given.drops, given.loses, slow_seconds=given.slow_seconds)
    provider = Provider(given.secret, given.webhook, given.log, quirks, random.Random(given.seed), given.clock)
    serve(provider, given.port).serve_forever()


if __name__ == "__main__":
    main()
