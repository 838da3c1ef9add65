"""Delivery: one planned text, claimed and committed, given to its channel outside any transaction, its result recorded.

What may have left is never sent again. It is looked up until its channel knows, or assumed to have arrived.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import structlog
from psycopg import Rollback
from psycopg.pq import TransactionStatus

import jobs
from channels.contract import Accepted, Channel, LookedUp, NotSent, Outgoing, Rejected, Submitted, Unknown
from channels.outbox import SHOWING, UNDO, is_text, planned_as
from channels.registry import CHANNELS
from channels.rows import MessageRow
from jobs.db import Conn, statements

LEASE = timedelta(seconds=60)  # longer than any channel's time-outs
ATTEMPTS = 5  # of a text that certainly did not leave
FIRST_BACK_OFF = timedelta(seconds=5)  # doubles with each attempt
LOOK_EVERY = timedelta(seconds=15)
LONGEST_ERROR = 2000  # characters of what a channel said
ASSUMED_AFTER = timedelta(minutes=5)  # of looking it up in vain, counted from its submission

log = structlog.get_logger()
sql = statements(Path(__file__).with_suffix(".sql"))


@dataclass(frozen=True)
class Assumed:
    """Looked up in vain until the deadline: it counts as arrived, and is reported."""

    why: str


@dataclass(frozen=True)
class Skipped:
    """Nothing was done: not due, paused, behind another text, ended, or another worker has it."""

    why: str


Outcome = Submitted | Assumed | Skipped


def deliver(db: Conn, message_id: UUID, channels: Sequence[Channel] = CHANNELS) -> Outcome:
    """Send one due text, or look up one whose fate is unknown. Any number of workers may try at once, and again.

    Takes a connection without a transaction and makes its own: what may have left is on the row before it leaves.
    """
    if db.info.transaction_status != TransactionStatus.IDLE:
        raise RuntimeError("deliver commits what it claims: call it outside any transaction")
    by_name = {channel.name: channel for channel in channels}
    if claimed := _claim(db, message_id):
        result = _submit(by_name, claimed)
        with db.transaction():
            return _record(db, claimed, result, jobs.now(db))
    now = jobs.now(db)
    row = sql.claim_look(db, id=message_id, now=now, next_look=now + LOOK_EVERY)
    if row is None:
        return Skipped("not due, paused, behind another text, ended, or another worker has it")
    unknown = MessageRow(**row)
    found = _look_up(by_name, unknown)
    with db.transaction():
        return _record_look(db, unknown, found, jobs.now(db))


def sweep(db: Conn, now: datetime) -> int:
    """Texts whose sender went silent become unknown, to be looked up. In the caller's transaction; says how many."""
    return len(list(sql.expire(db, now=now)))


def _claim(db: Conn, message_id: UUID) -> MessageRow | None:
    """Mark the text, and its ask, as on the way. From the commit of this on a person may have seen it."""
    with db.transaction():
        if sql.cancel_moot(db, id=message_id):
            return None
        now = jobs.now(db)
        row = sql.claim(db, id=message_id, now=now, lease_until=now + LEASE)
        if row is None:
            return None
        message = MessageRow(**row)
        if message.ask_id and message.purpose in SHOWING and not jobs.mark_submitted(db, message.ask_id):
            raise Rollback  # withdrawn this moment: the next try cancels it
        return message
    return None


def _submit(channels: Mapping[str, Channel], message: MessageRow) -> Submitted:
    channel = channels.get(message.channel)
    if channel is None:
        return Rejected(f"there is no channel {message.channel!r}; see: sayso config check")
    try:
        return channel.submit(_outgoing(message))
    except Exception as error:
        log.exception("the channel raised while sending", message_id=str(message.id))
        return Unknown(repr(error))


def _look_up(channels: Mapping[str, Channel], message: MessageRow) -> LookedUp:
    channel = channels.get(message.channel)
    if channel is None:
        return Unknown(f"there is no channel {message.channel!r}")
    try:
        return channel.look_up(_outgoing(message))
    except Exception as error:
        log.exception("the channel raised while looking up", message_id=str(message.id))
        return Unknown(repr(error))


def _record(db: Conn, message: MessageRow, result: Submitted, now: datetime) -> Outcome:
    """Write the result of a submission, unless this worker was overtaken. What was taken back is not tried again."""
    due_at = now
    if isinstance(result, NotSent) and planned_as(db, message.workspace_id, message.idempotency_key + UNDO):
        result = Rejected(f"it was taken back before it left ({result.why})")
    match result:
        case Accepted():
            status = "accepted"
        case Rejected():
            status = "rejected"
        case NotSent() if message.attempts < ATTEMPTS:
            status, due_at = "planned", now + FIRST_BACK_OFF * 2 ** (message.attempts - 1)
        case NotSent():
            status = "rejected"
        case Unknown():
            status = "unknown"
    row = sql.record(db, id=message.id, attempts=message.attempts, status=status, due_at=due_at, **_told(result))
    if row is None:
        return Skipped("overtaken: the lease was over before the channel answered")
    _tell_ask(db, message, status)
    return result


def _record_look(db: Conn, message: MessageRow, found: LookedUp, now: datetime) -> Outcome:
    """Write what a look-up found. Found nothing until the deadline: assumed."""
    outcome: Outcome = found
    match found:
        case Accepted():
            status = "accepted"
        case Rejected():
            status = "rejected"
        case Unknown(why):
            if message.submitted_at is None or now < message.submitted_at + ASSUMED_AFTER:
                return found
            status, outcome = "assumed", Assumed(why)
    if sql.record_look(db, id=message.id, status=status, **_told(found)) is None:
        return Skipped("another worker found out first")
    _tell_ask(db, message, status)
    return outcome


def _told(result: Submitted) -> dict[str, str | None]:
    """What the channel said, as columns."""
    if isinstance(result, Accepted):
        return {"provider_id": result.provider_id, "error": None}
    return {"provider_id": None, "error": "".join(filter(is_text, result.why))[:LONGEST_ERROR]}


def _tell_ask(db: Conn, message: MessageRow, status: str) -> None:
    if message.ask_id is None or message.purpose not in SHOWING:
        return
    match status:
        case "accepted" | "assumed":
            jobs.mark_shown(db, message.ask_id, status)
        case "rejected":
            jobs.mark_rejected(db, message.ask_id)


def _outgoing(message: MessageRow) -> Outgoing:
    assert message.submitted_at is not None, "a claimed text has been submitted"
    return Outgoing(message.id, message.address, message.body, message.submitted_at)
