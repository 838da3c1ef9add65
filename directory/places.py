"""Places: the unit that somebody means by what they wrote."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from directory.errors import NoSuch, NotOne
from jobs.db import Conn, statements

sql = statements(Path(__file__).with_suffix(".sql"))
SEE = "Use its id or, say, '12 Birch #4'. Import units with: sayso import units FILE"
ALL = 1_000_000  # more units than anybody has
NO_NAMES = {"unit", "apt", "apartment", "no"}  # words before a label that say nothing


@dataclass(frozen=True)
class UnitPlace:
    """A unit with the property it is in."""

    id: UUID
    external_id: str
    label: str
    property_id: UUID
    property_name: str
    property_address: str

    @property
    def name(self) -> str:
        """'12 Birch #4'"""
        return f"{self.property_name} {self.label}"


def place(db: Conn, workspace_id: UUID, unit_id: UUID) -> UnitPlace:
    """The unit of this id. Raises NoSuch."""
    row = sql.place(db, workspace_id=workspace_id, id=unit_id)
    if row is None:
        raise NoSuch("unit", unit_id, SEE)
    return UnitPlace(**row)


def unit(db: Conn, workspace_id: UUID, text: str) -> UnitPlace:
    """The unit that goes by the user's own id, by '12 Birch #4', or by less when that fits one unit alone ('birch 4').

    Raises NoSuch, and NotOne rather than guess.
    """
    exact = [UnitPlace(**row) for row in sql.exact(db, workspace_id=workspace_id, text=text.strip())]
    if by_id := [found for found in exact if found.external_id == text.strip()]:
        return by_id[0]
    fitting = exact or list(meant_by(text, units(db, workspace_id, ALL)))
    if not fitting:
        raise NoSuch("unit", text, SEE)
    if len(fitting) > 1:
        raise NotOne("unit", text, [f"{found.name} ({found.external_id})" for found in fitting])
    return fitting[0]


def units(db: Conn, workspace_id: UUID, most: int) -> list[UnitPlace]:
    """The first `most` units, by property and label."""
    return [UnitPlace(**row) for row in sql.places(db, workspace_id=workspace_id, most=most)]


def unit_ids(db: Conn, workspace_id: UUID) -> list[UUID]:
    """Of all units, by the user's own ids."""
    return [row["id"] for row in sql.unit_ids(db, workspace_id=workspace_id)]


def property_names(db: Conn, workspace_id: UUID, ids: Iterable[UUID]) -> dict[UUID, str]:
    return {row["id"]: row["name"] for row in sql.property_names(db, workspace_id=workspace_id, ids=list(ids))}


def meant_by(text: str, places: Iterable[UnitPlace]) -> Iterable[UnitPlace]:
    """Those whose label ends the text, and whose property has every word before it in its name or address."""
    words = _words(text)
    for candidate in places:
        label = _words(candidate.label)
        if label and words[-len(label):] == label:
            of_property = _words(f"{candidate.property_name} {candidate.property_address}")
            if all(word in of_property for word in words[:-len(label)]):
                yield candidate


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.casefold()) if word not in NO_NAMES]
