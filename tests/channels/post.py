"""What the tests of channels work with: people to write to, a clock to set, and a channel that does what it is told."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import jobs
from channels import outbox
from channels.contract import Accepted, LookedUp, Outgoing, Submitted
from jobs.db import Conn


@dataclass
class Scripted:
    """A channel under the name of the terminal. Its answers are given by the test; it keeps what it was handed."""

    answer: Callable[[Outgoing], Submitted] = lambda text: Accepted(f"there-{text.id}")
    found: Callable[[Outgoing], LookedUp] = lambda text: Accepted(f"found-{text.id}")
    name: str = "terminal"
    sent: list[str] = field(default_factory=list)

    def submit(self, text: Outgoing) -> Submitted:
        self.sent.append(text.body)
        return self.answer(text)

    def look_up(self, text: Outgoing) -> LookedUp:
        return self.found(text)


class Clock:
    """The time of one session, which stands still until it is moved."""

    def __init__(self, db: Conn) -> None:
        self._db = db
        self.now = jobs.now(db)
        self.advance(0)

    def advance(self, seconds: float) -> datetime:
        self.now += timedelta(seconds=seconds)
        self._db.execute("SELECT set_config('sayso.now', %s, false)", (self.now.isoformat(),))
        return self.now


class Post:
    """A workspace with chat 'pm' of its manager, a tenant and a vendor; seen through one connection, at one time."""

    def __init__(self, db: Conn, workspace_id: UUID) -> None:
        self.db = db
        self.workspace_id = workspace_id
        self.manager_id = self._insert("directory_people (workspace_id, external_id, name, role, chat_guid, address)"
                                       " VALUES (%s, 'm', 'Dana', 'manager', 'pm', 'dana')")
        self.tenant_id = self._insert("directory_people (workspace_id, external_id, name, role, address)"
                                      " VALUES (%s, 't', 'Tess', 'tenant', 'tess')")
        self.vendor_id = self._insert("directory_vendors (workspace_id, external_id, name, trades, address)"
                                      " VALUES (%s, 'v', 'Osalpa', '{}', 'osalpa')")
        self.clock = Clock(db)

    def plan(self, key: str = "k", **given: Any) -> UUID:
        """A text to the tenant, unless it says otherwise."""
        text: dict[str, Any] = {"purpose": "effect", "body": key, "to": outbox.ToPerson(self.tenant_id)} | given
        return outbox.plan(self.db, workspace_id=self.workspace_id, key=key, **text)

    def ask(self) -> jobs.AskRow:
        """An ask of one job, open in chat 'pm' and not yet on its way."""
        jobs.register_kinds(self.db, [("memory", "question")])
        jobs.enqueue(self.db, jobs.NewJob(
            workspace_id=self.workspace_id, source="memory", kind="question", chat_guid="pm", dedupe_key="q",
            ask=jobs.Ask(question="Go?", draft="Go?", answer=jobs.Answer())))
        with self.db.transaction():
            chat = jobs.begin_turn(self.db, self.workspace_id, "pm")
            assert chat is not None
            job = jobs.next_due(self.db, chat, jobs.now(self.db))
            assert job is not None
            opened = jobs.claim(self.db, chat, [job])
            jobs.end_turn(self.db, chat)
            return opened

    def plan_ask(self) -> tuple[UUID, UUID]:
        """The ids of such an ask and of the text that shows it."""
        ask = self.ask()
        return ask.id, self.plan("ask", purpose="ask", to=outbox.ToChat("pm"), ask_id=ask.id)

    def status(self, message_id: UUID) -> str:
        row = self.db.execute("SELECT status FROM channel_messages WHERE id = %s", (message_id,)).fetchone()
        assert row is not None
        found: str = row["status"]
        return found

    def _insert(self, into: str) -> UUID:
        row = self.db.execute(f"INSERT INTO {into} RETURNING id".encode(), (self.workspace_id,)).fetchone()
        assert row is not None
        made: UUID = row["id"]
        return made
