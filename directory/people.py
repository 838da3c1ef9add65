"""People: who answers for what, who lives where, and how somebody is reached."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from directory.errors import ChatTaken, NoSuch, NotOne
from directory.rows import Person
from directory.vendors import vendor
from jobs import make_chat
from jobs.db import Conn, statements

sql = statements(Path(__file__).with_suffix(".sql"))
SEE = "Import people with: sayso import people FILE"


@dataclass(frozen=True)
class Reach:
    """Where a text goes. The address is the channel's to read; nobody else looks into it."""

    channel: str
    address: str


@dataclass(frozen=True)
class Unreachable:
    """Nothing may be sent to them."""

    why: str


def reach(db: Conn, workspace_id: UUID, *, person_id: UUID | None = None,
          vendor_id: UUID | None = None) -> Reach | Unreachable:
    """How a person, or else a vendor, is reached. Raises NoSuch when nobody has the id.

    A vendor is reached also when no longer active: somebody on the way may have to be told not to come.
    """
    if person_id is not None:
        who = person(db, workspace_id, person_id)
        if who.opted_out_at is not None:
            return Unreachable(f"{who.name} asked on {who.opted_out_at:%Y-%m-%d} not to be written to")
        return Reach(who.channel, who.address)
    if vendor_id is None:
        raise ValueError("reach: give a person_id or a vendor_id")
    sent = vendor(db, workspace_id, vendor_id)
    return Reach(sent.channel, sent.address)


def person(db: Conn, workspace_id: UUID, person_id: UUID) -> Person:
    """Raises NoSuch."""
    return _one(sql.person(db, workspace_id=workspace_id, id=person_id), "person", person_id)


def manager_of(db: Conn, workspace_id: UUID, property_id: UUID) -> Person:
    """Who answers for a property. Raises NoSuch when there is no such property."""
    return _one(sql.manager_of(db, workspace_id=workspace_id, property_id=property_id), "property", property_id)


def manager_in(db: Conn, workspace_id: UUID, chat_guid: str) -> Person:
    """Who decides in a chat. Raises NoSuch when the chat has nobody, or is not there."""
    return _one(sql.manager_in(db, workspace_id=workspace_id, chat_guid=chat_guid), "manager of chat", chat_guid)


def manager_at(db: Conn, channel: str, address: str) -> Person:
    """Who writes from this address, of all workspaces. Raises NoSuch, and NotOne rather than guess."""
    found = [Person(**row) for row in sql.managers_at(db, channel=channel, address=address)]
    if len(found) > 1:
        raise NotOne("manager with the address", address, [f"{who.name} ({who.external_id})" for who in found],
                     "Give each an address of their own: sayso import people FILE")
    if not found:
        raise NoSuch("manager with the address", address, "Give a manager this address: sayso import people FILE")
    return found[0]


def managers(db: Conn, workspace_id: UUID) -> list[Person]:
    """Whoever decides in this workspace, the first one made first."""
    return [Person(**row) for row in sql.managers(db, workspace_id=workspace_id)]


def tenant_of(db: Conn, workspace_id: UUID, unit_id: UUID) -> Person | None:
    """The tenant of a unit; of several, one who may be written to, then the first by the user's own id."""
    row = sql.tenant_of(db, workspace_id=workspace_id, unit_id=unit_id)
    return None if row is None else Person(**row)


def tenant(db: Conn, workspace_id: UUID, who: str) -> Person:
    """The tenant of this id of the user's own, or of this name. Raises NoSuch, and NotOne rather than guess."""
    found = [Person(**row) for row in sql.tenants(db, workspace_id=workspace_id, who=who.strip())]
    if not found:
        raise NoSuch("tenant", who, SEE)
    if len(found) > 1 and found[0].external_id != who.strip():
        raise NotOne("tenant", who, [f"{person.name} ({person.external_id})" for person in found])
    return found[0]


def open_chat(db: Conn, workspace_id: UUID, chat_guid: str) -> None:
    """The chat of a manager to be, made when it is not there yet. Raises ChatTaken."""
    make_chat(db, workspace_id, chat_guid)
    owner = sql.owner_of_chat(db, chat_guid=chat_guid)
    if owner["workspace_id"] != workspace_id:
        raise ChatTaken(chat_guid, f"workspace {owner['workspace']}")
    if owner["manager"] is not None:
        raise ChatTaken(chat_guid, owner["manager"])


def _one(row: dict[str, Any] | None, what: str, value: object) -> Person:
    if row is None:
        raise NoSuch(what, value, SEE)
    return Person(**row)
