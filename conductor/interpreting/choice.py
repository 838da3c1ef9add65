"""Choice: a reply that names somebody, or picks one of the options that we listed."""

from collections.abc import Sequence

from conductor.interpreting.address import Address, addressed
from conductor.interpreting.before import Before
from conductor.interpreting.names import number, picked
from conductor.interpreting.reading import Item, Reading, Unclear, Verdict, revoked, span
from conductor.interpreting.words import Word
from jobs.ask import Choice, Option


def by_pick(said: list[Word], plain: list[Word], items: Sequence[Item], before: Before) -> Reading | None:
    """The answer to "which of these?"."""
    item = next((i for i in items if i.state == "open" and before.asked_which(i)), None)
    asked = before.asked_which(item) if item is not None else None
    if item is None or asked is None or asked.slot is None or not asked.options:
        return None
    call = addressed(said, plain)
    if not call.name or not call.chooses or (number(call.name) and "plain_no" in call.says and not call.has_verb):
        return None  # "no 2" may forbid it
    found = picked(call.name, asked.options)
    if found.how == "several":
        return Reading(unclear=Unclear("two_of_name", item.item_no, asked.slot, found.options))
    return by_option(item, asked.slot, found.options[0], call, said, before) if found.how == "sure" else None


def by_name(said: list[Word], plain: list[Word], items: Sequence[Item], before: Before) -> Reading | None:
    """ "no use Bob", "send Bob", "Bob": one open item, one slot, one option."""
    call = addressed(said, plain)
    if not call.name:
        return None
    opened = [i for i in items if i.state == "open"]
    fits = [i for i in items if i.find(call.name, before.numbers_something)[1].how in ("sure", "several")]
    refuses = bool(call.says & {"no", "plain_no"})
    if not opened:
        return revoked(items, said) if items and refuses and (call.has_verb or fits) else None
    if len(opened) > 1 or any(i.state == "held" for i in fits):
        return Reading(unclear=Unclear("which_item")) if fits and (refuses or call.chooses) else None
    return in_one(opened[0], call, said, before) if call.chooses else None


def in_one(item: Item, call: Address, said: list[Word], before: Before) -> Reading | None:
    """What the name means in the only item that is open."""
    slot, found = item.find(call.name, before.numbers_something)
    if found.how == "sure":
        return by_option(item, slot, found.options[0], call, said, before)
    if found.how == "several":
        return Reading(unclear=Unclear("two_of_name", item.item_no, slot, found.options))
    is_listed_number = number(call.name) is not None and before.numbers_something
    if not call.says and takes_unlisted(item, slot) and is_place(call.name) and not is_listed_number:
        return Reading((chosen(item, slot, " ".join(call.name), said),))
    is_asked_for = call.has_verb or not item.ask.answer.confirm
    is_unknown_name = len(call.name) == 1 and call.name[0].isalpha() and is_asked_for
    if slot and (is_unknown_name or found.how == "near"):
        return Reading(unclear=Unclear("no_such_name", item.item_no, slot, found.options))
    return None


def by_option(item: Item, slot: str, option: Option, call: Address, said: list[Word], before: Before) -> Reading | None:
    refuses, agrees = "plain_no" in call.says, bool(call.says & {"yes", "weak_yes"})
    if not item.ask.answer.confirm:
        return None if refuses else Reading((chosen(item, slot, option.id, said),))
    if not option.suggested:  # agreeing: yes to the one we named, or the other one?
        asked = before.asked_which(item)
        is_listed = asked is not None and option in asked.options
        return None if agrees and not is_listed else Reading((chosen(item, slot, option.id, said),))
    is_plain = call.has_verb or "yes" in call.says
    is_about_this = "thanks" not in call.says and (before.just_asked or before.asked_back is not None)
    if refuses or not (item.ask.reversible or is_plain or is_about_this) or item.reverses(said):
        return None
    return Reading((Verdict(item.item_no, "confirm", {}, span(said)),))


def takes_unlisted(item: Item, slot: str) -> bool:
    """Whether what is not listed may be given, as its owner can ask again if it is nothing: "birch 4" of many units."""
    what = item.ask.answer.slots.get(slot)
    return isinstance(what, Choice) and what.open and item.ask.reversible and not item.ask.answer.confirm


def is_place(name: tuple[str, ...]) -> bool:
    return len(name) <= 5 and any(word.isdigit() for word in name)


def chosen(item: Item, slot: str, option: str, said: list[Word]) -> Verdict:
    return Verdict(item.item_no, "correct" if item.ask.answer.confirm else "choose", {slot: option}, span(said))
