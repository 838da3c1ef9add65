"""What a manager wrote since the last turn, and what it can be about."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import jobs
from channels import inbound
from conductor.interpreting import Item, Unclear
from conductor.readings import last_asked_back, last_read_seq
from directory import manager_in
from jobs.db import Conn

# The design's figures: an ask closed this recently can still be what a bare reply is about, and a reply this soon after
# a new ask may have been typed before it was seen.
RIVAL_FOR = timedelta(minutes=2)
CROSSING_FOR = timedelta(seconds=8)


@dataclass(frozen=True)
class Heard:
    """The unread messages of one chat, read together as one reply."""

    messages: tuple[inbound.Inbound, ...]
    items: tuple[Item, ...]  # what it can be about: the open ask's items as numbered there, then what is held
    jobs_by_id: Mapping[UUID, jobs.Job]
    ask_id: UUID | None  # the open ask, when the reply can be about it
    crossed: bool  # an ask is open, but the reply is or may be about another
    asked_back: Unclear | None
    just_asked: bool  # the last text before the reply was the open ask itself
    entitled: bool  # every one of them is from the chat's manager

    @property
    def text(self) -> str:
        return "\n".join(message.body for message in self.messages)

    def job(self, item_no: int) -> jobs.Job:
        return self.jobs_by_id[next(item.job_id for item in self.items if item.item_no == item_no)]

    def is_open(self, item_no: int) -> bool:
        return any(item.item_no == item_no and item.state == "open" for item in self.items)

    @property
    def sent_at(self) -> datetime:
        return self.messages[0].sent_at


def hear(db: Conn, chat: jobs.Chat) -> Heard | None:
    """What is unread in the chat; None when there is nothing, or when it must wait for the report of an ask under way.

    A reply that quotes an ask proves that it was seen, and marks it so.
    """
    messages = tuple(inbound.unread_after(db, chat.workspace_id, chat.chat_guid, last_read_seq(db, chat)))
    if not messages:
        return None
    open_ask, held = jobs.open_ask(db, chat), jobs.held(db, chat)
    quotes = {message.quotes_ask for message in messages}
    if open_ask is not None and open_ask.ask.shown_at is None:
        if quotes == {open_ask.ask.id}:
            jobs.mark_shown(db, open_ask.ask.id, "reply")
            jobs.asked(db, open_ask.ask.id)
            open_ask = jobs.open_ask(db, chat)
        elif open_ask.ask.submitted_at is not None and not held:
            return None  # its channel has not said yet whether it was shown: that report wakes the next turn
    about = open_ask.items if open_ask is not None and open_ask.ask.shown_at is not None else ()
    items = [Item(i.item_no, i.job.id, "open", i.job.the_ask) for i in about]
    above = max((item.item_no for item in items), default=0)
    items += [Item(n, job.id, "held", job.the_ask) for n, job in enumerate(held, start=above + 1)]
    return Heard(
        messages=messages,
        items=tuple(items),
        jobs_by_id={job.id: job for job in (*(i.job for i in about), *held)},
        ask_id=open_ask.ask.id if open_ask is not None and about else None,
        crossed=open_ask is not None and is_about_another(db, chat, open_ask, quotes, bool(held), messages[0].sent_at),
        just_asked=open_ask is not None and last_text_is(db, chat, open_ask.ask.id, messages[0].sent_at),
        asked_back=last_asked_back(db, open_ask.ask.id) if open_ask is not None else None,
        entitled=all(m.person_id == manager_in(db, chat.workspace_id, chat.chat_guid).id for m in messages),
    )


def is_about_another(
    db: Conn, chat: jobs.Chat, open_ask: jobs.OpenAsk, quotes: set[UUID | None], something_held: bool, sent_at: datetime
) -> bool:
    """Whether the reply is, or may be, about another ask than the open one: by what it quotes, else by its time."""
    if quotes != {None}:
        return quotes != {open_ask.ask.id}
    shown_at = open_ask.ask.shown_at
    if shown_at is None or sent_at < shown_at:
        return True
    if sent_at >= shown_at + CROSSING_FOR:
        return False
    return something_held or jobs.closed_since(db, chat, shown_at - RIVAL_FOR)


def last_text_is(db: Conn, chat: jobs.Chat, ask_id: UUID, before: datetime) -> bool:
    """Whether the last text of ours that the manager had seen by then was this ask's own."""
    ours = [line for line in inbound.thread(db, chat.workspace_id, chat.chat_guid, limit=10) if line.author == "sayso"]
    seen = [line for line in ours if line.at <= before]
    return bool(seen) and seen[-1].ask_id == ask_id and seen[-1].purpose == "ask"
