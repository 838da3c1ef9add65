"""The relay: turns what is due in the rows into hints. It writes nothing on them, and losing it loses nothing.

`python -m runtime.relay`. It wakes on NOTIFY, or each second. What stays due is hinted again, ever more rarely.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import psycopg
import structlog

import jobs
from channels import due
from jobs.db import Conn
from runtime import logs, wiring
from runtime.broker import DOWN, Hint, Publisher, celery
from runtime.config import QUEUES
from runtime.errors import UnreachableError
from runtime.processes import Heartbeat

SWEEP_SECONDS = 1.0
FIRST_GAP = timedelta(seconds=1)
LONGEST_GAP = timedelta(seconds=30)
FULL = 10_000  # hints of a queue that nobody takes: more would only fill the broker

Key = tuple[Any, ...]
log = structlog.get_logger()


@dataclass(frozen=True)
class Turn:
    """What one pass did. `full` are queues that were left alone; `broker` is why it does not answer, or None."""

    published: int
    full: tuple[str, ...]
    broker: str | None
    next_seconds: float


@dataclass(frozen=True)
class Hinted:
    """When something was last hinted, and how long to wait before it is again."""

    at: datetime
    gap: timedelta


class Relay:
    """One pass is `turn`. It remembers in memory what it has hinted; a new relay simply hints everything once more."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._hinted: dict[Key, Hinted] = {}

    def turn(self, db: Conn) -> Turn:
        """Publish a hint for all that is due and was not hinted lately."""
        now = jobs.now(db)
        wanted = dict(_due(db, now))
        self._hinted = {key: hinted for key, hinted in self._hinted.items() if key in wanted}
        fresh = {key: hint for key, hint in wanted.items() if self._may(key, now)}
        published = 0
        try:
            queues = sorted({hint.queue for hint in fresh.values()})
            full = tuple(queue for queue in queues if self._publisher.waiting(queue) >= FULL)
            for key, hint in fresh.items():
                if hint.queue not in full:
                    self._publisher.publish(hint)
                    self._hinted[key] = self._after(key, now)
                    published += 1
        except DOWN as error:
            return Turn(published, (), repr(error), SWEEP_SECONDS)
        return Turn(published, full, None, SWEEP_SECONDS)

    def _may(self, key: Key, now: datetime) -> bool:
        hinted = self._hinted.get(key)
        return hinted is None or now >= hinted.at + hinted.gap or now < hinted.at  # the clock was set back

    def _after(self, key: Key, now: datetime) -> Hinted:
        hinted = self._hinted.get(key)
        return Hinted(now, FIRST_GAP if hinted is None else min(2 * hinted.gap, LONGEST_GAP))


def _due(db: Conn, now: datetime) -> Iterator[tuple[Key, Hint]]:
    """All that is due, each under a key that changes when it is due for another reason."""
    work = jobs.due(db, now)
    for chat in work.chats:
        yield ("turn", chat), Hint("turn_chat", (str(chat.workspace_id), chat.chat_guid), "conductor")
    for end in work.finishes:
        yield ("finish", end), Hint("finish_job", (end.source, str(end.job_id)), end.source)
    texts = due.look(db, now)
    for text in texts.deliveries:
        yield ("deliver", text), Hint("deliver_message", (str(text.message_id),), "deliveries")
    for ended in texts.settlements:
        yield ("settle", ended), Hint("settle_message", (ended.source, str(ended.message_id)), ended.source)


def run(relay: Relay, connect: Callable[[], Conn], stopped: Callable[[], bool] = lambda: False) -> None:
    """Turn for ever; a database that goes away is waited for. Two connections: one only listens."""
    told: str | None = None
    while not stopped():
        try:
            with connect() as listener, connect() as db:
                listener.execute("LISTEN sayso")
                log.info("listening")
                while not stopped():
                    done = relay.turn(db)
                    if (trouble := _trouble(done)) != told:
                        log.warning("relay", trouble=trouble) if trouble else log.info("relay", trouble=None)
                        told = trouble
                    for _ in listener.notifies(timeout=done.next_seconds, stop_after=1):
                        pass
        except (psycopg.OperationalError, UnreachableError) as error:
            log.warning("the database does not answer", reason=str(error))
            time.sleep(SWEEP_SECONDS)


def _trouble(done: Turn) -> str | None:
    if done.broker:
        return f"the broker does not answer: {done.broker}"
    return f"these queues are full, and get no more hints: {', '.join(done.full)}" if done.full else None


def main() -> None:
    wired = wiring.wire()
    logs.setup(wired.process, wired.data)
    Heartbeat(wired.process, wired.connect).start()
    run(Relay(Publisher(celery(lambda: wired.broker_url, QUEUES))), wired.connect)


if __name__ == "__main__":
    main()
