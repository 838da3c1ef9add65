"""Beat: the metronome. `python -m runtime.beat`. One leads, behind a lock that its database session holds; others wait.

docs/decisions/0003-beat.md says why it is not Celery's.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import psycopg
import structlog

from jobs.db import Conn
from runtime import logs, wiring
from runtime.broker import DOWN, Hint, Publisher, celery
from runtime.config import QUEUES
from runtime.errors import UnreachableError
from runtime.processes import Heartbeat
from runtime.tasks import Tick
from runtime.ticks import TICKS

LOCK = 7_310_042  # any number that nothing else in this database locks
LOOK_SECONDS = 1.0
FULL = 100  # ticks that nobody takes: more would only be repetitions

log = structlog.get_logger()


@dataclass(frozen=True)
class Turn:
    """What one pass did: whether this one leads, which ticks it published, and what is wrong with the broker."""

    leads: bool
    published: tuple[str, ...]
    broker: str | None
    next_seconds: float = LOOK_SECONDS


class Beat:
    """`db` is a session of its own, direct and not pooled: the lock is held while it lives, and goes with it."""

    def __init__(self, db: Conn, publisher: Publisher, ticks: Sequence[Tick]) -> None:
        self._db = db
        self._publisher = publisher
        self._ticks = ticks
        self._leads = False
        self._next: dict[str, float] = {}

    def turn(self, clock: float) -> Turn:
        """Publish what is due by `clock`, in seconds of any steady clock, if this one leads or now comes to lead.

        Asks the session first: one that is lost raises psycopg.OperationalError, and this Beat is at an end.
        """
        self._leads = self._leads_still() if self._leads else self._try_to_lead()
        if not self._leads:
            return Turn(False, (), None)
        due = [tick for tick in self._ticks if clock >= self._next.get(tick.name, clock)]
        published: list[str] = []
        try:
            if due and self._publisher.waiting("ticks") < FULL:
                for tick in due:
                    self._publisher.publish(Hint("tick", (tick.name,), "ticks"))
                    self._next[tick.name] = clock + tick.seconds
                    published.append(tick.name)
        except DOWN as error:
            return Turn(True, tuple(published), repr(error))
        return Turn(True, tuple(published), None)

    def _try_to_lead(self) -> bool:
        row = self._db.execute("SELECT pg_try_advisory_lock(%s) AS leads", (LOCK,)).fetchone()
        return row is not None and bool(row["leads"])

    def _leads_still(self) -> bool:
        self._db.execute("SELECT 1")
        return True


def run(connect: Callable[[], Conn], publisher: Publisher, ticks: Sequence[Tick],
        stopped: Callable[[], bool] = lambda: False) -> None:
    """Turn for ever. A lost session ends the lead; a new one begins as a standby."""
    told: object = None
    while not stopped():
        try:
            with connect() as db:
                beat = Beat(db, publisher, ticks)
                while not stopped():
                    done = beat.turn(time.monotonic())
                    if (state := (done.leads, done.broker)) != told:
                        log.info("beat", leads=done.leads, broker=done.broker)
                        told = state
                    time.sleep(done.next_seconds)
        except (psycopg.OperationalError, UnreachableError) as error:
            log.warning("the session is lost, and the lead with it", reason=str(error))
            time.sleep(LOOK_SECONDS)


def main() -> None:
    wired = wiring.wire()
    logs.setup(wired.process, wired.data)
    Heartbeat(wired.process, wired.connect).start()
    run(wired.connect, Publisher(celery(lambda: wired.broker_url, QUEUES)), TICKS)


if __name__ == "__main__":
    main()
