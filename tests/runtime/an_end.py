"""A job that was asked and answered by the real verbs, and an owner that keeps what it was given."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import jobs
from jobs.db import Conn

SOURCE, KIND = "memory", "question"


def decided(db: Conn, workspace_id: UUID, key: str = "q", hold_seconds: int = 0) -> jobs.Job:
    """Asked in chat 'pm', and answered with yes."""
    jobs.register_kinds(db, [(SOURCE, KIND)])
    jobs.enqueue(db, jobs.NewJob(
        workspace_id=workspace_id, source=SOURCE, kind=KIND, chat_guid="pm", dedupe_key=key,
        ask=jobs.Ask(question="Go?", draft="Go?", answer=jobs.Answer(), hold_seconds=hold_seconds)))
    with db.transaction():
        chat = jobs.begin_turn(db, workspace_id, "pm")
        assert chat is not None
        due = jobs.next_due(db, chat, jobs.now(db))
        assert due is not None
        ask = jobs.claim(db, chat, [due])
        jobs.mark_submitted(db, ask.id)
        jobs.mark_shown(db, ask.id, "accepted")
        (awaiting,) = jobs.asked(db, ask.id)
        done = jobs.resolve(db, awaiting, jobs.Resolution(
            verdict="confirm", confirmed=True, slots={}, freeform=None, decided_by="person:x", decided_at=jobs.now(db),
            evidence=[{"said": "yes"}], interpreted_by="test"), awaiting.ask_rev)
        jobs.end_turn(db, chat)
        return done


@dataclass
class Kept:
    """What an owner was handed. `during` is called inside its part."""

    during: Callable[[Conn, jobs.Job], None] = lambda db, job: None
    finished: list[jobs.Job] = field(default_factory=list)
    settled: list[jobs.SettledMessage] = field(default_factory=list)

    @property
    def owner(self) -> jobs.Owner:
        return jobs.Owner(SOURCE, (KIND,), self._finish, self._settle, lambda db, now: None)

    def _finish(self, db: Conn, job: jobs.Job, now: datetime) -> None:
        self.during(db, job)
        self.finished.append(job)

    def _settle(self, db: Conn, message: jobs.SettledMessage, now: datetime) -> None:
        self.settled.append(message)
