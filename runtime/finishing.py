"""Taking ends home: a job's to the owner that finishes it, a text's to the owner that planned it. Without Celery."""

from collections.abc import Callable
from enum import Enum
from typing import TypeVar
from uuid import UUID

import structlog
from psycopg.errors import DeadlockDetected, FeatureNotSupported, SerializationFailure

import jobs
from channels.settling import settle
from jobs.db import Conn
from jobs.errors import Overtaken
from jobs.owners import Owner

TRIES = 3  # of a transaction that lost against another one and may simply be made again
STALE = "cached plan must not change result type"  # of a statement prepared before a migration added a column
PREPARED = 100  # statements that a connection keeps prepared, at most (psycopg's own limit)

log = structlog.get_logger()
T = TypeVar("T")


class Home(Enum):
    """What became of a hint that an end should go home."""

    TAKEN = "taken home"
    NOTHING = "nothing to do"
    OVERTAKEN = "revoked, or taken home by another worker"
    FAILED = "the owner's part raised, and will be tried again"


def again(work: Callable[[], T]) -> T:
    """Run a whole transaction, up to three times when the database let it lose a deadlock or a conflict.

    A statement that a migration has made stale is prepared anew after it has failed once: that is no lost try.
    """
    lost = stale = 0
    while True:
        try:
            return work()
        except (DeadlockDetected, SerializationFailure) as error:
            lost += 1
            if lost == TRIES:
                raise
            log.warning("transaction is made again", sqlstate=error.sqlstate)
        except FeatureNotSupported as error:
            stale += 1
            if STALE not in str(error) or stale > PREPARED:
                raise


def finish_job(db: Conn, owner: Owner, job_id: UUID) -> Home:
    """Finish one end whose hold is over, in a transaction that begins with finished_at. Stale hints do no harm.

    Takes a connection without a transaction. What the owner raises is written on the row, which backs off.
    """
    claimed = again(lambda: jobs.release(db, job_id, owner.source))
    if claimed is None:
        return Home.NOTHING

    def take_home() -> Home:
        with db.transaction(), jobs.acting(db, owner.source):
            try:
                job = jobs.finish(db, claimed)
            except Overtaken:
                return Home.OVERTAKEN
            owner.finish(db, job, jobs.now(db))
            return Home.TAKEN

    try:
        return again(take_home)
    except Exception as error:
        log.exception("finish failed", attempt=claimed.finish_attempts)
        reason = repr(error)
    again(lambda: jobs.finish_failed(db, claimed, reason))
    return Home.FAILED


def settle_message(db: Conn, owner: Owner, message_id: UUID) -> Home:
    """Tell the owner how a text ended, once. What the owner raises undoes it, and a later hint tries again."""

    def take_home() -> Home:
        with db.transaction(), jobs.acting(db, owner.source):
            settled = settle(db, message_id)
            if settled is None:
                return Home.NOTHING
            owner.settled(db, settled, jobs.now(db))
            return Home.TAKEN

    return again(take_home)
