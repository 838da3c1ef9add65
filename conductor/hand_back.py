"""Handing a verdict back: what each does to its job's row, and the line that tells the person so."""

from datetime import datetime
from typing import Literal, assert_never

import jobs
from conductor.hear import Heard
from conductor.interpreting import READER, Verdict
from conductor.wording import word_decision, word_later, word_stopped, word_too_late
from jobs.db import Conn

Decided = Literal["confirm", "deny", "correct", "choose"]


def hand_back(db: Conn, chat: jobs.Chat, heard: Heard, verdict: Verdict, now: datetime) -> str:
    """Write what was decided on the job's row. Returns the line that says what will happen and how to stop it."""
    job = heard.job(verdict.item_no)
    match verdict.verdict:
        case "confirm" | "deny" | "correct" | "choose" as decided:
            jobs.resolve(db, job, resolution(heard, verdict, decided, now), ask_rev=job.ask_rev)
            return word_decision(job.the_ask, verdict)
        case "defer":
            until = datetime.fromisoformat(verdict.values["until"])
            jobs.defer(db, job, until, reason="deferred")
            return word_later(until - now)
        case "revoke":
            try:
                jobs.revoke(db, job, reason="revoked")
            except jobs.Refused:
                return word_too_late(job.the_ask)
            return word_stopped(job.the_ask)
        case _:
            assert_never(verdict.verdict)


def resolution(heard: Heard, verdict: Verdict, decided: Decided, now: datetime) -> jobs.Resolution:
    """The decision with its proof: whose words, which of them, and the rules that read them."""
    start, end = verdict.span
    return jobs.Resolution(
        verdict=decided,
        confirmed=decided != "deny",
        slots=verdict.values,
        freeform=None,
        decided_by=f"person:{heard.messages[-1].person_id}",
        decided_at=now,
        evidence=[
            {
                "messages": [str(m.id) for m in heard.messages],
                "span": [start, end],
                "words": heard.text[start:end],
            }
        ],
        interpreted_by=READER,
    )
