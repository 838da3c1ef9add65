"""Names: which of a slot's options a person means."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import OSA

from conductor.interpreting.words import words
from jobs.ask import Ask, Choice, Option

NUMBERS = {
    **{word: n for n, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine"), 1)},
    **{word: n for n, word in enumerate(("first", "second", "third", "fourth", "fifth"), 1)},
    **{word: n for n, word in enumerate(("1st", "2nd", "3rd", "4th", "5th"), 1)},
    **{word: n for n, word in enumerate(("uno", "dos", "tres", "cuatro", "cinco"), 1)},
}
LETTERS_THAT_BEAR_A_SLIP = 6  # below that one letter makes another name: Tony, Toby; Maria, Marie


@dataclass(frozen=True)
class Named:
    """`sure`: one option, by a name that is its own. `several`: more than one fits. `near`: none for certain."""

    how: Literal["sure", "several", "near", "none"]
    options: tuple[Option, ...] = ()


def named(said: tuple[str, ...], choice: Choice) -> Named:
    """The options of the whole slot that these words name. A name's last word alone ("plumbing") is only near it.

    A whole name of several words is sure though a longer one begins with it; one word is not: Bob may be any Bob.
    """
    everyone = tuple({o.id: o for o in (*choice.options, *choice.candidates)}.values())
    return best(
        (o for o in everyone if len(said) > 1 and said in names_of(o)),
        (o for o in everyone if any(is_part(said, name) and not is_tail(said, name) for name in names_of(o))),
        (o for o in everyone if any(is_misspelled(said, name) for name in names_of(o))),
        near=tuple(o for o in everyone if any(is_close(said, name) for name in names_of(o))),
    )


def picked(said: tuple[str, ...], options: tuple[Option, ...]) -> Named:
    """The one of a few numbered options that these words pick: by its number, or by any word that only it has."""
    n = number(said)
    by_word = [o for o in options if any(is_part(said, name) for name in names_of(o))]
    if n is not None and n <= len(options):
        return Named("sure", (options[n - 1],)) if by_word in ([], [options[n - 1]]) else Named("several", options)
    return best(
        by_word,
        (o for o in options if any(is_misspelled(said, name) for name in names_of(o))),
    )


def numbered(ask: Ask, choice: Choice) -> tuple[Option, ...]:
    """The slot's options, if the text that was shown puts their numbers before them."""
    shown = f"{ask.question}\n{ask.draft}"
    stands = (re.search(rf"(?<!\w){n}\W{{1,3}}{re.escape(o.label)}", shown) for n, o in enumerate(choice.options, 1))
    return choice.options if choice.options and all(stands) else ()


def number(said: tuple[str, ...]) -> int | None:
    """The number, from 1, that these words are: 2, two, 2nd, the second one."""
    bare = said[:-1] if len(said) == 2 and said[1] in ("one", "option") and said[0] in NUMBERS else said
    bare = bare[1:] if len(bare) == 2 and bare[0] in ("option", "number") else bare
    if len(bare) != 1:
        return None
    n = int(bare[0]) if bare[0].isascii() and bare[0].isdigit() and len(bare[0]) < 4 else NUMBERS.get(bare[0], 0)
    return n if n > 0 else None


def best(*ways: Iterable[Option], near: tuple[Option, ...] = ()) -> Named:
    """The first way that finds anybody decides."""
    for way in ways:
        found = tuple(way)
        if found:
            return Named("sure" if len(found) == 1 else "several", found)
    return Named("near" if near else "none", near)


def names_of(option: Option) -> list[tuple[str, ...]]:
    spelled = (
        tuple(w.text for w in words(name) if w.text not in ("&", "and", "the"))
        for name in (option.label, *option.aliases)
    )
    return [name for name in spelled if name]


def is_part(said: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Whether each word said is one of the name's: bob is, in Bob's."""
    return all(any(word in (part, f"{part}s") or part == f"{word}s" for part in name) for word in said)


def is_tail(said: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return len(name) > 1 and said == name[-1:]


def is_misspelled(said: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Whether it is the name's beginning, with one slip in a word long enough to bear it."""
    pairs = list(zip(said, name, strict=False))
    wrong = [(word, part) for word, part in pairs if word != part]
    return (
        len(said) <= len(name)
        and len(wrong) == 1
        and all(
            min(map(len, pair)) >= LETTERS_THAT_BEAR_A_SLIP and OSA.distance(*pair, score_cutoff=1) == 1
            for pair in wrong
        )
    )


def is_close(said: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Whether each word said is one of the name's, or one letter away: a word more ("tomorrow") is no name."""
    return bool(said) and all(
        is_part((word,), name)
        or any(len(word) >= 4 and len(part) >= 4 and OSA.distance(word, part, score_cutoff=1) <= 1 for part in name)
        for word in said
    )
