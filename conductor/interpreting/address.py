"""Address: what a text says before it names somebody, whether a verb asks for them, and the name."""

from dataclasses import dataclass

from conductor.interpreting.lexicon import MANNERS, PHRASES, WANTS, Says, phrases
from conductor.interpreting.names import NUMBERS
from conductor.interpreting.words import Word

BEFORE_A_VERB = ("please", "pls", "plz", "actually", "ok", "okay")
AFTER = (("please",), ("pls",), ("plz",), ("instead",), ("🙏",), ("mejor",))
THANKS = tuple(tuple(phrase.split()) for phrase in PHRASES["thanks"])


@dataclass(frozen=True)
class Address:
    says: frozenset[Says]
    has_verb: bool
    name: tuple[str, ...]

    @property
    def chooses(self) -> bool:
        """Whether what stands beside the name lets it be chosen: nothing, a yes, or a plain "no, rather".

        Every other no may forbid the very name; a greeting or thanks without a verb only speaks to somebody.
        """
        weight = self.says - MANNERS
        return (weight <= {"yes", "weak_yes"} or weight == {"plain_no"}) and (
            self.has_verb or not self.says & {"greeting", "thanks"}
        )


def addressed(said: list[Word], plain: list[Word]) -> Address:
    kinds, taken = phrases(plain)
    at = 0
    for n in range(len(kinds)):
        call = wanted(said[at:], {says for says, _ in kinds[:n]})
        if call.has_verb and call.name:
            return call
        at += kinds[n][1]
    return wanted(said[taken:], {says for says, _ in kinds})


def wanted(said: list[Word], says: set[Says]) -> Address:
    """The name in "please use the NAME instead", after all that `says` stands for."""
    texts = tuple(word.text for word in said)
    start = next((n for n, text in enumerate(texts) if text not in BEFORE_A_VERB), len(texts))
    verb = next((verb for verb in WANTS if texts[start : start + len(verb)] == verb), ())
    texts = texts[start + len(verb) :] if verb else texts
    while texts and texts[0] in ("the", "el", "la") and texts[1:] != ("one",):
        texts = texts[1:]
    while tail := next((tail for tail in (*AFTER, *THANKS) if texts[-len(tail) :] == tail), ()):
        texts = texts[: -len(tail)]
        says = says | ({"thanks"} if tail in THANKS else {"polite"})
    if len(texts) == 2 and texts[1] == "one" and texts[0] not in NUMBERS:
        texts = texts[:1]  # the electric one
    return Address(frozenset(says), bool(verb), texts)
