"""Putting the next question, and news, before the manager."""

from datetime import datetime
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
    ask = jobs.claim(db, chat, [job])
    send_text(db, chat, f"ask:{ask.id}", "ask", word_ask(job), ask.id)
    return (ask.id,)


def show_news(db: Conn, chat: jobs.Chat, now: datetime) -> tuple[UUID, ...]:
    """Tell the next due notice. It takes no slot; an open question is repeated in a line, not to be buried by it."""
    if jobs.open_notice(db, chat) is not None:
        return ()
    job = jobs.next_due(db, chat, now, notice=True)
    if job is None:
        return ()
    ask = jobs.claim(db, chat, [job])
    send_text(db, chat, f"ask:{ask.id}", "notice", word_notice(job, jobs.open_ask(db, chat)), ask.id)
    return (ask.id,)
