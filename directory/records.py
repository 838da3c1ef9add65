"""Records: what the columns of each kind of sheet are, and which row of the directory a line is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from directory import cells
from directory.errors import BadCell, NoSuch, NotOne
from directory.people import managers, open_chat
from directory.places import unit
from jobs.db import Conn

Cells = Mapping[str, str]
Values = dict[str, Any]
CONTACTS = ("address", "phone", "email")
CHANNEL = cells.optional(cells.channel, cells.CHANNELS[0])


@dataclass(frozen=True)
class Kind:
    """One kind of sheet. `also` looks up the other rows that a line names; it gets the row that is there, or None."""

    needed: tuple[str, ...]
    columns: Mapping[str, tuple[str, Callable[[str, str], Any]]]  # column -> our field, how it is read
    also: Callable[[Conn, UUID, Cells, Values | None], Values] = lambda *_: {}
    looked_up: tuple[str, ...] = ()  # columns that `also` reads
    contact: bool = False  # has an address, a phone or an email: the first that is filled in is how they are reached
    defaults: Values = field(default_factory=dict)  # of a new row, for columns that are not in the sheet

    @property
    def known(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(("id", *self.needed, *self.columns, *self.looked_up, *(CONTACTS * self.contact))))


def values(db: Conn, workspace_id: UUID, kind: Kind, given: Cells, there: Values | None) -> Values:
    """What the row is to be: a column that the sheet lacks stays as it is. Raises Refused."""
    for name, text in given.items():
        if text:
            cells.laid_out(name, text)
    read = {ours: how(name, given[name]) for name, (ours, how) in kind.columns.items() if name in given}
    if kind.contact:
        read["address"] = _contact(given)
    return {**kind.defaults, **(there or {}), **read, **kind.also(db, workspace_id, given, there)}


def _contact(given: Cells) -> str:
    filled = [(name, given[name]) for name in CONTACTS if given.get(name)]
    if not filled:
        raise BadCell("address", "", "there is no way to reach them", "Fill in address, phone or email.")
    return cells.laid_out(*filled[0])


def _managed(db: Conn, workspace_id: UUID, given: Cells, there: Values | None) -> Values:
    wanted = given.get("manager", "")
    if not wanted and there is not None:
        return {}
    all_managers = managers(db, workspace_id)
    fitting = [m for m in all_managers if not wanted or wanted == m.external_id] \
        or [m for m in all_managers if wanted.casefold() == m.name.casefold()]
    if len(fitting) == 1:
        return {"manager_id": fitting[0].id}
    named = ", ".join(f"{m.name} ({m.external_id})" for m in all_managers) or "nobody"
    raise BadCell("manager", wanted, "no manager has this id or name" if not fitting else "several managers fit",
                  f"Use the id of a manager. There is: {named}.")


def _in_property(db: Conn, workspace_id: UUID, given: Cells, there: Values | None) -> Values:
    wanted = given["property"]
    rows = db.execute("SELECT id, external_id = %(it)s AS by_id FROM directory_properties WHERE workspace_id = %(ws)s"
                      " AND (external_id = %(it)s OR lower(name) = lower(%(it)s)) ORDER BY by_id DESC",
                      {"ws": workspace_id, "it": wanted}).fetchall()
    if not rows:
        raise BadCell("property", wanted, "no property has this id or name",
                      "Import the properties first, or correct it.")
    if len(rows) > 1 and not rows[0]["by_id"]:
        raise BadCell("property", wanted, f"{len(rows)} properties have this name", "Use the id of the property.")
    return {"property_id": rows[0]["id"]}


def _living(db: Conn, workspace_id: UUID, given: Cells, there: Values | None) -> Values:
    role, chat, wanted = _role(given, there), given.get("chat", ""), given.get("unit", "")
    if role != "tenant" and wanted:
        raise BadCell("unit", wanted, f"only a tenant lives in a unit, and this is {role}", "Leave it empty.")
    if role == "manager" and there is None:
        chat = cells.line("chat", chat)
        open_chat(db, workspace_id, chat)
        return {"role": role, "chat_guid": chat}
    if chat and chat != (there or {}).get("chat_guid"):
        raise BadCell("chat", chat, "only a manager has a chat, and keeps it", "Leave it empty.")
    if not wanted:
        return {"role": role, **({"unit_id": None} if "unit" in given or role != "tenant" else {})}
    try:
        return {"role": role, "unit_id": unit(db, workspace_id, wanted).id}
    except (NoSuch, NotOne) as error:
        raise BadCell("unit", wanted, str(error), error.next_step) from error


def _role(given: Cells, there: Values | None) -> str:
    role = cells.role("role", given["role"]) if given.get("role") else (there or {}).get("role", "tenant")
    if there is not None and role != there["role"] and "manager" in (role, there["role"]):
        raise BadCell("role", role, f"this person is {there['role']} already", "Import them under another id.")
    return str(role)


KINDS: Mapping[str, Kind] = {
    "properties": Kind(
        ("id", "name", "address"),
        {"name": ("name", cells.line), "address": ("address", cells.laid_out)},
        _managed, ("manager",)),
    "units": Kind(("id", "property", "label"), {"label": ("label", cells.line)}, _in_property, ("property",)),
    "people": Kind(
        ("id", "name"), {"name": ("name", cells.line), "channel": ("channel", CHANNEL)},
        _living, ("role", "unit", "chat"), contact=True,
        defaults={"chat_guid": None, "unit_id": None, "channel": cells.CHANNELS[0]}),
    "vendors": Kind(
        ("id", "name", "trades"),
        {"name": ("name", cells.line), "aliases": ("aliases", cells.several), "trades": ("trades", cells.trades),
         "active": ("is_active", cells.optional(cells.yes, True)),
         "insured_until": ("insured_until", cells.optional(cells.day, None)),
         "rate": ("rate", cells.optional(cells.line, None)), "channel": ("channel", CHANNEL)},
        contact=True,
        defaults={"aliases": [], "is_active": True, "insured_until": None, "rate": None, "channel": cells.CHANNELS[0]}),
}
