"""How a job is born, and how its owner changes the facts of one that lives."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal, Self
from uuid import UUID

from psycopg.types.json import Jsonb
from pydantic import ConfigDict, TypeAdapter, ValidationError

from jobs.ask import Ask, bad_value, one_line, sound_json
from jobs.db import Conn, sql, whole
from jobs.errors import bad, refusals
from jobs.states import Status

Priority = Literal["urgent", "normal", "low"]
Superseded = Literal["ended", "decision taken back", "freshened", "will be asked again"]


@dataclass(frozen=True)
class NewJob:
    """A job to be enqueued. What cannot be stored raises BadValue here, before anything is written."""
    workspace_id: UUID
    source: str
    kind: str
    chat_guid: str
    dedupe_key: str
    ask: Ask
    resume: dict[str, Any] = field(default_factory=dict)
    priority: Priority = "normal"
    not_before: datetime | None = None
    issue_id: str | None = None
    batch_key: str | None = None
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    @classmethod
    def read(cls, data: object) -> Self:
        """From JSON, with the same names. Raises BadValue."""
        try:
            return TypeAdapter(cls).validate_python(data)
        except ValidationError as error:
            raise bad_value(error, "job") from error

    def __post_init__(self) -> None:
        for name in ("source", "kind", "chat_guid", "dedupe_key", "issue_id", "batch_key"):
            if (text := getattr(self, name)) is not None:
                one_line(name, text)
        sound_json("resume", self.resume)
        if self.not_before is not None:
            aware("not_before", self.not_before)
        if self.kind == "notice" and self.ask.hold_seconds:
            raise bad("ask.hold_seconds", self.ask.hold_seconds, "on a notice", "Leave it out: nothing is held.")
        if self.kind != "notice" and not (self.ask.answer.confirm or self.ask.answer.slots):
            raise bad("ask.answer", self.ask.answer, "takes no answer", "Let it be confirmed, or give it a slot.")


@dataclass(frozen=True)
class Enqueued:
    """What became of a call. `overtaken`: its job is past pending, nothing was written; supersede it or let it be."""
    job_id: UUID
    outcome: Literal["created", "unchanged", "freshened", "overtaken"]
    status: Status


def aware(name: str, at: datetime) -> None:
    """Raises BadValue for a time without a zone: nobody knows when that is."""
    if at.utcoffset() is None:
        raise bad(name, at.isoformat(), "it has no time zone", "Add one.")


def register_kinds(db: Conn, pairs: Iterable[tuple[str, str]]) -> None:
    """Make (source, kind) pairs known, so that jobs may have them. Idempotent; none is ever removed."""
    known = list(pairs)
    sql.register_kinds(db, sources=[source for source, _ in known], kinds=[kind for _, kind in known])


def enqueue(db: Conn, job: NewJob) -> Enqueued:
    """Put a job into the table, or freshen the live one of its key, in the caller's transaction. Takes no chat's lock.

    Idempotent by (workspace, dedupe_key) while that job lives; never fails for a duplicate. May wait for a twin that
    another open transaction inserts. A refusal (NotFound, BadValue) undoes this call and leaves the transaction usable.
    The database may still raise 40P01 (two callers, the same keys in opposite order) and, above READ COMMITTED, 40001:
    run the whole transaction again.
    """
    with refusals(), whole(db):
        return Enqueued(**sql.enqueue(db, **_row(job)))


def enqueue_many(db: Conn, new: Sequence[NewJob]) -> list[Enqueued]:
    """Like `enqueue` for many jobs of one workspace, with one statement for those whose key is free. Keeps the order.

    A key twice in `new` is as if one call came after the other. All or nothing: one refusal undoes the whole call.
    """
    if not new:
        return []
    workspaces = {job.workspace_id for job in new}
    if len(workspaces) > 1:
        raise bad("workspace_id", workspaces, "more than one", "Enqueue for one at a time.")
    firsts: dict[str, NewJob] = {}
    for job in new:
        firsts.setdefault(job.dedupe_key, job)
    with refusals(), db.transaction():
        rows = [_row(job) for job in firsts.values()]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        inserted = {row["dedupe_key"]: row["id"] for row in sql.insert_new(db, **columns)}
        told: dict[int, Enqueued] = {}
        for place, job in sorted(enumerate(new), key=lambda pair: (pair[1].dedupe_key, pair[0])):
            new_id = inserted.get(job.dedupe_key) if firsts[job.dedupe_key] is job else None
            told[place] = Enqueued(new_id, "created", "pending") if new_id else Enqueued(**sql.enqueue(db, **_row(job)))
        return [told[place] for place in range(len(new))]


def supersede(db: Conn, job_id: UUID, ask: Ask, resume: dict[str, Any], priority: Priority | None = None) -> Superseded:
    """The owner's facts changed: put the new ones in force, in the caller's transaction and without waiting for a chat.

    Before the person they are kept in `waiting`, and resolving is refused until they were asked about. Held: the
    decision is taken back. Ended: nothing, and the owner decides what next.
    """
    sound_json("resume", resume)
    with refusals(), db.transaction():
        facts = {"ask": Jsonb(ask.as_json()), "resume": Jsonb(resume)}
        told: Superseded = sql.supersede(db, job_id=job_id, priority=priority, **facts)
        return told


def _row(job: NewJob) -> dict[str, Any]:
    row = {name: getattr(job, name) for name in NewJob.__dataclass_fields__}
    return row | {"ask": Jsonb(job.ask.as_json()), "resume": Jsonb(job.resume)}
