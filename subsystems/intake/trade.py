"""Which trade a request is for, from the tenant's words alone. It would rather say that it does not know than guess."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from subsystems.intake.lexicon import IN, LEANS, MUTE, NAMES, NOT_MAINTENANCE, SETTLES, WHEN, WHERE
from subsystems.intake.words import fold, pattern, phrases

SETTLED, NAMED, NAMED_AS_PLACE, NAMED_IN_PASSING, LEANING = 5.0, 3.0, 2.0, 1.0, 1.0
FURTHER = 0.5  # what a second word for the same trade adds, as a share of its own weight
ENOUGH = 1.5
AHEAD = 1.0  # of the next trade


@dataclass(frozen=True)
class TradeGuess:
    """`trade`: one of the sixteen, NOT_MAINTENANCE, or None for "don't know".

    `because`: the words that spoke. `among`: the trades they leave open, the likeliest first.
    """

    trade: str | None
    because: tuple[str, ...]
    among: tuple[str, ...] = ()

    @property
    def dispatchable(self) -> str | None:
        """The trade to send somebody of."""
        return None if self.trade == NOT_MAINTENANCE else self.trade


@dataclass(frozen=True)
class _Heard:
    trade: str | None  # None: a phrase that only keeps its words from speaking
    words: str
    start: int
    end: int
    weight: float

    @property
    def length(self) -> int:
        return self.end - self.start


_PATTERNS = (
    *((name, SETTLED, pattern(phrases(text))) for name, text in SETTLES.items()),
    *((name, NAMED, pattern(phrases(text))) for name, text in NAMES.items()),
    *((name, LEANING, pattern(phrases(text))) for name, text in LEANS.items()),
    (None, 0.0, pattern(phrases(MUTE))),
)


def trade(words: str, category: str | None = None) -> TradeGuess:
    """The trade that the words speak for clearly. A category decides only between trades the words leave open."""
    scores = _scores(words)
    ranked = sorted(scores, key=lambda name: scores[name][0], reverse=True)
    tied = [name for name in ranked if scores[name][0] > scores[ranked[0]][0] - AHEAD]
    if len(tied) == 1 and scores[ranked[0]][0] >= ENOUGH:
        return TradeGuess(ranked[0], scores[ranked[0]][1])
    hinted = _of_category(category)
    if hinted is not None and (not ranked or hinted in tied):
        return TradeGuess(hinted, (f"category: {category}",))
    return TradeGuess(None, tuple(word for name in tied for word in scores[name][1]), tuple(tied))


def _of_category(category: str | None) -> str | None:
    if category is None:
        return None
    scores = _scores(category.replace("_", " "))
    best = max(scores, key=lambda name: scores[name][0], default=None)
    return best if best is not None and len(scores) == 1 else None


def _scores(words: str) -> dict[str, tuple[float, tuple[str, ...]]]:
    """Per trade how loudly the words speak for it, and which."""
    by_trade: dict[str, dict[str, float]] = defaultdict(dict)
    for heard in _hearings(fold(words)):
        if heard.trade is not None:
            weights = by_trade[heard.trade]
            weights[heard.words] = max(weights.get(heard.words, 0.0), heard.weight)
    return {
        name: (max(w.values()) + FURTHER * (sum(w.values()) - max(w.values())), tuple(w))
        for name, w in by_trade.items()
    }


def _hearings(text: str) -> Iterator[_Heard]:
    """Every phrase in the text that is not part of a longer one."""
    found = [
        _Heard(name, m.group(), m.start(), m.end(), _weight(weight, text[: m.start()]))
        for name, weight, regex in _PATTERNS
        for m in regex.finditer(text)
    ]
    for one in sorted(found, key=lambda h: h.start):
        if not any(other.length > one.length and other.start < one.end and one.start < other.end for other in found):
            yield one


def _weight(weight: float, before: str) -> float:
    """A thing named right after "behind" or "in" is where the trouble is, not what it is."""
    if weight != NAMED:
        return weight
    last = before.split()[-5:]
    if WHERE.intersection(last[-3:]) or WHEN.intersection(last):
        return NAMED_IN_PASSING
    return NAMED_AS_PLACE if IN.intersection(last[-2:]) else NAMED
