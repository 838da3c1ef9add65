"""The values that reading a reply takes and gives."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from conductor.interpreting.lexicon import ACTS, OF_ANYBODY, REVERSES
from conductor.interpreting.names import Named, named, number, numbered, picked
from conductor.interpreting.words import Word, words
from jobs.ask import Ask, Choice, Option


@dataclass(frozen=True)
class Item:
    """One thing that the reply can be about. Numbers are unique: the open ask's own, then what is held."""

    item_no: int
    job_id: UUID
    state: Literal["open", "held"]
    ask: Ask

    def find(self, name: tuple[str, ...], is_numbered_elsewhere: bool = False) -> tuple[str, Named]:
        """The choice slot that the words name something in, and what; by number too, where the ask's text shows it."""
        ways: list[tuple[str, Named]] = []
        for slot, what in self.ask.answer.slots.items():
            if isinstance(what, Choice):
                found = named(name, what)
                is_own = number(name) is not None and not is_numbered_elsewhere
                listed = numbered(self.ask, what) if is_own and found.how == "none" else ()
                ways.append((slot, picked(name, listed) if listed else found))
        certain = [way for way in ways if way[1].how in ("sure", "several")]
        if len(certain) > 1:
            return "", Named("none")
        return next(iter(certain or ways), ("", Named("none")))

    def knows_another_as(self, word: str) -> bool:
        """Whether a word of the lexicon can also mean somebody other than the one we suggest: Dale, Simón."""
        choices = [slot for slot in self.ask.answer.slots.values() if isinstance(slot, Choice)]
        found = [named((word,), choice) for choice in choices if word not in OF_ANYBODY]
        return any(not option.suggested for one in found for option in one.options) and any(
            one.how in ("sure", "several") for one in found
        )

    def reverses(self, said: list[Word]) -> bool:
        """Whether these words may mean the opposite here: "cancel", where the question is whether to cancel."""
        asked = {word.text[:4] for word in words(f"{self.ask.question} {self.ask.draft}")}
        return bool(asked & {verb[:4] for verb in REVERSES}) and any(word.text in ACTS for word in said)


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
    items fit, and are listed by their item_no; item_no here is None. not_understood: anything else; item_no is None
    unless exactly one item is open, and options are those of the question back before, to be listed again.
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


def revoked(items: Sequence[Item], said: list[Word]) -> Reading:
    return Reading(tuple(Verdict(item.item_no, "revoke", {}, span(said)) for item in items))


def span(said: list[Word]) -> tuple[int, int]:
    return (said[0].start, said[-1].end) if said else (0, 0)
