"""What a manager wrote since the last turn, and what it can be about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import jobs
from channels import inbound
from conductor.interpreting import Item, Reading, Unclear
from conductor.readings import last_asked_back, last_read_seq, remember
from directory import manager_in
from jobs.db import Conn

# The design's figures: an ask closed this recently can still be what a bare reply is about, and a reply this soon after
# a new ask may have been typed before it was seen.
RIVAL_FOR = timedelta(minutes=2)
CROSSING_FOR = timedelta(seconds=8)


@dataclass(frozen=True)
class Heard:
    """Unread messages of a chat's manager that are read together as one reply."""

    messages: tuple[inbound.Inbound, ...]
    items: tuple[Item, ...]  # what it can be about: the open ask's items as numbered there, then what is held
    jobs_by_id: Mapping[UUID, jobs.Job]
    ask_id: UUID | None  # the open ask, when the reply can be about it
    crossed: bool  # it is, or may be, about another ask than the open one
    asked_back: Unclear | None
    just_asked: bool  # the last text before the reply was the open ask itself
    just_gone: bool  # a decision went home so shortly before that a "no" may have been meant for it

    @property
    def text(self) -> str:
        return "\n".join(message.body for message in self.messages)

    @property
    def sent_at(self) -> datetime:
        return self.messages[0].sent_at

    def job(self, item_no: int) -> jobs.Job:
        return self.jobs_by_id[next(item.job_id for item in self.items if item.item_no == item_no)]

    def is_open(self, item_no: int) -> bool:
        return any(item.item_no == item_no and item.state == "open" for item in self.items)


def hear(db: Conn, chat: jobs.Chat) -> Heard | None:
    """The next unread reply in the chat; None when there is none, or it must wait for the report of an ask under way.

    What somebody else than the manager wrote there decides nothing, and is put aside as heard.
    """
    unread = inbound.unread_after(db, chat.workspace_id, chat.chat_guid, last_read_seq(db, chat))
    messages = _one_reply(_of_the_manager(db, chat, unread))
    if not messages:
        return None
    quotes = {message.quotes_ask for message in messages} if any(message.quotes for message in messages) else set()
    open_ask = _seen(db, chat, quotes)
    # A refusal has nothing in its hold that could still go out: only what will act can be stopped.
    held = [job for job in jobs.held(db, chat) if (job.resolution or {}).get("confirmed") is not False]
    if open_ask is not None and open_ask.ask.shown_at is None and open_ask.ask.submitted_at is not None and not held:
        return None  # its channel has not said yet whether it was shown: that report wakes the next turn
    shown = open_ask.items if open_ask is not None and open_ask.ask.shown_at is not None else ()
    about = [item for item in shown if not quotes or quotes == {item.job.ask_id}]
    named = [job for job in held if quotes == {job.ask_id}]
    elsewhere = bool(quotes) and not about and not named  # it quotes what is over: a stop still stops what is held
    held = named if quotes and not elsewhere else held
    items = [Item(i.item_no, i.job.id, "open", i.job.the_ask) for i in about]
    above = max((item.item_no for item in items), default=0)
    items += [Item(n, job.id, "held", job.the_ask) for n, job in enumerate(held, start=above + 1)]
    sent_at = messages[0].sent_at
    return Heard(
        messages=messages,
        items=tuple(items),
        jobs_by_id={job.id: job for job in (*(i.job for i in about), *held)},
        ask_id=open_ask.ask.id if open_ask is not None and about else None,
        crossed=(elsewhere and (open_ask is not None or bool(held)))
        or (not quotes and open_ask is not None and _may_be_unseen(db, chat, open_ask, bool(held), sent_at)),
        asked_back=last_asked_back(db, open_ask.ask.id) if open_ask is not None else None,
        just_asked=open_ask is not None and _last_text_is(db, chat, open_ask.ask.id, sent_at),
        just_gone=not quotes and _has_just_gone(db, chat, sent_at),
    )


def _of_the_manager(db: Conn, chat: jobs.Chat, unread: Sequence[inbound.Inbound]) -> tuple[inbound.Inbound, ...]:
    manager_id = manager_in(db, chat.workspace_id, chat.chat_guid).id if unread else None
    ours = tuple(message for message in unread if message.person_id == manager_id)
    # Reading is in order: what stands after a word of the manager's that still waits is put aside once that is read.
    others = tuple(m for m in unread if m.person_id != manager_id and (not ours or m.seq < ours[0].seq))
    remember(db, chat, others, None, Reading(), ())
    if not ours:
        jobs.heard(db, chat, understood=True)
    return ours


def _one_reply(messages: Sequence[inbound.Inbound]) -> tuple[inbound.Inbound, ...]:
    """The first of them, up to one that quotes something else than those before it: that answers another question."""
    quoted = [message.quotes_ask for message in messages if message.quotes]
    end = next((n for n, message in enumerate(messages) if message.quotes and message.quotes_ask != quoted[0]), None)
    return tuple(messages[:end])


def _seen(db: Conn, chat: jobs.Chat, quotes: set[UUID | None]) -> jobs.OpenAsk | None:
    """The open ask. A reply that quotes it proves that it was seen, and marks it so."""
    open_ask = jobs.open_ask(db, chat)
    if open_ask is None or open_ask.ask.shown_at is not None or quotes != {open_ask.ask.id}:
        return open_ask
    jobs.mark_shown(db, open_ask.ask.id, "reply")
    jobs.asked(db, open_ask.ask.id)
    return jobs.open_ask(db, chat)


def _may_be_unseen(db: Conn, chat: jobs.Chat, ask: jobs.OpenAsk, something_held: bool, sent_at: datetime) -> bool:
    """Whether a bare reply sent then may have been written before this ask was seen, and so be about another one."""
    shown_at = ask.ask.shown_at
    if shown_at is None or sent_at < shown_at:
        return True
    if sent_at >= shown_at + CROSSING_FOR:
        return False
    return something_held or bool(jobs.last_closed(db, chat, shown_at - RIVAL_FOR))


def _last_text_is(db: Conn, chat: jobs.Chat, ask_id: UUID, before: datetime) -> bool:
    """Whether the last text of ours that the manager had seen by then was this ask's own."""
    ours = [line for line in inbound.thread(db, chat.workspace_id, chat.chat_guid, limit=10) if line.author == "sayso"]
    seen = [line for line in ours if line.at <= before]
    return bool(seen) and seen[-1].ask_id == ask_id and seen[-1].purpose == "ask"


def _has_just_gone(db: Conn, chat: jobs.Chat, sent_at: datetime) -> bool:
    closed = jobs.last_closed(db, chat, sent_at - RIVAL_FOR)
    gone = [job.finished_at for job in closed if job.resolution and job.resolution["confirmed"] and job.finished_at]
    return any(at <= sent_at < at + CROSSING_FOR for at in gone)
