"""Webhooks: takes the events of the bridge, stores each before it answers, and reads in its history what it missed.

`python -m runtime.webhooks`. docs/http-channel.md is the protocol. Any number of machines may run one each.
"""

import asyncio
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import psycopg
import structlog
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

import directory
from channels import events, histories
from channels.errors import BadSignatureError
from channels.http import Http
from channels.signing import HEADER, verify
from jobs.db import Conn
from jobs.errors import Refused
from runtime import bridge, logs, wiring
from runtime.errors import BadConfigurationError, UnreachableError
from runtime.processes import Heartbeat

LARGEST_EVENT = 65_536  # bytes
BODY_SECONDS = 10  # within which an event must have come in whole
THREADS = 8  # that store events at once
AT_ONCE = 200  # requests under way; further ones are told to come again
STOP_SECONDS = 10  # for what is under way when it is told to stop
HISTORY_SECONDS = 5.0

log = structlog.get_logger()


class Webhooks:
    """The application. `connection` lends one in autocommit; `clock` gives Unix seconds, as the bridge's clock does."""

    def __init__(self, secret: str, connection: Callable[[], AbstractContextManager[Conn]],
                 clock: Callable[[], float] = time.time) -> None:
        self._secret = secret
        self._connection = connection
        self._clock = clock

    def application(self) -> Starlette:
        return Starlette(routes=[Route("/events", self.take, methods=["POST"]), Route("/health", health)])

    async def take(self, request: Request) -> Response:
        """One event. 200 once it is committed; what cannot be taken is refused, with the reason."""
        try:
            body = await _body(request)
        except (TimeoutError, ClientDisconnect):
            return _told(408, f"the event did not come in whole within {BODY_SECONDS} s", "Send it again.")
        if body is None:
            return _told(413, f"the event has more than {LARGEST_EVENT} bytes", "Shorten it.")
        try:
            verify(self._secret, request.headers.get(HEADER), request.method, _target(request), body, self._clock())
            event = events.read(body)
        except Refused as refusal:
            return _refused(refusal)
        return await run_in_threadpool(self._store, event)

    def _store(self, event: events.Event) -> Response:
        try:
            with self._connection() as db, db.transaction():
                received = events.take(db, event)
        except Refused as refusal:
            return _refused(refusal, event.id)
        except psycopg.Error as error:
            log.warning("an event could not be stored", event_id=event.id, reason=str(error))
            return _told(503, "the database does not answer", "Send it again.")
        log.info("event", event_id=event.id, repeated=received.repeated)
        return JSONResponse({"repeated": received.repeated})


async def health(request: Request) -> Response:
    return PlainTextResponse("ok\n")


async def _body(request: Request) -> bytes | None:
    """None when it is too large. Raises TimeoutError, ClientDisconnect."""
    body = b""
    async with asyncio.timeout(BODY_SECONDS):
        async for piece in request.stream():
            body += piece
            if len(body) > LARGEST_EVENT:
                return None
    return body


def _target(request: Request) -> str:
    query: bytes = request.scope["query_string"]
    path: bytes = request.scope["raw_path"]
    return (path + b"?" + query if query else path).decode("latin-1")


def _refused(refusal: Refused, event_id: str | None = None) -> Response:
    match refusal:
        case BadSignatureError():
            status = 401
        case directory.NoSuch() | directory.NotOne():
            status = 422
        case _:
            status = 400
    log.warning("an event was refused", event_id=event_id, status=status, field=refusal.field)
    return _told(status, str(refusal), refusal.next_step)


def _told(status: int, error: str, next_step: str) -> Response:
    return JSONResponse({"error": error, "next": next_step}, status)


def read_history(channel: Http, connect: Callable[[], Conn], stopped: threading.Event) -> None:
    """Catch up now and every few seconds, until stopped. A pass that fails is repeated; what is wrong is said once."""
    told: str | None = None
    while not stopped.is_set():
        try:
            with connect() as db:
                histories.begin(db, channel.name)
                while not stopped.is_set():
                    done = histories.catch_up(db, channel)
                    if done.stored or done.refused or done.trouble != told:
                        log.info("history", stored=done.stored, refused=done.refused, trouble=done.trouble)
                    told = done.trouble
                    stopped.wait(HISTORY_SECONDS)
        except (psycopg.Error, UnreachableError) as error:
            log.warning("the history could not be stored", reason=str(error))
            stopped.wait(HISTORY_SECONDS)
        except Exception:
            log.exception("the history could not be read")
            stopped.wait(HISTORY_SECONDS)


def listen(settings: bridge.Bridge) -> socket.socket:
    """Raises BadConfigurationError when nobody can listen there."""
    try:
        return socket.create_server((settings.host, settings.port),
                                    family=socket.AF_INET6 if ":" in settings.host else socket.AF_INET)
    except OSError as error:
        raise BadConfigurationError(
            f"{bridge.LISTEN}: nothing can listen on {settings.listen}: {error.strerror or error}",
            "Free it, or choose another.") from error


def serve(settings: bridge.Bridge, wired: wiring.Wiring) -> None:
    """Until SIGTERM or SIGINT; then what is under way is answered first."""
    stopped, channel = threading.Event(), Http(settings.url, settings.secret)
    with listen(settings) as server, wired.pool(THREADS) as pool:
        reader = threading.Thread(target=read_history, args=(channel, wired.connect, stopped), daemon=True)
        reader.start()
        Heartbeat(wired.process, wired.connect).start()
        config = uvicorn.Config(
            Webhooks(settings.secret, pool.connection).application(), log_config=None, access_log=False, lifespan="off",
            proxy_headers=False, server_header=False, limit_concurrency=AT_ONCE,
            timeout_graceful_shutdown=STOP_SECONDS)
        signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn raises it again once it has stopped
        uvicorn.Server(config).run(sockets=[server])
        stopped.set()
        reader.join(STOP_SECONDS)


def main() -> None:
    wired = wiring.wire()
    logs.setup(wired.process, wired.data)
    settings = wiring.bridge()
    if settings is None:
        raise BadConfigurationError("no bridge is configured", f"Set {', '.join(bridge.VARIABLES)}.")
    serve(settings, wired)


if __name__ == "__main__":
    main()
