"""One turn of one chat: its lock, its wakes, when to look next; and which chats and finishes are due at all."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from jobs.ask import one_line
from jobs.db import Conn, sql
from jobs.errors import refusals
from jobs.rows import Chat

LOCK_TIMEOUT = "2s"  # a turn takes milliseconds; one that waits this long rather comes again


@dataclass(frozen=True)
class DueChat:
    """`wake_id` tells one wake from the next; None: its time has come."""
    workspace_id: UUID
    chat_guid: str
    wake_id: int | None
    since: datetime


@dataclass(frozen=True)
class DueFinish:
    job_id: UUID
    source: str
    finish_attempts: int
    finish_after: datetime


@dataclass(frozen=True)
class Due:
    chats: tuple[DueChat, ...]
    finishes: tuple[DueFinish, ...]


def make_chat(db: Conn, workspace_id: UUID, chat_guid: str) -> bool:
    """False: there is a chat of that name already, here or in another workspace. Raises BadValue."""
    one_line("chat_guid", chat_guid)
    return bool(sql.make_chat(db, workspace_id=workspace_id, chat_guid=chat_guid))


def begin_turn(db: Conn, workspace_id: UUID, chat_guid: str) -> Chat | None:
    """Lock the chat until the caller's transaction ends, count the turn, take its wakes. None: there is no such chat.

    Everything that the turn judges by has to be read after this. Enqueues are not held up, and hold nothing up. Raises
    Busy when another turn keeps the chat for over 2 s; the same limit then holds for every lock in the transaction.
    """
    with refusals():
        sql.wait_at_most(db, timeout=LOCK_TIMEOUT)
        row = sql.begin_turn(db, workspace_id=workspace_id, chat_guid=chat_guid)
        if row is None:
            return None
        chat = Chat(**row)
        sql.take_wakes(db, workspace_id=workspace_id, chat_guid=chat_guid, turn_no=chat.turn_no)
        return chat


def heard(db: Conn, chat: Chat, understood: bool) -> None:
    """All that the person wrote has been read. Was it not understood, what is held gets its whole hold again."""
    sql.heard(db, workspace_id=chat.workspace_id, chat_guid=chat.chat_guid)
    if not understood:
        sql.hold_again(db, workspace_id=chat.workspace_id, chat_guid=chat.chat_guid)


def end_turn(db: Conn, chat: Chat) -> datetime | None:
    """Write and return when to look next: the next due time, at most an hour ahead; None: nothing lives in the chat.

    What is due behind an open ask counts for nothing: the end of that ask leaves a wake. What is due behind none was
    locked by somebody: in 2 s. Clears the count of failed turns.
    """
    row = sql.end_turn(db, workspace_id=chat.workspace_id, chat_guid=chat.chat_guid, turn_no=chat.turn_no)
    at: datetime | None = row["next_look_at"]
    return at


def turn_failed(db: Conn, workspace_id: UUID, chat_guid: str, error: str, now: datetime) -> None:
    """Count a turn that raised, and leave the chat alone for 1 s, doubling to a minute. In a transaction of its own."""
    with db.transaction():
        sql.turn_failed(db, workspace_id=workspace_id, chat_guid=chat_guid, now=now,
                        error=error[:1000].replace("\0", ""))


def due(db: Conn, now: datetime) -> Due:
    """What is due, for the relay: all chats, and the 1,000 finishes that waited longest. Reads only."""
    return Due(chats=tuple(DueChat(**row) for row in sql.due_chats(db, now=now)),
                 finishes=tuple(DueFinish(**row) for row in sql.due_finishes(db, now=now)))
