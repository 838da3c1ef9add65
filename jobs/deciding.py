"""What a person or an engineer decides about a job: answered, taken back, put off, cancelled."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args
from uuid import UUID

from psycopg.types.json import Jsonb

from jobs.ask import RESERVED, Choice, one_line, sound_json
from jobs.db import Conn, acting, sql
from jobs.enqueueing import aware
from jobs.errors import bad, refusals
from jobs.reading import moved_on
from jobs.rows import Chat, Job

Verdict = Literal["confirm", "deny", "correct", "choose", "condition"]
Cancelled = Literal["closed", "superseded", "expired", "withdrawn"]
Retry = Literal["no such job", "will be asked again", "will be finished again", "new job",
                "another live job has the key", "nothing to retry"]


@dataclass(frozen=True)
class Resolution:
    """A decision, with the proof attached. `confirmed` None: a condition in words, so that the owner may not act."""
    verdict: Verdict
    confirmed: bool | None
    slots: dict[str, Any]
    freeform: str | None
    decided_by: str
    decided_at: datetime
    evidence: list[dict[str, Any]]
    interpreted_by: str

    def __post_init__(self) -> None:
        if self.verdict not in get_args(Verdict):
            raise bad("resolution.verdict", self.verdict, "unknown", f"Use one of {', '.join(get_args(Verdict))}.")
        one_line("resolution.decided_by", self.decided_by)
        one_line("resolution.interpreted_by", self.interpreted_by)
        aware("resolution.decided_at", self.decided_at)
        if not self.evidence:
            raise bad("resolution.evidence", self.evidence, "no proof", "Name the words that say so.")
        if taken := next((name for name in self.slots if name in RESERVED), None):
            raise bad("resolution.slots", taken, "a name of ours", "Rename the slot.")
        sound_json("resolution", self.as_json())

    def as_json(self) -> dict[str, Any]:
        return {"verdict": self.verdict, "confirmed": self.confirmed, **self.slots, "freeform": self.freeform,
                "decided_by": self.decided_by, "decided_at": self.decided_at.isoformat(), "evidence": self.evidence,
                "interpreted_by": self.interpreted_by}


@dataclass(frozen=True)
class Retried:
    """`job_id` is another job's when what was home is asked as a new one."""
    job_id: UUID
    outcome: Retry


def resolve(db: Conn, job: Job, resolution: Resolution, ask_rev: int) -> Job:
    """Write the decision on the row, and begin its hold. `ask_rev` is the wording that the person was looking at.

    From awaiting_reply, or from pending for a late answer to what still stands as it was shown. Fenced by version.
    Raises Overtaken when the job moved or has newer facts, BadValue for a value that a closed choice did not offer.
    """
    for name, slot in job.the_ask.answer.slots.items():
        if isinstance(slot, Choice) and not slot.open and name in resolution.slots:
            offered = {option.id for option in (*slot.options, *slot.candidates)}
            if resolution.slots[name] not in offered:
                raise bad(f"resolution.{name}", resolution.slots[name], "not offered", "Ask which option is meant.")
    with refusals(), acting(db, reason=f"answered: {resolution.verdict}"):
        row = sql.resolve(db, job_id=job.id, version=job.version, ask_rev=ask_rev,
                          resolution=Jsonb(resolution.as_json()))
        return _or_refuse(db, row, job.id, f"be resolved at version {job.version} and wording {ask_rev}")


def revoke(db: Conn, job: Job, reason: str) -> Job:
    """Take back the decision that `job` holds, unless its owner has taken it home: pending, and due. Raises Overtaken.

    The decision is kept in job_decisions. Works though the hold was paused or lengthened since the job was read.
    """
    with refusals(), acting(db, reason=reason):
        row = sql.revoke(db, job_id=job.id, decision_no=job.decision_no)
        return _or_refuse(db, row, job.id, f"have its decision {job.decision_no} revoked")


def defer(db: Conn, job: Job, until: datetime, reason: str) -> Job:
    """Out of the ask it is in, and not to be asked again before `until`. Fenced by version; raises Overtaken."""
    aware("until", until)
    with refusals(), acting(db, reason=reason):
        row = sql.defer(db, job_id=job.id, version=job.version, until=until)
        return _or_refuse(db, row, job.id, f"be deferred at version {job.version}")


def snooze(db: Conn, job_id: UUID, until: datetime) -> Job:
    """An engineer's defer, whatever the version, of a job that waits or was asked. Raises Overtaken, NotFound."""
    aware("until", until)
    with refusals(), acting(db, reason="snoozed"):
        return _or_refuse(db, sql.snooze(db, job_id=job_id, until=until), job_id, "be snoozed")


def cancel(db: Conn, job_id: UUID, reason: Cancelled, by_owner: bool) -> Job:
    """End a job that nobody needs answered any more; a decision that is still held is taken back first.

    `by_owner`: it is home with this, and its key free at once. Otherwise its owner's finish gets it. The text of an ask
    that has not been submitted is then not sent. Raises Overtaken when it has ended already, NotFound.
    """
    with refusals(), acting(db, reason=reason):
        sql.undecide(db, job_id=job_id)
        return _or_refuse(db, sql.cancel(db, job_id=job_id, reason=reason, by_owner=by_owner), job_id, "be cancelled")


def fail(db: Conn, job_id: UUID, error: str) -> Job:
    """It could not be asked, for good. Raises Overtaken, NotFound; Forbidden while an ask of it may have been seen."""
    with refusals(), acting(db, reason="could not be asked"):
        return _or_refuse(db, sql.fail(db, job_id=job_id, error=error[:1000].replace("\0", "")), job_id, "fail")


def retry(db: Conn, job_id: UUID) -> Retried:
    """Ask a failed job again, finish a stuck end again (which is never asked again), or enqueue anew what went home."""
    with refusals(), acting(db, reason="retried"):
        return Retried(**sql.retry(db, job_id=job_id))


def held(db: Conn, chat: Chat) -> list[Job]:
    """What was decided in this chat and is not home yet: it can still be revoked. Oldest first."""
    return [Job(**row) for row in sql.held(db, workspace_id=chat.workspace_id, chat_guid=chat.chat_guid)]


def _or_refuse(db: Conn, row: dict[str, Any] | None, job_id: UUID, wanted: str) -> Job:
    if row is None:
        raise moved_on(db, job_id, wanted)
    return Job(**row)
