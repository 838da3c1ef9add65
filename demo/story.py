"""What happens in the demo workspace, line by line: the conversation, and in between rows, ledger and texts."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self
from uuid import UUID

import jobs
from channels import inbound
from conductor.hear import CROSSING_FOR, RIVAL_FOR
from jobs.db import Conn, statements
from jobs.errors import SaysoError

sql = statements(Path(__file__).with_suffix(".sql"))

LINES = 30  # of the conversation, looked at each time
OVERLAP = timedelta(seconds=1)  # a row's time is that of its transaction, which commits later


@dataclass(frozen=True)
class Line:
    """One line to show; `is_event`: nobody said it."""

    text: str
    is_event: bool


@dataclass(frozen=True)
class Stands:
    """A question was shown and waits; a decision is held; a reply may cross with the question; more is under way."""

    open: bool
    held: bool
    crossable: bool
    under_way: bool


@dataclass
class Story:
    """One listener's place in it. Not for two threads at once."""

    workspace_id: UUID
    chat_guid: str
    manager_id: UUID
    manager: str
    since: datetime
    _told: set[str] = field(default_factory=set)
    _names: dict[UUID, str] = field(default_factory=dict)

    @classmethod
    def begin(cls, db: Conn) -> Self:
        """From now on; a question that waits already is told again. Raises SaysoError without a demo workspace."""
        place = sql.place(db)
        if place is None:
            raise SaysoError("there is no demo workspace", "Start with: sayso demo, or: sayso up --demo")
        story = cls(**place, since=jobs.now(db))
        earlier = [key for _, key, _ in story._lines(db)]
        story._told.update(earlier[:-2] if story.stands(db).open else earlier)
        return story

    def news(self, db: Conn) -> list[Line]:
        """What was not told yet, in the order in which it happened."""
        events = sql.happened(db, workspace_id=self.workspace_id, since=self.since - OVERLAP)
        found = [(e["at"], e["key"], self._event(db, e)) for e in events if e["key"] not in self._told]
        found += [line for line in self._lines(db) if line[1] not in self._told]
        self._told.update(key for _, key, _ in found)
        return [line for _, _, line in sorted(found, key=lambda entry: entry[0])]

    def skip(self, inbound_id: UUID) -> None:
        """Do not tell this message: whoever listens has written it."""
        self._told.add(f"line {inbound_id}")

    def stands(self, db: Conn) -> Stands:
        return Stands(**sql.stands(db, workspace_id=self.workspace_id, crossing_for=CROSSING_FOR, rival_for=RIVAL_FOR))

    def _lines(self, db: Conn) -> list[tuple[datetime, str, Line]]:
        who = {"sayso": "Sayso", "person": self.manager.split()[0]}
        return [(line.at, f"line {line.id}", Line(f"{who[line.author]}: {line.body}", is_event=False))
                for line in inbound.thread(db, self.workspace_id, self.chat_guid, LINES)]

    def _event(self, db: Conn, event: dict[str, Any]) -> Line:
        name = self._name(db, event["about"]) if event["what"] == "row" else ""
        return Line(f"    {event['what']:<7} {name}{event['said']}", is_event=True)

    def _name(self, db: Conn, job_id: UUID) -> str:
        if job_id not in self._names:
            row = sql.named(db, job_id=job_id)
            self._names[job_id] = f"{row['name']}  " if row else ""
        return self._names[job_id]
