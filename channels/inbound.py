"""What a person wrote: stored before it is acknowledged, once, and numbered within its chat."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal
from uuid import UUID

from channels.errors import NoSuchChatError
from channels.outbox import check
from jobs.db import Conn, statements
from jobs.enqueueing import aware

LONGEST = 20_000  # characters of one message

sql = statements(Path(__file__).with_suffix(".sql"))


@dataclass(frozen=True)
class Received:
    """A message that is stored. `repeated`: it was there already, under the same id of its provider."""

    id: UUID
    seq: int
    repeated: bool


@dataclass(frozen=True)
class Inbound:
    """A message as a reader wants it. `quotes_ask`: the ask that the text it quotes was about, if any."""

    id: UUID
    seq: int
    channel: str
    person_id: UUID
    body: str
    sent_at: datetime
    received_at: datetime
    quotes: bool
    quotes_ask: UUID | None


@dataclass(frozen=True)
class Line:
    """One line of a conversation as both sides saw it."""

    author: Literal["sayso", "person"]
    id: UUID
    at: datetime
    purpose: str | None
    body: str
    ask_id: UUID | None


def receive(
    db: Conn,
    *,
    workspace_id: UUID,
    chat_guid: str,
    person_id: UUID,
    channel: str,
    provider_id: str,
    body: str,
    sent_at: datetime,
    quotes: UUID | None = None,
) -> Received:
    """Store one message; the same provider id is stored once. Locks the chat until the caller's transaction ends.

    It wakes the chat and stops the countdown of what is held there. Without the quote when `quotes` is no text to this
    chat. Raises BadTextError, BadValue, NoSuchChatError.
    """
    check(body, LONGEST)
    aware("sent_at", sent_at)
    if sql.lock_chat(db, workspace_id=workspace_id, chat_guid=chat_guid) is None:
        raise NoSuchChatError(chat_guid)
    row = sql.insert(db, workspace_id=workspace_id, chat_guid=chat_guid, channel=channel, provider_id=provider_id,
                     person_id=person_id, body=body, quotes=quotes, sent_at=sent_at)
    if row is not None:
        return Received(row["id"], row["seq"], repeated=False)
    row = sql.heard(db, workspace_id=workspace_id, channel=channel, provider_id=provider_id)
    return Received(row["id"], row["seq"], repeated=True)


def unread_after(db: Conn, workspace_id: UUID, chat_guid: str, seq: int) -> list[Inbound]:
    """The messages of a chat after number `seq`, in order."""
    return [Inbound(**row) for row in sql.unread(db, workspace_id=workspace_id, chat_guid=chat_guid, seq=seq)]


def thread(db: Conn, workspace_id: UUID, chat_guid: str, limit: int = 50) -> list[Line]:
    """The latest lines of a chat, oldest first: what was shown and what was written, nothing that only waits."""
    return [Line(**row) for row in sql.thread(db, workspace_id=workspace_id, chat_guid=chat_guid, most=limit)]
