"""The reader: what one reply says about each thing it can be about, and what to ask where its words do not settle it.

A message is taken whole or not at all: every word of one that decides something is accounted for, by the lexicon or as
a name. So "yes but tomorrow", "nah we did that yesterday" and "Bob says yes" decide nothing here. Only a stop word
needs no such care: it takes back what is held, and that is asked again.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from conductor.interpreting.before import Before
from conductor.interpreting.choice import by_name, by_pick
from conductor.interpreting.lexicon import JOINS_A_NUMBER, MANNERS, NODS, VERBS, Says, phrases, spelled
from conductor.interpreting.names import is_part, names_of, number
from conductor.interpreting.reading import Item, Reading, Unclear, Verdict, revoked, span
from conductor.interpreting.stop import stopped
from conductor.interpreting.words import MOST_WORDS, Word, words
from jobs.ask import Option

READER = "words-2"
LATER = timedelta(hours=1)  # "later" without a time; ours to choose, and the person is told it
About = Literal["confirm", "deny", "defer"]


def interpret(
    text: str, items: Sequence[Item], asked_back: Unclear | None, sent_at: datetime, just_asked: bool
) -> Reading:
    """Read one reply (several unread messages joined are one) about these items; pure.

    `asked_back` is what we asked in return to the last reply about the open ask: a number, or a word that only one of
    its options has, then answers it. `just_asked`: the last text before the reply was the ask itself; without that "ok"
    may be about something else that was said, and does not decide what cannot be undone.
    """
    said, before = words(text), Before(asked_back, just_asked)
    plain = [spelled(word) for word in said]
    return (
        stopped(text, said, plain, items, before)
        or understood(said, plain, items, before, sent_at)
        or not_understood(plain, items, before)
    )


def understood(
    said: list[Word], plain: list[Word], items: Sequence[Item], before: Before, sent_at: datetime
) -> Reading | None:
    if len(said) > MOST_WORDS or any(word.text in ("?", "¿") for word in said):
        return None
    kinds, taken = phrases(plain)
    if taken == len(plain):
        return by_phrases({says for says, _ in kinds}, plain, items, before, sent_at)
    return (
        by_item_number(said, plain, items, before, sent_at)
        or by_pick(said, plain, items, before)
        or by_name(said, plain, items, before)
    )


def by_phrases(
    says: set[Says], said: list[Word], items: Sequence[Item], before: Before, sent_at: datetime
) -> Reading | None:
    """A message that is nothing but phrases of the lexicon."""
    opened, held = [i for i in items if i.state == "open"], [i for i in items if i.state == "held"]
    about = meaning(says)
    if not opened:
        if held and about == "deny":
            return revoked(held, said)
        weight = says - {"polite", "greeting"}
        return Reading() if weight and weight - NODS <= ({"yes"} if held else set()) else None
    if about is None:
        return None
    if len(opened) > 1 or (held and (about != "confirm" or "yes" not in says)):
        return Reading(unclear=Unclear("which_item"))
    if any(opened[0].knows_another_as(word.text) for word in said):
        return None
    return on_item(about, opened[0], says, said, before, sent_at)


def meaning(says: set[Says]) -> About | None:
    weight = says - MANNERS
    if weight & {"yes", "weak_yes"} and weight <= {"yes", "weak_yes", "fine_words"}:
        return "confirm"
    if weight and (weight <= {"plain_no", "no"} or weight <= {"plain_no", "nobody"}):
        return "deny"  # but not "don't cancel"
    return "defer" if weight - {"plain_no", "no"} == {"later"} else None


def on_item(
    about: About, item: Item, says: set[Says], said: list[Word], before: Before, sent_at: datetime
) -> Reading | None:
    answer = item.ask.answer
    if about == "defer":
        return Reading((Verdict(item.item_no, "defer", {"until": (sent_at + LATER).isoformat()}, span(said)),))
    if item.reverses(said):
        return None
    if about == "confirm":
        if asked := before.asked_which(item):
            return Reading(unclear=asked)  # yes does not say which
        is_plain = "yes" in says or ("thanks" not in says and before.asks_yes_or_no)
        if not answer.confirm or not (item.ask.reversible or is_plain):
            return None
    elif not (answer.confirm or "nobody" in says or before.asked_about(item)):
        return None  # no is no answer to "who?", until it is said again
    return Reading((Verdict(item.item_no, about, {}, span(said)),))


def by_item_number(
    said: list[Word], plain: list[Word], items: Sequence[Item], before: Before, sent_at: datetime
) -> Reading | None:
    """ "yes for 1", "2 no", "use Bob for 1", where the items were listed last."""
    at = [n for n, word in enumerate(plain) if number((word.text,)) is not None]
    item = next((i for i in items if len(at) == 1 and i.item_no == number((plain[at[0]].text,))), None)
    if not before.numbers_items or item is None or (at[0] > 0 and plain[at[0] - 1].text in VERBS):
        return None  # "send 1": the item, or one of its options?
    first = at[0] - 1 if at[0] > 0 and plain[at[0] - 1].text in JOINS_A_NUMBER else at[0]
    rest, plain_rest = said[:first] + said[at[0] + 1 :], plain[:first] + plain[at[0] + 1 :]
    kinds, taken = phrases(plain_rest)
    if taken == len(rest):
        read = by_phrases({says for says, _ in kinds}, plain_rest, [item], Before(), sent_at)
    else:
        read = by_name(rest, plain_rest, [item], before)
    return read and replace(read, verdicts=tuple(replace(v, span=span(said)) for v in read.verdicts))


def not_understood(plain: list[Word], items: Sequence[Item], before: Before) -> Reading:
    """What was listed last is listed again, so that its numbers hold; not after words that wanted more than a pick."""
    if before.numbers_items and len(items) > 1:
        return Reading(unclear=Unclear("which_item"))
    opened = [i for i in items if i.state == "open"]
    asked = next((asked for i in opened if (asked := before.asked_which(i))), None)
    if asked is not None and asked.options and not wants_more(plain, asked.options):
        return Reading(unclear=replace(asked, reason="not_understood"))
    return Reading(unclear=Unclear("not_understood", opened[0].item_no if len(opened) == 1 else None))


def wants_more(plain: list[Word], options: tuple[Option, ...]) -> bool:
    """Whether the words point at one of the options, or decide, with more beside: a later "1" would drop the rest."""
    names = [name for option in options for name in names_of(option)]
    return len(plain) > 1 and any(
        word.text in VERBS
        or phrases([word])[1]
        or (word.text != "one" and number((word.text,)) is not None)
        or any(is_part((word.text,), name) for name in names)
        for word in plain
    )
