"""The closed list of phrases that decide something, in English and Spanish, and which of them a text is made of."""

import re
from typing import Literal

from rapidfuzz.distance import OSA

from conductor.interpreting.words import Word

Says = Literal[
    "yes", "weak_yes", "plain_no", "no", "nobody", "later", "stop", "fine_words", "polite", "greeting", "thanks"
]


def _listed(phrases: str) -> tuple[str, ...]:
    return tuple(phrases.split(" | "))


_THEM = ("him", "her", "them", "it")
_GO = ("send", "book", "use", "dispatch", "approve")
_NOT = ("dont", "do not", "please dont", "please do not")

PHRASES: dict[Says, tuple[str, ...]] = {
    "yes": (
        *_listed("yes | yep | yeah | yup | y | yes please | sure | sure thing | go | go ahead | go for it | do it"),
        *_listed("approve | approved | confirm | confirmed | absolutely | definitely | of course | affirmative | send"),
        *_listed("please do | works for me | that works | fine by me | fine with me | lets do it"),
        *_listed("si | simon | sip | dale | claro | claro que si | adelante | de acuerdo | esta bien | hazlo"),
        *_listed("que vaya | mandalo | mandala | mandalos"),
        *(f"{go} {them}" for go in _GO for them in _THEM),
    ),
    "weak_yes": _listed("ok | okay | fine | alright | sounds good | vale | 👍 | ✅"),
    "plain_no": _listed("no | nope | nah"),  # before a name: "no, rather"; every other no may forbid the name
    "no": (
        *_listed("no way | hard pass | negative | decline | dont | do not | 👎 | ❌"),
        *_listed("dont do it | do not do it | dont send | do not send | not him | not her | not them"),
        *_listed("absolutely not | definitely not | of course not"),
        *_listed("mejor no | para nada | no lo mandes | no la mandes | nel | claro que no"),
        *(f"{nay} {go} {them}" for nay in _NOT for go in _GO for them in (*_THEM, "anyone", "anybody", "someone")),
    ),
    "later": (
        *_listed("later | not now | not yet | not right now | maybe later | ask me later | ask me again later"),
        *_listed("remind me later | ask again later | hold off | not at the moment"),
        *_listed("luego | mas tarde | ahora no | ahorita no | todavia no | despues"),
    ),
    "nobody": (
        *_listed("nobody | no one | none | none of them | nadie | ninguno | skip it | never mind | nevermind"),
        *_listed("ill handle it | i will handle it | ill handle it myself | ill do it myself | i will do it myself"),
        *_listed("cancel | cancel that | cancel it | cancelalo"),
    ),
    "stop": (
        *_listed("wait | stop | hold on | hold up | whoa | stop that | stop it | espera"),
        *_listed("undo | undo that | undo it | scratch that | take that back | take it back"),
    ),
    "fine_words": _listed("great | perfect | cool | got it | good | awesome | excellent | k | listo | perfecto"),
    "polite": _listed("please | pls | plz | actually | then | 🙏 | por favor | porfa | pues"),
    "greeting": _listed("hi | hey"),
    "thanks": _listed("thanks | thank you | thx | ty | gracias"),
}
MANNERS: frozenset[Says] = frozenset(("polite", "greeting", "thanks"))
NODS: frozenset[Says] = frozenset(("weak_yes", "fine_words", "thanks"))  # with nothing open they need no answer
STOPS = {  # what takes back a decision that is held
    tuple(phrase.split())
    for phrase in (*PHRASES["stop"], "cancel", "cancelalo", "never mind", "nevermind", "not yet", "hold off")
}
WANTS = (
    *(("lets", "go", "with"), ("go", "with"), ("lets", "use"), ("give", "it", "to"), ("i", "want")),
    *((verb,) for verb in ("use", "send", "get", "book", "have", "try", "pick", "take", "want", "dispatch", "choose")),
    *(("mejor", "manda", "a"), ("manda", "a"), ("mandale", "a"), ("mejor", "usa"), ("manda",), ("usa",)),
)
VERBS = {phrase[0] for phrase in WANTS if len(phrase) == 1}
JOINS_A_NUMBER = ("for", "to", "on", "item", "number", "#")
REVERSES = ("cancel", "skip", "decline")  # asked whether to do one, "cancel" may be a yes
ACTS = {*REVERSES, *_GO, "handle", "mandalo", "mandala", "mandalos", "mandes", "cancelalo", "nevermind", "mind"}
_MEANINGS: dict[tuple[str, ...], Says] = {tuple(p.split()): says for says, ps in PHRASES.items() for p in ps}
_LONGEST = max(map(len, _MEANINGS))
KNOWN = {word for phrase in _MEANINGS for word in phrase}
_SLIPS_INTO_ANOTHER_WORD = {"late", "goo", "too", "see", "noon"}
OF_ANYBODY = {"yes", "no", "ok", "si"}  # never taken for a name: Yes Plumbing is called by more than that


def phrases(text: list[Word]) -> tuple[list[tuple[Says, int]], int]:
    """The phrases the text begins with, longest first, each with its number of words; and how many words that is."""
    said: list[tuple[Says, int]] = []
    at = 0
    while at < len(text):
        for size in range(min(_LONGEST, len(text) - at), 0, -1):
            says = _MEANINGS.get(tuple(word.text for word in text[at : at + size]))
            if says is not None:
                said.append((says, size))
                at += size
                break
        else:
            return said, at
    return said, at


def spelled(word: Word) -> Word:
    """The word as the lexicon spells it, where one slip of the finger explains it and only one word does.

    A slip swaps neighbours, doubles a letter or drops one, and leaves the first letter; yesss is one too. One letter
    for another is none: "sent" is not "send", and "want" is not "wait".
    """
    calm = re.sub(r"(.)\1{2,}", r"\1", word.text)
    if calm in KNOWN:
        return Word(calm, word.start, word.end)
    if word.text in _SLIPS_INTO_ANOTHER_WORD or not word.text.isalpha():
        return word
    meant = {known for known in KNOWN if known.isalpha() and is_slip(word.text, known)}
    return Word(meant.pop(), word.start, word.end) if len(meant) == 1 else word


def is_slip(typed: str, meant: str) -> bool:
    if typed[0] != meant[0] or OSA.distance(typed, meant, score_cutoff=1) != 1:
        return False
    if len(typed) == len(meant) + 1:
        return any(typed == meant[: n + 1] + meant[n:] for n in range(len(meant)))
    return len(typed) >= 4 and (len(typed) < len(meant) or sorted(typed) == sorted(meant))
