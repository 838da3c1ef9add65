"""A chat with its jobs, moved by the verbs as a conductor and its deliveries would."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import jobs
from jobs.db import Conn

KINDS = ("confirm_dispatch", "notice")
ASK = jobs.Ask(
    question="Osalpa?",
    draft="Sending Osalpa?",
    hold_seconds=60,
    answer=jobs.Answer(slots={"vendor": jobs.Choice(options=(jobs.Option(id="v1", label="Osalpa"),))}),
)


def reworded(question: str, hold_seconds: int = 60) -> jobs.Ask:
    return ASK.model_copy(update={"question": question, "hold_seconds": hold_seconds})


class Lane:
    def __init__(self, db: Conn, workspace: UUID, chat_guid: str = "pm") -> None:
        self.db, self.workspace, self.chat_guid = db, workspace, chat_guid
        jobs.register_kinds(db, [("pms_intake", kind) for kind in KINDS])

    def new(self, key: str = "k", **changes: Any) -> jobs.NewJob:
        plain = jobs.NewJob(
            self.workspace,
            "pms_intake",
            changes.pop("kind", "confirm_dispatch"),
            self.chat_guid,
            key,
            changes.pop("ask", ASK),
        )
        return replace(plain, **changes)

    def notice(self, key: str = "n") -> jobs.NewJob:
        return self.new(key, kind="notice", ask=reworded("News.", hold_seconds=0))

    def enqueue(self, key: str = "k", **changes: Any) -> jobs.Job:
        return jobs.get(self.db, jobs.enqueue(self.db, self.new(key, **changes)).job_id)

    def begin(self) -> jobs.Chat:
        chat = jobs.begin_turn(self.db, self.workspace, self.chat_guid)
        assert chat is not None
        return chat

    def put_into_ask(self, *keys: str) -> jobs.AskRow:
        with self.db.transaction():
            return jobs.claim(self.db, self.begin(), [self.job(key) for key in keys])

    def show(self, *keys: str) -> jobs.AskRow:
        """Ask them together, and see it shown."""
        ask = self.put_into_ask(*keys)
        assert jobs.mark_submitted(self.db, ask.id)
        assert jobs.mark_shown(self.db, ask.id, "accepted")
        with self.db.transaction():
            self.begin()
            jobs.asked(self.db, ask.id)
        return ask

    def awaiting(self, key: str = "k", **changes: Any) -> jobs.Job:
        self.enqueue(key, **changes)
        self.show(key)
        return self.job(key)

    def held(self, key: str = "k", **changes: Any) -> jobs.Job:
        job = self.awaiting(key, **changes)
        return jobs.resolve(self.db, job, yes(jobs.now(self.db)), job.ask_rev)

    def released(self, key: str = "k") -> jobs.Job:
        """An end without a hold, claimed by a worker."""
        job = self.held(key, ask=reworded("Osalpa?", hold_seconds=0))
        self.db.execute("UPDATE chats SET unheard_since = NULL")  # what was written has been read
        claimed = jobs.release(self.db, job.id, "pms_intake")
        assert claimed is not None
        return claimed

    def job(self, key: str = "k") -> jobs.Job:
        """The newest one of that key."""
        row = self.db.execute(
            "SELECT * FROM jobs WHERE dedupe_key = %s ORDER BY created_at DESC LIMIT 1", (key,)
        ).fetchone()
        assert row is not None
        return jobs.Job(**row)

    def later(self, **span: float) -> None:
        """Move this session's clock on."""
        self.db.execute("SELECT set_config('sayso.now', %s, false)", (str(jobs.now(self.db) + timedelta(**span)),))


def yes(at: datetime, **slots: Any) -> jobs.Resolution:
    return jobs.Resolution("confirm", True, slots, None, "person:1", at, [{"inbound": 1}], "words-1")
