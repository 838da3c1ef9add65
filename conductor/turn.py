"""The conductor's main flow: one pass over one chat."""

from dataclasses import dataclass
from uuid import UUID

import jobs
from conductor.actions import Done, Wait, wait
from conductor.answer import answer
from conductor.hear import hear
from conductor.show import show_news, show_next
from jobs.db import Conn


@dataclass(frozen=True)
class Outcome:
    """What one turn did: messages heard, asks and notices put on their way, and when to look again."""

    heard: int
    shown: tuple[UUID, ...]
    then: Wait | Done


def turn(db: Conn, workspace_id: UUID, chat_guid: str) -> Outcome:
    """One pass over one chat, in a transaction of its own, under the chat's lock. Safe to repeat, also twice at once.

    Nothing in it waits for a network: texts are planned in the outbox and replies are read from their rows.
    """
    with db.transaction(), jobs.acting(db, "conductor"):
        chat = jobs.begin_turn(db, workspace_id, chat_guid)
        if chat is None:
            return Outcome(0, (), Done())
        now = jobs.now(db)
        jobs.take_reports(db, chat)
        read = 0
        while (heard := hear(db, chat)) is not None:
            answer(db, chat, heard, now)
            read += len(heard.messages)
        shown = (*show_news(db, chat, now), *show_next(db, chat, now))
        return Outcome(read, shown, wait(db, chat))
