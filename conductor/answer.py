"""Answering a reply: read it, remember the reading, hand back what it decides, and say so in one line."""

from datetime import datetime
from uuid import UUID

import structlog

import jobs
from conductor.actions import LONGEST, Purpose, send_text
from conductor.hand_back import hand_back
from conductor.hear import RIVAL_FOR, Heard
from conductor.interpreting import Reading, Unclear, interpret, says_stop
from conductor.readings import remember
from conductor.wording import word_ask_back, word_nothing_open, word_what_happened
from jobs.db import Conn

MOST_LISTED = 20  # options in one question back

log = structlog.get_logger()


def answer(db: Conn, chat: jobs.Chat, heard: Heard, now: datetime) -> None:
    """Read the reply as one: what it decides goes on the rows, what it leaves unclear is asked back."""
    reading = read(heard, now)
    key = f"reply:{heard.messages[-1].id}"
    try:
        with db.transaction():
            remember(db, chat, heard.messages, heard.ask_id, reading, heard.items)
            for n, verdict in enumerate(reading.verdicts, start=1):
                said = hand_back(db, chat, heard, verdict, now)
                send = tell if verdict.verdict == "revoke" else send_text  # a stop holds, whoever can be told so
                send(db, chat, f"{key}:{n}", "confirmation", said, heard.job(verdict.item_no).ask_id)
    except jobs.Refused as refusal:  # nothing of it was written: an error is nobody's yes or no
        log.warning("a verdict was refused", reason=str(refusal))
        reading = Reading(unclear=Unclear("not_understood"))
        remember(db, chat, heard.messages, heard.ask_id, reading, heard.items)
    jobs.heard(db, chat, understood=reading.unclear is None)
    if reading.unclear is not None:
        back = ask_back(db, chat, heard, reading.unclear, now)[:LONGEST]
        tell(db, chat, f"{key}:back", "ask_back", back, heard.ask_id)


def tell(db: Conn, chat: jobs.Chat, key: str, purpose: Purpose, body: str, ask_id: UUID | None) -> None:
    """Send a text that nothing hangs on: where it cannot be sent, the reply is heard all the same."""
    try:
        with db.transaction():
            send_text(db, chat, key, purpose, body, ask_id)
    except jobs.Refused as refusal:
        log.warning("the manager could not be told", reason=str(refusal))


def read(heard: Heard, now: datetime) -> Reading:
    """What the reply decides. One that crossed with a new question, or with what just went out, decides nothing."""
    try:
        reading = interpret(heard.text, heard.items, heard.asked_back, max(heard.sent_at, now), heard.just_asked)
    except Exception:  # whatever a reply does to the reader: it is nobody's yes or no, and the chat goes on
        log.exception("a reply could not be read")
        return Reading(unclear=Unclear("not_understood"))
    if reading.unclear is not None and len(reading.unclear.options) > MOST_LISTED:  # more than a text holds
        reading = Reading(unclear=Unclear("not_understood", reading.unclear.item_no))
    decides = [verdict for verdict in reading.verdicts if heard.is_open(verdict.item_no)]
    refuses = any(verdict.verdict == "deny" for verdict in decides)
    stops = bool(reading.verdicts) and not decides and says_stop(heard.text)
    if (heard.crossed and not stops) or (heard.just_gone and refuses):
        return Reading(unclear=Unclear("crossed"))
    return reading


def ask_back(db: Conn, chat: jobs.Chat, heard: Heard, unclear: Unclear, now: datetime) -> str:
    """The question in return; with nothing that the reply can be about, what became of the last question."""
    if heard.items or heard.crossed:
        return word_ask_back(unclear, heard.items)
    closed = jobs.last_closed(db, chat, now - RIVAL_FOR)
    return word_what_happened(closed) if closed else word_nothing_open()
