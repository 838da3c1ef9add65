"""Workspaces: how one begins, and which one is meant."""

from pathlib import Path
from typing import Any
from uuid import UUID

from directory.cells import CHANNELS, one_of
from directory.errors import NoSuch, NotOne
from directory.people import open_chat
from directory.rows import Workspace
from jobs.ask import one_line
from jobs.db import Conn, statements
from jobs.errors import BadValue

sql = statements(Path(__file__).with_suffix(".sql"))
LONGEST_HOLD_SECONDS = 3600  # as in schema.sql


def create_workspace(db: Conn, *, name: str, manager_name: str, chat_guid: str, hold_seconds: int = 60,
                     channel: str = CHANNELS[0], address: str | None = None, is_demo: bool = False) -> Workspace:
    """Make a workspace, its manager and the manager's chat, in the caller's transaction.

    Idempotent by name: what is there is returned as it is, whatever else is given. `channel` and `address` are the
    manager's; the address is by default the chat's name, which is also their id in sheets. Raises BadValue, BadCell,
    ChatTaken; then nothing is made.
    """
    address = chat_guid if address is None else address
    for field, text in (("name", name), ("manager", manager_name), ("chat", chat_guid), ("address", address)):
        one_line(field, text)
    one_of("channel", channel, CHANNELS)
    if not 0 <= hold_seconds <= LONGEST_HOLD_SECONDS:
        raise BadValue(f"hold_seconds is {hold_seconds}", f"Use 0 to {LONGEST_HOLD_SECONDS}.",
                       field="hold_seconds", value=hold_seconds)
    with db.transaction():
        row = sql.insert(db, name=name, hold_seconds=hold_seconds, is_demo=is_demo)
        if row is None:
            return Workspace(**sql.named(db, name=name))
        open_chat(db, row["id"], chat_guid)
        sql.insert_manager(db, workspace_id=row["id"], name=manager_name, chat_guid=chat_guid,
                           channel=channel, address=address)
        return Workspace(**row)


def workspace(db: Conn, named: str | UUID | None = None) -> Workspace:
    """The workspace of this name or id; without either, the only one there is. Raises NoSuch, NotOne."""
    rows = [Workspace(**row) for row in sql.all(db)]
    if named is not None:
        rows = [row for row in rows if str(named) in (row.name, str(row.id))]
        if not rows:
            raise NoSuch("workspace", named, "See: sayso workspace list")
    if not rows:
        raise NoSuch("workspace", None, "Make one: sayso workspace init NAME --manager NAME")
    if len(rows) > 1:
        raise NotOne("workspace", None, [row.name for row in rows])
    return rows[0]


def overview(db: Conn) -> list[dict[str, Any]]:
    """Every workspace with its managers, their chats, and how much is in it."""
    return list(sql.overview(db))
