"""The workers' Celery application: `celery -A runtime.celery_app worker -Q …`. Tasks meet what they need."""

import functools
import logging
from contextlib import AbstractContextManager
from typing import Any

from celery import Celery, signals

from channels.http import Http
from channels.registry import channels
from conductor.turn import turn
from jobs.db import Conn
from runtime import broker, config, logs, wiring
from runtime.processes import Heartbeat
from runtime.registry import OWNERS
from runtime.tasks import Work, register
from runtime.ticks import TICKS

wired = functools.cache(wiring.wire)  # once a process, when something is first needed


@functools.cache
def _pool() -> Any:
    settings = wired()
    threads = max((process.threads for process in settings.workers.processes.values() if process.threads), default=1)
    return settings.pool(threads)


def _connection() -> AbstractContextManager[Conn]:
    lent: AbstractContextManager[Conn] = _pool().connection()
    return lent


def _application() -> Celery:
    bridge = wiring.bridge()
    reached = channels(Http(bridge.url, bridge.secret) if bridge else None)
    return register(
        broker.celery(lambda: wired().broker_url, config.QUEUES),
        Work(_connection, {owner.source: owner for owner in OWNERS}, reached, {tick.name: tick for tick in TICKS},
             turn))


def _log(**_: Any) -> None:
    """Connected, so that Celery leaves the logging to us."""
    logs.setup(wired().process, wired().data)
    for chatty in ("celery.worker.strategy", "celery.app.trace"):  # our tasks say what they did, and to which job
        logging.getLogger(chatty).setLevel(logging.WARNING)


def _beat(**_: Any) -> None:
    Heartbeat(wired().process, wired().connect).start()


signals.setup_logging.connect(_log)
signals.worker_ready.connect(_beat)
app = _application()
