"""What intake reads of the directory in bulk or by the user's own names. Reads only."""

from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from directory import NoSuch, NotOne, Person, UnitPlace
from jobs.db import Conn, statements

sql = statements(Path(__file__).with_suffix(".sql"))


def units(db: Conn, workspace_id: UUID, most: int) -> list[UnitPlace]:
    """The first units, by property and label."""
    return [UnitPlace(**row) for row in sql.units(db, workspace_id=workspace_id, most=most)]


def unit_ids(db: Conn, workspace_id: UUID) -> list[UUID]:
    """Of all units, by the user's own ids."""
    return [row["id"] for row in sql.unit_ids(db, workspace_id=workspace_id)]


def property_names(db: Conn, workspace_id: UUID, ids: Sequence[UUID]) -> dict[UUID, str]:
    return {row["id"]: row["name"] for row in sql.property_names(db, workspace_id=workspace_id, ids=list(ids))}


def tenant(db: Conn, workspace_id: UUID, who: str) -> Person:
    """The tenant of this id of the user's own, or of this name. Raises NoSuch, and NotOne rather than guess."""
    found = [Person(**row) for row in sql.tenants(db, workspace_id=workspace_id, who=who.strip())]
    if not found:
        raise NoSuch("tenant", who, "Import people with: sayso import people FILE")
    if len(found) > 1 and found[0].external_id != who.strip():
        raise NotOne("tenant", who, [f"{person.name} ({person.external_id})" for person in found])
    return found[0]
