"""Words: a text cut for reading. What is stored is never changed; each word knows where in the text it stands."""

import re
import unicodedata
from dataclasses import dataclass

SILENT = set(".,!;…-–—")  # says nothing between words; every other sign is a word that must be accounted for
PIECES = re.compile(r"\d+(?:[.,:/]\d+)*|(?:[^\W\d_]|['’\u0300-\u036f])+(?:\d+)?|\S")
MOST_WORDS = 100  # no decision needs more, and finding a name takes time that grows faster than they do
EMOJI_SUFFIXES = {0xFE0F, 0x200D, *range(0x1F3FB, 0x1F400)}  # presentation and skin tones change no meaning


@dataclass(frozen=True)
class Word:
    text: str  # lower case, no accents, no apostrophes: don't is dont
    start: int
    end: int


def words(text: str) -> list[Word]:
    """The words of a text in order, with signs other than plain punctuation as words of their own."""
    visible = "".join(c if unicodedata.category(c) != "Cf" else "\u2060" for c in text)  # one for one: places stay true
    found = []
    for piece in PIECES.finditer(visible.replace("\u2060", "'")):
        plain = normal(piece.group())
        if plain and plain not in SILENT:
            found.append(Word(plain, piece.start(), piece.end()))
    return [
        w for n, w in enumerate(found) if not (w.text == "#" and n + 1 < len(found) and found[n + 1].text[0].isdigit())
    ]


def normal(piece: str) -> str:
    """One piece as it is compared: NFKC, lower case, no accents, no apostrophes, no invisible signs."""
    bare = unicodedata.normalize("NFKD", piece.casefold())
    return "".join(c for c in bare if not unicodedata.combining(c) and c not in "'’`" and ord(c) not in EMOJI_SUFFIXES)
