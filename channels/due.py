"""What of the outbox is due now, and what in it is stuck. Reads only."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

from jobs.db import Conn, statements

sql = statements(Path(__file__).with_suffix(".sql"))


@dataclass(frozen=True)
class DueDelivery:
    """A text to send or to look up. Another attempt, or another due time, is another hint."""

    message_id: UUID
    attempts: int
    due_at: datetime


@dataclass(frozen=True)
class DueSettlement:
    """A text that has ended and whose owner has not been told."""

    source: str
    message_id: UUID


@dataclass(frozen=True)
class Due:
    """All that the outbox wants done."""

    deliveries: tuple[DueDelivery, ...]
    settlements: tuple[DueSettlement, ...]


def look(db: Conn, now: datetime, most: int = 2000) -> Due:
    """What is due, oldest first, at most `most` of each. Nothing of a workspace that is paused is sent."""
    return Due(
        tuple(DueDelivery(r["id"], r["attempts"], r["due_at"]) for r in sql.deliveries(db, now=now, most=most)),
        tuple(DueSettlement(r["source"], r["id"]) for r in sql.settlements(db, now=now, most=most)))


def health(db: Conn, now: datetime) -> dict[str, int]:
    """Numbers that are 0 when all is well; `oldest_send_seconds`, how long the oldest due text waits, is small."""
    oldest = min((delivery.due_at for delivery in look(db, now).deliveries), default=now)
    return {**sql.health(db, now=now), "oldest_send_seconds": int((now - oldest).total_seconds())}


def oldest_history_seconds(db: Conn, now: datetime) -> int:
    """How long ago the history of a bridge was last read; 0 when nobody has ever begun to."""
    read_at = sql.history(db)["read_at"]
    return 0 if read_at is None else int((now - read_at).total_seconds())
