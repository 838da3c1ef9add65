"""What ours does, through the verbs that producers, the conductor and the runtime call."""

from collections.abc import Sequence
from uuid import UUID

import jobs
from bench.hand import ASK, RESUME
from jobs.db import Conn
from jobs.finishing import finish, release


class Ours:
    """The same things as Hand does, over one connection in autocommit."""

    name = "Sayso"

    def __init__(self, db: Conn, workspace_id: UUID) -> None:
        self.db = db
        self.workspace_id = workspace_id

    def job(self, chat: str, key: str) -> jobs.NewJob:
        """As a subsystem makes it: outside of what is timed, like the dictionaries that Hand is given."""
        return jobs.NewJob(self.workspace_id, "memory", "question", chat, key, jobs.Ask.read(ASK), RESUME)

    def enqueue(self, job: jobs.NewJob) -> None:
        jobs.enqueue(self.db, job)

    def enqueue_many(self, new: Sequence[jobs.NewJob]) -> None:
        jobs.enqueue_many(self.db, new)

    def live(self, chat: str, resolution: jobs.Resolution) -> bool:
        """The next job of a chat from pending to home; False when none is due."""
        db = self.db
        with db.transaction(), jobs.acting(db, "conductor"):
            begun = jobs.begin_turn(db, self.workspace_id, chat)
            assert begun is not None
            job = jobs.next_due(db, begun, jobs.now(db))
            ask = jobs.claim(db, begun, [job]) if job else None
            jobs.end_turn(db, begun)
        if ask is None or job is None:
            return False
        jobs.mark_submitted(db, ask.id)
        jobs.mark_shown(db, ask.id, "accepted")
        with db.transaction(), jobs.acting(db, "conductor"):
            begun = jobs.begin_turn(db, self.workspace_id, chat)
            assert begun is not None
            [asked] = jobs.asked(db, ask.id)
            jobs.resolve(db, asked, resolution, asked.ask_rev)
            jobs.end_turn(db, begun)
        held = release(db, job.id, job.source)
        assert held is not None
        with db.transaction(), jobs.acting(db, job.source):
            finish(db, held)
        return True

    def next_ask(self, chat: str) -> None:
        """A turn that finds what is next, and asks nothing."""
        with self.db.transaction():
            begun = jobs.begin_turn(self.db, self.workspace_id, chat)
            assert begun is not None
            jobs.now(self.db)
            jobs.open_ask(self.db, begun)
            jobs.end_turn(self.db, begun)
