"""Histories: what a bridge got and did not manage to tell us is read there, from where we stopped the last time."""

import json
from dataclasses import dataclass
from pathlib import Path

import structlog

from channels import events
from channels.http import Http, NoPage
from channels.inbound import Received
from jobs.db import Conn, statements
from jobs.errors import Refused

MOST_PAGES = 100  # of one pass; the next one goes on

log = structlog.get_logger()
sql = statements(Path(__file__).with_suffix(".sql"))


@dataclass(frozen=True)
class CaughtUp:
    """What one pass did. `trouble`: why it ended before the end of the history, or None."""

    stored: int
    refused: int
    trouble: str | None


def begin(db: Conn, channel: str) -> None:
    """Make it known that this history is to be read. Idempotent."""
    sql.begin(db, channel=channel)


def catch_up(db: Conn, bridge: Http) -> CaughtUp:
    """Store all that is new, page by page, then the cursor. What is refused is logged and passed over.

    Takes a connection without a transaction and makes its own, none of them while it waits for the bridge: one for each
    event, so that a pass which breaks off keeps what it has. Two passes at once store nothing twice.
    """
    stored = refused = 0
    for _ in range(MOST_PAGES):
        after = sql.cursor(db, channel=bridge.name)["cursor"]
        page = bridge.history(after)
        if isinstance(page, NoPage):
            return CaughtUp(stored, refused, page.why)
        for given in page.events:
            match _store(db, given):
                case None:
                    refused += 1
                case received:
                    stored += not received.repeated
        sql.move(db, channel=bridge.name, after=after, cursor=page.cursor)
        if not page.events:
            return CaughtUp(stored, refused, None)
        if page.cursor == after:
            return CaughtUp(stored, refused, "the bridge gave events, and the cursor they come after")
    return CaughtUp(stored, refused, None)


def _store(db: Conn, given: object) -> Received | None:
    event_id = str(given.get("id"))[:100] if isinstance(given, dict) else None
    try:
        event = events.read(json.dumps(given).encode())
        with db.transaction():
            return events.take(db, event)
    except Refused as refusal:
        log.warning("an event of the history was passed over", event_id=event_id, why=type(refusal).__name__,
                    field=refusal.field)
        return None
