"""Cells: what one text of a sheet means. Each raises BadCell, which names the field, the value and the remedy."""

from collections.abc import Callable
from datetime import date
from difflib import get_close_matches
from typing import TypeVar

from directory.errors import BadCell
from directory.trades import TRADES
from jobs.ask import one_line

T = TypeVar("T")
YES = ("yes", "y", "true", "1")
NO = ("no", "n", "false", "0")
LONGEST = 1000  # characters; more is a slip of a quote
ROLES = ("manager", "staff", "tenant")
CHANNELS = ("terminal", "http")  # by which somebody may be reached: those of channels/registry.py


def line(field: str, text: str) -> str:
    """A name: white space, also line ends, counts as one blank."""
    name = " ".join(text.split())
    one_line(field, name)
    return name


def laid_out(field: str, text: str) -> str:
    """Any text, kept as it is, such as an address: it may have several lines."""
    one_line(field, " ".join(text.split()), LONGEST)
    return text


def several(field: str, text: str) -> list[str]:
    return [line(field, part) for part in text.split("|") if part.strip()]


def trades(field: str, text: str) -> list[str]:
    found = [one_of(field, part, TRADES) for part in text.split("|") if part.strip()]
    if not found:
        raise BadCell(field, text, "there is no trade", f"Use one or more of {', '.join(TRADES)}, with | between them.")
    return list(dict.fromkeys(found))


def role(field: str, text: str) -> str:
    return one_of(field, text, ROLES)


def channel(field: str, text: str) -> str:
    return one_of(field, text, CHANNELS)


def yes(field: str, text: str) -> bool:
    if (word := text.casefold()) in (*YES, *NO):
        return word in YES
    raise BadCell(field, text, "neither yes nor no", "Use yes or no.")


def day(field: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadCell(field, text, "not a date", "Use YYYY-MM-DD, as in 2027-03-31.") from error


def one_of(field: str, text: str, known: tuple[str, ...]) -> str:
    word = text.strip().casefold()
    if word in known:
        return word
    close = get_close_matches(word, known, 1)
    raise BadCell(field, text.strip(), f"not a known {field.rstrip('s')}",
                  f"Did you mean {close[0]}?" if close else f"Use one of {', '.join(known)}.")


def optional(read: Callable[[str, str], T], empty: T) -> Callable[[str, str], T]:
    """The same, but an empty cell means `empty`."""
    return lambda field, text: read(field, text) if text else empty
