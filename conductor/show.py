"""Putting the next question, and news, before the manager."""

from collections.abc import Callable
from datetime import datetime
from typing import Literal
from uuid import UUID

import jobs
from conductor.actions import send_text
from conductor.wording import word_ask, word_notice
from jobs.db import Conn


def show_next(db: Conn, chat: jobs.Chat, now: datetime) -> tuple[UUID, ...]:
    """Ask the next due question unless one is open: by priority, then age. Returns the ids of the asks opened."""
    if jobs.open_ask(db, chat) is not None:
        return ()
    job = jobs.next_due(db, chat, now)
    if job is None:
        return ()
    return put(db, chat, job, "ask", word_ask)


def show_news(db: Conn, chat: jobs.Chat, now: datetime) -> tuple[UUID, ...]:
    """Tell the next due notice. It takes no slot; an open question is repeated in a line, not to be buried by it."""
    if jobs.open_ask(db, chat, notice=True) is not None:
        return ()
    job = jobs.next_due(db, chat, now, notice=True)
    if job is None:
        return ()
    still_open = jobs.open_ask(db, chat)
    return put(db, chat, job, "notice", lambda job: word_notice(job, still_open))


def put(
    db: Conn, chat: jobs.Chat, job: jobs.Job, purpose: Literal["ask", "notice"], word: Callable[[jobs.Job], str]
) -> tuple[UUID, ...]:
    """Claim a job and plan the text that shows it. One that cannot be shown fails and goes home; the chat goes on."""
    try:
        with db.transaction():
            ask = jobs.claim(db, chat, [job])
            send_text(db, chat, f"ask:{ask.id}", purpose, word(job), ask.id)
            return (ask.id,)
    except jobs.Refused as refusal:
        jobs.fail(db, job.id, str(refusal))
        return ()
