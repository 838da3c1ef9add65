"""The outbox: a text is planned in the transaction of what causes it, and leaves once that has committed."""

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal
from uuid import UUID

import directory
import jobs
from channels.errors import BadTextError, UnreachableError
from channels.rows import MessageRow
from jobs.ask import LAID_OUT
from jobs.db import Conn, statements

Purpose = Literal["ask", "ask_back", "confirmation", "notice", "effect"]
SHOWING = ("ask", "notice")  # what became of such a text is what became of its ask
LONGEST = 4000  # characters, as in schema.sql
UNDO = ":undo"  # ends the key of a text that takes back the one of the rest of its key; delivery.sql reads it too

sql = statements(Path(__file__).with_suffix(".sql"))


@dataclass(frozen=True)
class ToChat:
    """To the manager of a chat."""

    chat_guid: str


@dataclass(frozen=True)
class ToPerson:
    """To a tenant."""

    person_id: UUID


@dataclass(frozen=True)
class ToVendor:
    """To a vendor."""

    vendor_id: UUID


Recipient = ToChat | ToPerson | ToVendor


def plan(
    db: Conn,
    *,
    workspace_id: UUID,
    key: str,
    purpose: Purpose,
    body: str,
    to: Recipient,
    ask_id: UUID | None = None,
    source: str | None = None,
    job_id: UUID | None = None,
    due_at: datetime | None = None,
) -> UUID:
    """Plan one text, in the caller's transaction. The same key plans it once and returns the first, whatever it says.

    `source` is the owner who is told, once, how it ended. Raises BadTextError, UnreachableError.
    """
    check(body, LONGEST)
    reach = _reach(db, workspace_id, to)
    row = sql.insert(
        db, workspace_id=workspace_id, key=key, purpose=purpose, body=body,
        channel=reach.channel, address=reach.address,
        chat_guid=to.chat_guid if isinstance(to, ToChat) else None,
        person_id=to.person_id if isinstance(to, ToPerson) else None,
        vendor_id=to.vendor_id if isinstance(to, ToVendor) else None,
        ask_id=ask_id, source=source, job_id=job_id, due_at=due_at)
    planned: UUID = (row or sql.with_key(db, workspace_id=workspace_id, key=key))["id"]
    return planned


def cancel(db: Conn, message_id: UUID, why: str = "no longer wanted") -> bool:
    """Take back a text that has not left; False when it has, or may have. Repeating it does no harm.

    An ask whose text is taken back after a first attempt that certainly failed counts as rejected, and is asked again.
    Locks the text, then the ask: whoever also withdraws the ask does that afterwards.
    """
    row = sql.cancel(db, id=message_id, why=why)
    if row is not None and row["attempts"] and row["purpose"] in SHOWING and row["ask_id"]:
        jobs.mark_rejected(db, row["ask_id"])
    return row is not None


def take_back(db: Conn, workspace_id: UUID, key: str, otherwise: str, why: str) -> bool:
    """Take back the text of this key: one that has not left is cancelled, one that may have is followed by `otherwise`.

    True: it is followed. False: they never heard of it, or may not be written to any more. Repeating it does no harm.
    """
    text = planned_as(db, workspace_id, key)
    if text is None or text.status in ("rejected", "cancelled") or cancel(db, text.id, why):
        return False
    try:
        plan(db, workspace_id=workspace_id, key=key + UNDO, purpose="effect", body=otherwise, to=_recipient(text),
             source=text.source, job_id=text.job_id)
    except UnreachableError:
        return False
    return True


def planned_as(db: Conn, workspace_id: UUID, key: str) -> MessageRow | None:
    """The text that was planned with this key."""
    row = sql.with_key(db, workspace_id=workspace_id, key=key)
    return None if row is None else MessageRow(**row)


def check(body: str, longest: int) -> None:
    """Raises BadTextError for what no channel carries: nothing, too much, or characters that are no text."""
    if not body.strip():
        raise BadTextError(body, "the text is empty")
    if len(body) > longest:
        raise BadTextError(body, f"the text has {len(body)} characters, more than {longest}")
    if not all(map(is_text, body)):
        raise BadTextError(body.encode("utf-8", "replace").decode(), "the text has a character that is no text")


def is_text(character: str) -> bool:
    """Whether texts, and what jobs keep, may hold it: jobs.ask refuses the same ones."""
    return character in LAID_OUT or unicodedata.category(character) not in ("Cc", "Cs")


def _recipient(text: MessageRow) -> Recipient:
    if text.vendor_id is not None:
        return ToVendor(text.vendor_id)
    if text.person_id is not None:
        return ToPerson(text.person_id)
    assert text.chat_guid is not None, "schema.sql: a text has one recipient"
    return ToChat(text.chat_guid)


def _reach(db: Conn, workspace_id: UUID, to: Recipient) -> directory.Reach:
    match to:
        case ToChat(chat_guid):
            who, name = directory.manager_in(db, workspace_id, chat_guid).id, f"the manager of chat {chat_guid}"
            reach = directory.reach(db, workspace_id, person_id=who)
        case ToPerson(person_id):
            name = f"person {person_id}"
            reach = directory.reach(db, workspace_id, person_id=person_id)
        case ToVendor(vendor_id):
            name = f"vendor {vendor_id}"
            reach = directory.reach(db, workspace_id, vendor_id=vendor_id)
    if isinstance(reach, directory.Unreachable):
        raise UnreachableError(name, reach.why)
    return reach
