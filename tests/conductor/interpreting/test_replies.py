"""Replies that others wrote: none may be read as a decision that its author did not make."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from conductor.interpreting import Item, Reading, Unclear, interpret
from jobs.ask import Amount, Answer, Ask, Choice, Option, Slot, Text, Time

CASES = [json.loads(line) for line in Path(__file__).with_name("replies.jsonl").read_text().splitlines()]
DECIDES = {"confirm", "deny", "correct", "choose", "condition", "delegate", "revoke"}
PLAIN = 25  # of these cases, at least so many are understood without asking back


def slot(given: dict[str, Any]) -> Slot:
    match given["type"]:
        case "choice":
            return Choice(options=tuple(map(Option.model_validate, given["options"])), open=given.get("open", False))
        case "time":
            return Time()
        case "amount":
            return Amount()
        case _:
            return Text()


def items(case: dict[str, Any]) -> list[Item]:
    return [
        Item(
            given["item"],
            UUID(int=given["item"]),
            given["state"],
            Ask(
                question=given["shown"],
                draft=given["shown"],
                answer=Answer(
                    confirm=given["answer"]["confirm"],
                    slots={name: slot(what) for name, what in given["answer"]["slots"].items()},
                ),
                reversible=given["reversible"],
            ),
        )
        for given in case["open"]
    ]


def asked_back(case: dict[str, Any]) -> Unclear | None:
    """Items count by number where a text showed them so: "1. Send Mike? 2. Book Pestrell?"."""
    said = [line["text"] for line in case.get("history", []) if line["from"] == "sayso"]
    listed = [f"{given['item']}. {given['shown']}" for given in case["open"]]
    shown = len(listed) > 1 and any(all(line in text for line in listed) for text in said)
    return Unclear("which_item") if shown else None


def reading(case: dict[str, Any]) -> Reading:
    said = case.get("history") or [{"from": "sayso", "text": case["open"][0]["shown"]}]
    just_asked = said[-1]["text"] in [given["shown"] for given in case["open"]]
    now = datetime.fromisoformat(case["now"])
    return interpret(case["reply"]["text"], items(case), asked_back(case), now, just_asked)


def is_right(case: dict[str, Any], item_no: int, verdict: str, values: dict[str, str]) -> bool:
    same = {"correct", "choose"} if verdict in ("correct", "choose") else {verdict}
    return any(
        said["item"] == item_no
        and said["verdict"] in same
        and all(said.get("values", {}).get(name) == value for name, value in values.items())
        for outcome in (case["expected"], *case["also_right"])
        for said in outcome
    )


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_nothing_is_decided_that_the_reply_does_not_say(case: dict[str, Any]) -> None:
    for verdict in reading(case).verdicts:
        if verdict.verdict in DECIDES:
            assert is_right(case, verdict.item_no, verdict.verdict, verdict.values), case["why"]


def test_plain_replies_are_not_asked_back() -> None:
    understood = [case["id"] for case in CASES if reading(case).verdicts]
    assert len(understood) >= PLAIN
