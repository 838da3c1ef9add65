"""What the tests of the conductor work with: one chat, its manager, a clock, and questions to be asked in it."""

from datetime import datetime, timedelta
from uuid import UUID

import directory
import jobs
from channels import due, inbound
from channels.delivery import deliver
from conductor.turn import Outcome, turn
from jobs.db import Conn

BOBS = (
    jobs.Option(id="v-bob-e", label="Bob’s Electric", aliases=("bob",)),
    jobs.Option(id="v-bob-r", label="Bob Reyes Wiring", aliases=("bob", "reyes")),
)


class Talk:
    """A conversation as both sides have it. Nothing in it sleeps: the clock stands until it is moved."""

    def __init__(self, db: Conn) -> None:
        self.db = db
        self.now = jobs.now(db)
        self.wait(0)
        self.workspace_id = directory.create_workspace(db, name="Talk", manager_name="Dana", chat_guid="dana").id
        self.manager_id = directory.manager_in(db, self.workspace_id, "dana").id
        self.words = 0
        jobs.register_kinds(db, [("pms_intake", "confirm_dispatch"), ("pms_intake", "notice")])

    def wait(self, seconds: float) -> datetime:
        self.now += timedelta(seconds=seconds)
        self.db.execute("SELECT set_config('sayso.now', %s, false)", (self.now.isoformat(),))
        return self.now

    def enqueue(self, key: str, *, priority: str = "normal", hold: int = 60, question: str | None = None) -> UUID:
        """A question whether to send Osalpa; either Bob may be named instead."""
        question = question or f"Sending Osalpa for {key}?"
        osalpa = jobs.Option(id="v-osalpa", label="Osalpa Electric", aliases=("osalpa", "omar"), suggested=True)
        vendor = jobs.Choice(options=(osalpa,), candidates=BOBS)
        ask = jobs.Ask(
            question=question,
            draft=f"{question} (You said so in May.)",
            answer=jobs.Answer(slots={"vendor": vendor}),
            reversible=False,
            hold_seconds=hold,
        )
        new = jobs.NewJob(self.workspace_id, "pms_intake", "confirm_dispatch", "dana", key, ask, priority=priority)  # type: ignore[arg-type]
        return jobs.enqueue(self.db, new).job_id

    def notify(self, key: str, text: str) -> UUID:
        ask = jobs.Ask(question=text, draft=text, answer=jobs.Answer(confirm=False))
        return jobs.enqueue(
            self.db, jobs.NewJob(self.workspace_id, "pms_intake", "notice", "dana", key, ask)
        ).job_id

    def turn(self) -> Outcome:
        return turn(self.db, self.workspace_id, "dana")

    def deliver(self) -> None:
        while waiting := due.look(self.db, self.now).deliveries:
            for text in waiting:
                deliver(self.db, text.message_id)

    def settle(self) -> None:
        """Turns and deliveries until nothing more is due."""
        for _ in range(10):
            self.turn()
            self.deliver()
            if not jobs.due(self.db, self.now).chats:
                return
        raise AssertionError("the chat does not come to rest")

    def write(self, text: str, *, quotes: UUID | None = None) -> None:
        """The manager writes; nobody has read it yet."""
        self.words += 1
        inbound.receive(
            self.db,
            workspace_id=self.workspace_id,
            chat_guid="dana",
            person_id=self.manager_id,
            channel="terminal",
            provider_id=f"m{self.words}",
            body=text,
            sent_at=self.now,
            quotes=quotes,
        )

    def say(self, text: str) -> list[str]:
        """The manager writes after having read all there is; returns what Sayso says to it."""
        self.wait(20)
        before = len(self.heard())
        self.write(text)
        self.settle()
        return self.heard()[before:]

    def heard(self) -> list[str]:
        """All that Sayso has said so far."""
        lines = inbound.thread(self.db, self.workspace_id, "dana", limit=200)
        return [line.body for line in lines if line.author == "sayso"]

    def status(self, job_id: UUID) -> str:
        return jobs.get(self.db, job_id).status
