"""The values that reading a reply takes and gives."""

from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from jobs.ask import Ask, Option


@dataclass(frozen=True)
class Item:
    """One thing that the reply can be about. Numbers are unique: the open ask's own, then what is held."""

    item_no: int
    job_id: UUID
    state: Literal["open", "held"]
    ask: Ask


@dataclass(frozen=True)
class Verdict:
    """What the words from span[0] to span[1] of the reply say about one item."""

    item_no: int
    verdict: Literal["confirm", "deny", "correct", "choose", "defer", "revoke"]
    values: dict[str, str] = field(default_factory=dict)  # slot: id of an option; of a defer, until: ISO 8601
    span: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Unclear:
    """What must be asked in return. `options` are shown numbered from 1: the next reply may be a number.

    two_of_name: several options fit. no_such_name: none does; options are the near ones, if any. which_item: several
    items fit; item_no is None. not_understood: anything else; item_no is None unless exactly one item is open.
    crossed: never said here; the reply may be older than the question it would answer.
    """

    reason: Literal["two_of_name", "no_such_name", "not_understood", "which_item", "crossed"]
    item_no: int | None = None
    slot: str | None = None
    options: tuple[Option, ...] = ()


@dataclass(frozen=True)
class Reading:
    """All that one reply says. Neither a verdict nor unclear: it decides nothing and needs no answer ("ok thanks")."""

    verdicts: tuple[Verdict, ...] = ()
    unclear: Unclear | None = None
