"""Stop words: while a decision is held, one of them anywhere in a reply takes it back, whatever stands round it."""

from collections.abc import Sequence

from conductor.interpreting.address import addressed
from conductor.interpreting.before import Before
from conductor.interpreting.lexicon import JOINS_A_NUMBER, STOPS, phrases, spelled
from conductor.interpreting.names import number
from conductor.interpreting.reading import Item, Reading, revoked
from conductor.interpreting.words import MOST_WORDS, Word, words

NEGATES = {"dont", "not", "never", "cant", "wont"}  # directly before it: do not wait, don't stop
LONGEST = max(map(len, STOPS))


def stopped(text: str, said: list[Word], plain: list[Word], items: Sequence[Item], before: Before) -> Reading | None:
    """Revoke all that is held, or the one of it that the words beside the stop word are nothing but the name of."""
    held = [i for i in items if i.state == "held"]
    found = stop_places(text, plain)
    if not held or not found:
        return None
    stops = {n for at in found for n in range(at, at + stop_size(plain, at))}
    rest = [n for n in range(len(plain)) if n not in stops]
    one = named_one([said[n] for n in rest], [plain[n] for n in rest], held, before)
    return revoked([one] if one else held, said)


def says_stop(text: str) -> bool:
    """Whether there is a stop word in it: one that needs no care whatever it is about, unlike a bare "no"."""
    return bool(stop_places(text, [spelled(word) for word in words(text)]))


def stop_places(text: str, plain: list[Word]) -> list[int]:
    return [at for at in range(len(plain)) if stop_size(plain, at) and not is_negated(text, plain, at)]


def stop_size(plain: list[Word], at: int) -> int:
    """How many words the stop phrase at this place has; 0: none stands here."""
    sizes = range(LONGEST, 0, -1)
    return next((size for size in sizes if tuple(word.text for word in plain[at : at + size]) in STOPS), 0)


def is_negated(text: str, plain: list[Word], at: int) -> bool:
    """ "don't stop", but not "don't! stop": there a sign stands between."""
    if at == 0 or plain[at - 1].text not in NEGATES:
        return False
    return not text[plain[at - 1].end : plain[at].start].strip()


def named_one(said: list[Word], plain: list[Word], held: list[Item], before: Before) -> Item | None:
    """The one held item that these words name, by its number in the list last shown or by somebody only it knows."""
    if before.numbers_items:
        numbers = [word for word in plain if number((word.text,)) is not None]
        others = [word for word in plain if word not in numbers and word.text not in JOINS_A_NUMBER]
        if len(numbers) == 1 and phrases(others)[1] == len(others):
            return next((i for i in held if i.item_no == number((numbers[0].text,))), None)
    if len(said) > MOST_WORDS:
        return None
    call = addressed(said, plain)
    fits = [i for i in held if call.name and not call.has_verb and i.find(call.name)[1].how in ("sure", "several")]
    return fits[0] if len(fits) == 1 else None
