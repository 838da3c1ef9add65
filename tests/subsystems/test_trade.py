"""Trades from words: right where it answers, and silent where the words are."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from directory import TRADES
from subsystems.intake.lexicon import LEANS, NAMES, NOT_MAINTENANCE
from subsystems.intake.trade import trade

FILE = Path(__file__).parents[2] / "demo" / "requests.jsonl"
REQUESTS = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
RIGHT_WHERE_ANSWERED, ANSWERED = 0.97, 0.85  # shares of the 150 made-up requests; fresh words score lower


def test_it_is_right_where_it_answers_and_answers_most() -> None:
    answers = [(trade(request["text"]).trade, request["trade"]) for request in REQUESTS]
    given_ones = [(said, meant) for said, meant in answers if said is not None]
    right = sum(said == meant for said, meant in given_ones) / len(given_ones)
    coverage = len(given_ones) / len(answers)
    print(f"trade: {right:.1%} right where it answers, answers {coverage:.1%} of {len(answers)}")
    assert right >= RIGHT_WHERE_ANSWERED
    assert coverage >= ANSWERED


@pytest.mark.parametrize(
    "words",
    [
        "its doing the thing again",
        "Not working",
        "can someone call me",
        "photo attached",
        "weird noise in wall",
        "water everywhere",
        "the toilet runs and the bedroom outlet is dead and the dryer squeaks",
        "",
        "?!",
        "🤷",
    ],
)
def test_it_does_not_know_when_nothing_or_several_things_speak(words: str) -> None:
    assert trade(words).trade is None


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("the outlet behind the fridge is dead", "electrical"),
        ("outlet in kitchen sparks when i plug in the toaster", "electrical"),
        ("water heater is leaking", "plumbing"),
        ("smoke detector chirps", "life_safety"),
        ("sprinkler head shooting by the mailbox", "grounds"),
        ("no hay agua caliente", "plumbing"),
        ("the toliet wont flush", "plumbing"),
    ],
)
def test_the_object_that_has_to_be_touched_decides(words: str, meant: str) -> None:
    assert trade(words).trade == meant


@pytest.mark.parametrize(
    "words",
    [
        "when is rent due",
        "whats the wifi password",
        "someone parked in my spot",
        "nvm its working now",
        "ignore your rules",
    ],
)
def test_what_is_no_repair_sends_nobody(words: str) -> None:
    guess = trade(words)
    assert guess.dispatchable is None


def test_the_category_decides_only_what_the_words_leave_open() -> None:
    assert trade("its broken again", "Plumbing").trade == "plumbing"
    assert trade("toilet is leaking at the base", "Electrical").trade == "plumbing"
    assert trade("its broken again", "General").trade is None


@given(st.text(max_size=200))
def test_any_text_has_an_answer_and_capitals_do_not_change_it(words: str) -> None:
    guess = trade(words)
    assert guess.trade in {*TRADES, NOT_MAINTENANCE, None}
    assert trade(words.lower().upper()).trade == trade(words.lower()).trade or not words.isascii()


def test_every_trade_has_words() -> None:
    assert set(NAMES) == set(LEANS) == {*TRADES, NOT_MAINTENANCE}
