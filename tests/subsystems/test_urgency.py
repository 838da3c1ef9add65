"""Urgency from words: it misses no hazard of the made-up requests, and shouting makes none."""

import json
from pathlib import Path

import pytest

from subsystems.intake.urgency import urgency

FILE = Path(__file__).parents[2] / "demo" / "requests.jsonl"
REQUESTS = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
RECALL, FALSE_ALARMS, RIGHT = 1.0, 0.03, 0.88  # of the 150 made-up requests; fresh words score lower


def test_it_finds_the_emergencies_and_raises_few_false_ones() -> None:
    said = [(urgency(request["text"]), request["urgency"]) for request in REQUESTS]
    meant = [one for one, label in said if label == "emergency"]
    recall = meant.count("emergency") / len(meant)
    false = sum(one == "emergency" != label for one, label in said) / (len(said) - len(meant))
    right = sum(one == label for one, label in said) / len(said)
    print(f"urgency: {recall:.1%} of emergencies found, {false:.1%} false alarms, {right:.1%} right of {len(said)}")
    assert recall >= RECALL
    assert false <= FALSE_ALARMS
    assert right >= RIGHT


@pytest.mark.parametrize(
    "words",
    [
        "smells like gas in here",
        "huele a gas",
        "outlet sparks when i plug it in",
        "burning smell from the panel",
        "co alarm is going off",
        "water pouring through the ceiling",
        "sewage coming up in the tub",
        "no water at all",
        "no heat and its 20 degrees",
        "no heat, we have a newborn",
        "front door wont lock",
        "my son is locked in the bathroom",
        "power is out and my mom is on oxygen",
        "ceiling is bulging",
        "me dio una descarga el refrigerador",
        "our co detector says 80 ppm",
    ],
)
def test_a_hazard_stays_one_however_calmly_it_is_told(words: str) -> None:
    for told in (words, words.upper(), f"{words}. no rush", f"no big deal but {words}, whenever you have time"):
        assert urgency(told) == "emergency", told


@pytest.mark.parametrize(
    "words", ["light bulb is out", "screen has a hole", "toilet keeps running", "no gas smell, all fine"]
)
def test_shouting_raises_nothing(words: str) -> None:
    assert urgency(f"EMERGENCY!!! {words.upper()}!!! HELP NOW") == urgency(words)
    assert urgency(words) != "emergency"


def test_no_rush_lowers_what_is_harmless() -> None:
    assert urgency("dishwasher is loud") == "normal"
    assert urgency("dishwasher is loud, no rush") == "low"
