"""Answering a reply: read it, remember the reading, hand back what it decides, and say so in one line."""

from datetime import datetime

import jobs
from conductor.actions import send_text
from conductor.hand_back import hand_back
from conductor.hear import Heard
from conductor.interpreting import Reading, Unclear, interpret
from conductor.readings import remember
from conductor.wording import word_nothing_open, word_question_back
from jobs.db import Conn


def answer(db: Conn, chat: jobs.Chat, heard: Heard, now: datetime) -> None:
    """Read the reply as one: what it decides goes on the rows, what it leaves unclear is asked back."""
    reading = read(heard)
    remember(db, chat, heard.messages, heard.ask_id, reading)
    key = f"reply:{heard.messages[-1].id}"
    for n, verdict in enumerate(reading.verdicts, start=1):
        said = hand_back(db, chat, heard, verdict, now)
        send_text(db, chat, f"{key}:{n}", "confirmation", said)
    if reading.unclear is not None:
        nothing_open = not heard.items and not heard.crossed
        body = word_nothing_open() if nothing_open else word_question_back(reading.unclear, heard.items)
        send_text(db, chat, f"{key}:back", "read_back", body, heard.ask_id)


def read(heard: Heard) -> Reading:
    """What the reply decides. A bystander decides nothing, nor does a reply that crossed with a new question."""
    if not heard.entitled:
        return Reading(verdicts=(), unclear=None)
    reading = interpret(heard.text, heard.items, heard.asked_back, heard.sent_at, heard.just_asked)
    if heard.crossed and (reading.unclear or any(heard.is_open(v.item_no) for v in reading.verdicts)):
        return Reading(verdicts=(), unclear=Unclear(reason="crossed"))
    return reading
