"""Simulated property managers: they read what the provider has for them, and answer as people do.

What each said to which question is kept, so that a judge can hold what was done against what was said.
"""

import random
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx

QUESTION = re.compile(r"^(?P<line>Sending (?P<suggested>.+?) for [^?]+\?|Who should handle [^?]+\?)", re.MULTILINE)
REF = re.compile(r"ref ([A-Z0-9-]+)")  # stands in the tenant's words, which each question quotes
ASKED_BACK = ("I didn’t get that", "That may be about something else", "Which one", "I know nobody by that name")
PATIENCE_SECONDS = 6.0  # then somebody who heard nothing says it again

Meaning = str | None  # the name of the vendor to send, or nobody
Did = Literal["answered", "stopped"]


@dataclass(frozen=True)
class Said:
    """One thing that a manager said about an order."""

    ref: str
    did: Did
    meaning: Meaning
    words: str
    event_id: str


@dataclass(frozen=True)
class Question:
    """One question as its reader sees it."""

    message_id: str
    address: str
    ref: str
    suggested: str | None
    line: str  # the question itself, which a confirmation repeats


@dataclass
class Manager:
    """One manager: the question before them, the answer they have for it, and whether they will change their mind.

    `again_at`: when they lose their patience, in seconds of the monotonic clock; None when they were understood.
    """

    address: str
    question: Question | None = None
    again_at: float | None = None
    words: str = ""
    meaning: Meaning = None
    will_stop: bool = False


@dataclass
class People:
    """All managers behind one provider. `vendors` are the names that may be said for each trade's questions."""

    provider: str
    vendors: Mapping[str, Sequence[str]]  # the reference's first letter -> names
    dice: random.Random
    quotes: float = 0.8  # the share of answers that quote the question
    stops: float = 0.05
    seen: int = 0
    said: list[Said] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    managers: dict[str, Manager] = field(default_factory=dict)
    client: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=10, trust_env=False))

    def turn(self) -> int:
        """Read what is new and answer it; how many texts were new."""
        new: list[dict[str, Any]] = self.client.get(f"{self.provider}/people/inbox?after={self.seen}").json()
        for text in new:
            self.seen += 1
            if text["address"].startswith("pm-"):
                self.read(text)
        for manager in self.managers.values():
            if manager.again_at is not None and time.monotonic() > manager.again_at:
                self._answer(manager, quotes=True)
        return len(new)

    def read(self, text: dict[str, Any]) -> None:
        manager, body = self.managers.setdefault(text["address"], Manager(text["address"])), str(text["body"])
        question = read_question(text)
        if question is not None:
            self.questions.append(question)
            self._make_up_my_mind(manager, question)
            self._answer(manager, self.dice.random() < self.quotes)
        elif manager.question is None or manager.again_at is None:
            return
        elif body.startswith(ASKED_BACK):
            self._answer(manager, quotes=True)
        elif body.startswith("OK") and manager.question.line in body:
            manager.again_at = None
            if manager.will_stop:
                self._say(manager, "stopped", "wait, stop", None, quotes=True)

    def _answer(self, manager: Manager, quotes: bool) -> None:
        manager.again_at = time.monotonic() + PATIENCE_SECONDS
        self._say(manager, "answered", manager.words, manager.meaning, quotes)

    def _make_up_my_mind(self, manager: Manager, question: Question) -> None:
        manager.question, roll = question, self.dice.random()
        names = self.vendors[question.ref[0]]
        other = self.dice.choice([name for name in names if name != question.suggested])
        if question.suggested is None:
            manager.words, manager.meaning = other, other
        elif roll < 0.6:
            manager.words, manager.meaning = self.dice.choice(("yes", "ok", "yep", "go ahead")), question.suggested
        elif roll < 0.8:
            manager.words, manager.meaning = self.dice.choice(("no", "nope")), None
        else:
            manager.words, manager.meaning = f"no use {other}", other
        manager.will_stop = manager.meaning is not None and self.dice.random() < self.stops

    def _say(self, manager: Manager, did: Did, words: str, meaning: Meaning, quotes: bool) -> None:
        assert manager.question is not None
        said = {"address": manager.address, "body": words, "quotes": manager.question.message_id if quotes else None}
        event = self.client.post(f"{self.provider}/people/say", json=said).json()
        self.said.append(Said(manager.question.ref, did, meaning, words, event["id"]))


def read_question(text: Mapping[str, Any]) -> Question | None:
    """What is asked, or None: news, confirmations and questions in return are no questions of this sort."""
    body = str(text["body"])
    if body.startswith(("OK", "Stopped", *ASKED_BACK)):
        return None
    found, ref = QUESTION.search(body), REF.search(body)
    if found is None or ref is None or "Still open:" in body:
        return None
    return Question(text["id"], text["address"], ref[1], found["suggested"], found["line"])
