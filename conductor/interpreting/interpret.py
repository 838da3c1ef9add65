"""The reader: what one reply says about each thing it can be about, and what to ask where its words do not settle it.

A message is taken whole or not at all: every word of one that decides something is accounted for, by the lexicon or as
a name. So "yes but tomorrow", "nah we did that yesterday" and "Bob says yes" decide nothing here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from conductor.interpreting.lexicon import OF_ANYBODY, THANKS, Says, phrases, spelled
from conductor.interpreting.names import NUMBERS, Named, named, number, numbered, picked
from conductor.interpreting.reading import Item, Reading, Unclear, Verdict
from conductor.interpreting.words import Word, words
from jobs.ask import Choice

READER = "words-1"
LATER = timedelta(hours=1)  # "later" without a time; ours to choose, and the person is told it
JOINS_A_NUMBER = ("for", "to", "on", "item", "number", "#")
WANTS = (
    *(("lets", "go", "with"), ("go", "with"), ("lets", "use"), ("give", "it", "to"), ("i", "want")),
    *((verb,) for verb in ("use", "send", "get", "book", "have", "try", "pick", "take", "want", "dispatch", "choose")),
    *(("mejor", "manda", "a"), ("manda", "a"), ("mandale", "a"), ("mejor", "usa"), ("manda",), ("usa",), ("its",)),
)

BEFORE = ("please", "pls", "plz", "actually", "ok", "okay", "hi", "hey")
AFTER = ("please", "pls", "plz", "thanks", "thx", "ty", "instead", "🙏", "gracias", "mejor")


def interpret(
    text: str, items: Sequence[Item], asked_back: Unclear | None, sent_at: datetime, just_asked: bool = False
) -> Reading:
    """Read one reply (several unread messages joined are one) about these items; pure.

    `asked_back` is what we asked in return to the last reply about the open ask: a number, or a word that only one of
    its options has, then answers it. `just_asked`: the last text before the reply was the ask itself; without that "ok"
    may be about something else that was said, and does not decide what cannot be undone.
    """
    said = words(text)
    if any(word.text in ("?", "¿") for word in said):
        return not_understood(items)
    plain = [spelled(word) for word in said]
    kinds, taken = phrases(plain)
    if taken == len(plain):
        return by_phrases({says for says, _ in kinds}, plain, items, Before(asked_back, just_asked), sent_at)
    return (
        by_pick(said, items, asked_back)
        or by_item_number(plain, items, sent_at)
        or by_name(said, plain, items)
        or not_understood(items)
    )


@dataclass(frozen=True)
class Before:
    """What stood before the reply."""

    asked_back: Unclear | None = None
    just_asked: bool = True

    @property
    def asks_yes_or_no(self) -> bool:
        return self.just_asked or (self.asked_back is not None and self.asked_back.reason == "not_understood")


def by_phrases(says: set[Says], said: list[Word], items: Sequence[Item], before: Before, sent_at: datetime) -> Reading:
    """A message that is nothing but phrases of the lexicon."""
    says = says - {"polite"}
    opened, held = [i for i in items if i.state == "open"], [i for i in items if i.state == "held"]
    if says and says <= {"revoke", "no"} and held and ("revoke" in says or not opened):
        return Reading(tuple(Verdict(i.item_no, "revoke", {}, span(said)) for i in held))
    if not opened:
        assent = says <= {"yes", "weak_yes", "fine_words"}
        return Reading() if assent else not_understood(items)
    if says <= {"weak_yes", "fine_words"} and any(word.text in THANKS for word in said):
        return not_understood(items)  # "ok thanks" may be manners: an effect wants a plainer yes
    about = meaning(says)
    if about is None:
        return not_understood(items)
    if len(opened) > 1 or (held and (about != "confirm" or "yes" not in says)):
        return Reading(unclear=Unclear("which_item"))
    if about == "confirm" and "yes" not in says and not opened[0].ask.reversible and not before.asks_yes_or_no:
        return not_understood(items)
    if any(is_name_too(word, opened[0]) for word in said):
        return not_understood(items)
    return on_item(about, opened[0], said, before.asked_back, sent_at)


def meaning(says: set[Says]) -> Literal["confirm", "deny", "defer"] | None:
    if says <= {"yes", "weak_yes", "fine_words"} and says & {"yes", "weak_yes"}:
        return "confirm"
    if says == {"no"}:
        return "deny"
    return "defer" if says in ({"later"}, {"no", "later"}) else None


def on_item(
    about: Literal["confirm", "deny", "defer"],
    item: Item,
    said: list[Word],
    asked_back: Unclear | None,
    sent_at: datetime,
) -> Reading:
    if about == "defer":
        return Reading((Verdict(item.item_no, "defer", {"until": (sent_at + LATER).isoformat()}, span(said)),))
    if asked_back is not None and asked_back.reason in ("two_of_name", "no_such_name"):
        return Reading(unclear=asked_back)  # yes or no does not say which
    if not item.ask.answer.confirm:
        return not_understood([item])
    return Reading((Verdict(item.item_no, about, {}, span(said)),))


def by_item_number(said: list[Word], items: Sequence[Item], sent_at: datetime) -> Reading | None:
    """ "yes for 1", "2 no", "stop 1", where more than one item can be meant."""
    at = [n for n, word in enumerate(said) if number((word.text,)) is not None]
    if len(items) < 2 or len(at) != 1:
        return None
    n = number((said[at[0]].text,))
    first = at[0] - 1 if at[0] > 0 and said[at[0] - 1].text in JOINS_A_NUMBER else at[0]
    rest = said[:first] + said[at[0] + 1 :]
    kinds, taken = phrases(rest)
    says = {kind for kind, _ in kinds} - {"polite"}
    item = next((i for i in items if i.item_no == n), None)
    if item is None or taken != len(rest) or not says:
        return None
    if item.state == "held":
        revoked = says <= {"revoke", "no"}
        return Reading((Verdict(item.item_no, "revoke", {}, span(said)),)) if revoked else None
    about = meaning(says)
    return on_item(about, item, said, None, sent_at) if about is not None else None


def by_pick(said: list[Word], items: Sequence[Item], asked_back: Unclear | None) -> Reading | None:
    """The answer to "which of these?"."""
    item = next(
        (i for i in items if asked_back is not None and i.item_no == asked_back.item_no and i.state == "open"), None
    )
    if item is None or asked_back is None or asked_back.slot is None or not asked_back.options:
        return None
    _, name = wanted(said)
    found = picked(name, asked_back.options) if name else None
    if found is None or found.how in ("near", "none"):
        return None
    if found.how == "several":
        return Reading(unclear=Unclear("two_of_name", item.item_no, asked_back.slot, found.options))
    return Reading((chosen(item, asked_back.slot, found.options[0].id, said),))


def by_name(said: list[Word], plain: list[Word], items: Sequence[Item]) -> Reading | None:
    """ "no use Bob", "send Bob", "Bob": one open item, one slot, one option."""
    kinds, has_verb, name = addressed(said, plain)
    says = set(kinds)
    opened = [i for i in items if i.state == "open"]
    if not name or not (
        says <= {"yes", "weak_yes", "polite"} or kinds == ["no"] or (has_verb and says <= {"no", "polite"})
    ):
        return None
    if not opened:
        revoked = "no" in says and has_verb
        return (
            Reading(tuple(Verdict(i.item_no, "revoke", {}, span(said)) for i in items)) if revoked and items else None
        )
    fits = [i for i in items if find(i, name)[1].how in ("sure", "several")]
    if len(opened) > 1 or any(i.state == "held" for i in fits):
        return Reading(unclear=Unclear("which_item")) if fits else None
    item = opened[0]
    slot, found = find(item, name)
    if found.how == "sure":
        return by_option(item, slot, found.options[0].id, found.options[0].suggested, says, said)
    if found.how == "several":
        return Reading(unclear=Unclear("two_of_name", item.item_no, slot, found.options))
    if not says and takes_unlisted(item, slot) and len(name) <= 5 and any(word.isdigit() for word in name):
        return Reading((chosen(item, slot, " ".join(name), said),))
    if slot and len(name) < 4 and (has_verb or (len(name) < 3 and (found.options or not item.ask.answer.confirm))):
        return Reading(unclear=Unclear("no_such_name", item.item_no, slot, found.options))
    return None


def by_option(item: Item, slot: str, option: str, suggested: bool, says: set[Says], said: list[Word]) -> Reading | None:
    agrees = bool(says & {"yes", "weak_yes"})
    if suggested and item.ask.answer.confirm:
        return None if "no" in says else Reading((Verdict(item.item_no, "confirm", {}, span(said)),))
    if item.ask.answer.confirm and agrees:
        return None  # yes to the one we named, or the other one?
    if not item.ask.answer.confirm and "no" in says:
        return None  # not that one, or no to something else?
    return Reading((chosen(item, slot, option, said),))


def addressed(said: list[Word], plain: list[Word]) -> tuple[list[Says], bool, tuple[str, ...]]:
    """What the text says before it names somebody, whether a verb asks for them, and the name."""
    kinds, taken = phrases(plain)
    at = 0
    for n in range(len(kinds)):
        has_verb, name = wanted(said[at:])
        if has_verb and name:
            return [says for says, _ in kinds[:n]], True, name
        at += kinds[n][1]
    return [says for says, _ in kinds], *wanted(said[taken:])


def is_name_too(word: Word, item: Item) -> bool:
    """Whether a word of the lexicon can also mean somebody other than the one we suggest: Dale, Simón."""
    choices = [slot for slot in item.ask.answer.slots.values() if isinstance(slot, Choice)]
    others = [
        o for c in choices if word.text not in OF_ANYBODY for o in named((word.text,), c).options if not o.suggested
    ]
    return bool(others) and any(named((word.text,), c).how in ("sure", "several") for c in choices)


def takes_unlisted(item: Item, slot: str) -> bool:
    """Whether what is not listed may be given, as its owner can ask again if it is nothing: "birch 4" of many units."""
    what = item.ask.answer.slots.get(slot)
    return isinstance(what, Choice) and what.open and item.ask.reversible and not item.ask.answer.confirm


def find(item: Item, name: tuple[str, ...]) -> tuple[str, Named]:
    """The choice slot that the words name something in, and what; by number too, where the text shows numbers."""
    ways: list[tuple[str, Named]] = []
    for slot, what in item.ask.answer.slots.items():
        if isinstance(what, Choice):
            found = named(name, what)
            by_number = numbered(item.ask, what) if number(name) is not None else ()
            ways.append((slot, picked(name, by_number) if by_number and found.how == "none" else found))
    certain = [way for way in ways if way[1].how in ("sure", "several")]
    if len(certain) > 1:
        return "", Named("none")
    return next(iter(certain or ways), ("", Named("none")))


def wanted(said: list[Word]) -> tuple[bool, tuple[str, ...]]:
    """The name in "please use the NAME instead", and whether a verb asks for it."""
    texts = [word.text for word in said]
    while texts and texts[0] in BEFORE:
        del texts[0]
    verb = next((verb for verb in WANTS if tuple(texts[: len(verb)]) == verb), ())
    del texts[: len(verb)]
    while texts and texts[0] in ("the", "el", "la"):
        del texts[0]
    while texts and texts[-1] in AFTER:
        del texts[-1]
    if len(texts) == 2 and texts[1] == "one" and texts[0] not in NUMBERS:
        del texts[1]  # the electric one
    return bool(verb), tuple(texts)


def chosen(item: Item, slot: str, option: str, said: list[Word]) -> Verdict:
    return Verdict(item.item_no, "correct" if item.ask.answer.confirm else "choose", {slot: option}, span(said))


def not_understood(items: Sequence[Item]) -> Reading:
    opened = [i.item_no for i in items if i.state == "open"]
    return Reading(unclear=Unclear("not_understood", opened[0] if len(opened) == 1 else None))


def span(said: list[Word]) -> tuple[int, int]:
    return (said[0].start, said[-1].end) if said else (0, 0)
