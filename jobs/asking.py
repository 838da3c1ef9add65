"""Putting jobs before a person: what is open, what is next, and what became of an ask on its way."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from jobs.db import Conn, acting, sql
from jobs.errors import Overtaken, bad, refusals
from jobs.rows import AskRow, Chat, Job

ShownBy = Literal["accepted", "delivered", "echo", "reply", "assumed"]


@dataclass(frozen=True)
class Item:
    item_no: int
    job: Job


@dataclass(frozen=True)
class OpenAsk:
    ask: AskRow
    items: tuple[Item, ...]


def open_ask(db: Conn, chat: Chat, notice: bool = False) -> OpenAsk | None:
    """The question before the person or on its way, with those of its jobs that are still in it; or the news."""
    row = sql.open_ask(db, workspace_id=chat.workspace_id, chat_guid=chat.chat_guid, expects_reply=not notice)
    if row is None:
        return None
    items = (Item(asked.pop("item_no"), Job(**asked)) for asked in sql.asked_jobs(db, ask_id=row["id"]))
    return OpenAsk(AskRow(**row), tuple(items))


def last_closed(db: Conn, chat: Chat, since: datetime) -> list[Job]:
    """The jobs of the last question that the person saw and that has closed since then: a reply may be about it."""
    return _jobs(sql.last_closed(db, workspace_id=chat.workspace_id, chat_guid=chat.chat_guid, since=since))


def next_due(db: Conn, chat: Chat, now: datetime, notice: bool = False) -> Job | None:
    """The job to show next: by priority, then due time, then age. Locks it until the caller's transaction ends.

    A job that somebody else has locked is passed over: `end_turn` then says to look again soon. Cost: at most three
    probes of an index, however many jobs wait.
    """
    for rank in (0, 1, 2):
        row = sql.next_of_rank(db, workspace_id=chat.workspace_id, chat_guid=chat.chat_guid, needs_reply=not notice,
                               rank=rank, now=now)
        if row is not None:
            return Job(**row)
    return None


def claim(db: Conn, chat: Chat, jobs: Sequence[Job]) -> AskRow:
    """Open an ask in the chat with these pending jobs, numbered in the order given; they are now asking.

    Fenced by version: if one has moved, or is of another chat, raises Overtaken and nothing was opened. Raises
    Forbidden when another question (or notice) is open in the chat. Questions and notices do not share an ask.
    """
    if not jobs or len({job.needs_reply for job in jobs}) != 1:
        raise bad("jobs", [job.id for job in jobs], "none, or questions and notices mixed", "Claim some of one sort.")
    with refusals(), db.transaction():
        ask = AskRow(**sql.open(db, workspace_id=chat.workspace_id, chat_guid=chat.chat_guid, turn_no=chat.turn_no,
                                expects_reply=jobs[0].needs_reply))
        sql.put_into(db, ask_id=ask.id, job_ids=[job.id for job in jobs], ask_revs=[job.ask_rev for job in jobs])
        claimed = {row["id"] for row in sql.claim(
            db, ask_id=ask.id, workspace_id=chat.workspace_id, chat_guid=chat.chat_guid,
            job_ids=[job.id for job in jobs], versions=[job.version for job in jobs])}
        if moved := [job for job in jobs if job.id not in claimed]:
            names = ", ".join(f"{job.id} at version {job.version}" for job in moved)
            raise Overtaken(f"version: moved since, or of another chat: {names}", "Choose again.", field="version")
    return ask


def asked(db: Conn, ask_id: UUID) -> list[Job]:
    """Its asking jobs now await the reply. Only once the ask was shown: raises Forbidden before. Idempotent."""
    with refusals():
        return _jobs(sql.asked(db, ask_id=ask_id))


def take_reports(db: Conn, chat: Chat) -> list[Job]:
    """Move the asked jobs by what was reported of their asks: shown, refused, or overtaken by newer facts.

    News that was shown is over and home; returns it.
    """
    with acting(db, reason="shown"):
        told = _jobs(sql.show_notice(db, workspace_id=chat.workspace_id, chat_guid=chat.chat_guid))
    for opened in (open_ask(db, chat, notice=True), open_ask(db, chat)):
        if opened is not None and opened.ask.shown_at is not None:
            asked(db, opened.ask.id)
        elif opened is not None:
            take_back(db, opened.ask.id)
    step_forward(db, chat)
    return told


def step_forward(db: Conn, chat: Chat) -> list[Job]:
    """Take out of the chat's open ask what has newer facts than the person was shown: pending, with these in force."""
    with acting(db, reason="superseded"):
        return _jobs(sql.step_forward(db, workspace_id=chat.workspace_id, chat_guid=chat.chat_guid))


def withdraw(db: Conn, ask_id: UUID, why: str) -> bool:
    """Take an ask back before it is submitted; its jobs are pending again. False: too late, or it is over already.

    Of this and `mark_submitted` exactly one succeeds. Locks the jobs by id, then the ask.
    """
    with refusals(), acting(db, reason=why):
        list(sql.lock_asked(db, ask_id=ask_id))
        if sql.withdraw(db, ask_id=ask_id) is None:
            return False
        list(sql.take_back(db, ask_id=ask_id))
        return True


def take_back(db: Conn, ask_id: UUID) -> list[Job]:
    """After a certain rejection: its jobs are pending again and due in 30 s, then 60 s; after the third attempt failed.

    Does nothing to an ask that may have been seen. Idempotent.
    """
    with refusals(), acting(db, reason="rejected by the channel"):
        list(sql.lock_asked(db, ask_id=ask_id))
        return _jobs(sql.take_back(db, ask_id=ask_id))


def mark_submitted(db: Conn, ask_id: UUID) -> bool:
    """From here on the person may see it. Set once; False: it was withdrawn or closed, and must not go out."""
    with refusals():
        return sql.mark_submitted(db, ask_id=ask_id) is not None


def mark_shown(db: Conn, ask_id: UUID, by: ShownBy) -> bool:
    """The person has it before them, known by `by`. Set once; False: it was already, or the channel had refused it."""
    with refusals():
        return bool(sql.mark_shown(db, ask_id=ask_id, shown_by=by))


def mark_rejected(db: Conn, ask_id: UUID) -> bool:
    """The channel certainly did not take it. Set once; False: it was already, or it was shown after all."""
    with refusals():
        return bool(sql.mark_rejected(db, ask_id=ask_id))


def _jobs(rows: Any) -> list[Job]:
    return [Job(**row) for row in rows]
