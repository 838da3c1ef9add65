"""A tenant's words, made comparable: no capitals, accents or punctuation, and certain misspellings put right."""

import re
import unicodedata
from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.distance import OSA

# Long nouns that tenants misspell and that no other everyday word is one slip away from.
OFTEN_MISSPELT = (
    "toilet",
    "faucet",
    "furnace",
    "garbage",
    "garage",
    "disposal",
    "thermostat",
    "refrigerator",
    "dishwasher",
    "electricity",
    "electrical",
    "breaker",
    "ceiling",
    "sprinkler",
    "detector",
    "cockroach",
    "cockroaches",
    "locksmith",
    "plumbing",
    "plumber",
    "microwave",
    "radiator",
    "sewage",
    "carbon",
    "monoxide",
    "appliance",
    "carpet",
    "handle",
    "handrail",
    "mailbox",
    "deadbolt",
    "fridge",
    "something",
    "mattress",
    "shingles",
    "outlet",
    "outlets",
    "bathroom",
    "clogged",
    "calentador",
    "calefaccion",
    "cucarachas",
)


def fold(text: str) -> str:
    """The words of a text in small letters, with one space before and after each."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    tokens = re.findall(r"[a-z0-9]+", re.sub(r"['’`´]", "", plain))
    return f" {' '.join(_spelt(token) for token in tokens)} "


def phrases(text: str) -> list[str]:
    """A list written with commas."""
    return [phrase for part in text.split(",") if (phrase := " ".join(part.split()))]


def pattern(texts: Iterable[str]) -> re.Pattern[str]:
    """Any of these phrases in a folded text, the longest first.

    `*` ends a word anyhow, `..` stands for up to five words, `(this|that)` for one of them.
    """
    longest_first = sorted(texts, key=len, reverse=True)
    return re.compile(f"(?<= )(?:{'|'.join(_expression(phrase) for phrase in longest_first)})(?= )")


def _expression(phrase: str) -> str:
    return phrase.replace("(", "(?:").replace("*", "[a-z0-9]*").replace(" ..", "(?: [a-z0-9]+){0,5}")


def _spelt(token: str) -> str:
    if len(token) < 5 or token in OFTEN_MISSPELT:
        return token
    near = process.extract(token, OFTEN_MISSPELT, scorer=OSA.distance, score_cutoff=1, limit=2)
    if len(near) != 1 or near[0][0][0] != token[0] or near[0][0] == token.removesuffix("s"):
        return token
    return near[0][0]
