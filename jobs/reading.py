"""Reading jobs: one, many, the story of one, and whether anything stands still."""

import re
from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from jobs.db import Conn, sql
from jobs.errors import NotFound, Overtaken, Refused, bad
from jobs.rows import Job
from jobs.states import Status


def get(db: Conn, job_id: UUID) -> Job:
    """Raises NotFound."""
    row = sql.get(db, job_id=job_id)
    if row is None:
        raise no_such(job_id)
    return Job(**row)


def find(db: Conn, *, workspace_id: UUID | None = None, status: Collection[Status] = (), source: str | None = None,
         kind: str | None = None, chat_guid: str | None = None, issue_id: str | None = None, text: str | None = None,
         limit: int = 50) -> list[Job]:
    """The newest `limit` jobs for which all that is given holds; `text` is looked for in the question and the key."""
    rows = sql.find(db, workspace_id=workspace_id, statuses=list(status), source=source, kind=kind, chat_guid=chat_guid,
                    issue_id=issue_id, text=text, limit=limit)
    return [Job(**row) for row in rows]


def failing(db: Conn, source: str, attempts: int) -> list[Job]:
    """Up to 100 of an owner's ends whose finish was tried so often and is not home, those due first."""
    return [Job(**row) for row in sql.failing(db, source=source, attempts=attempts)]


def look_up(db: Conn, name: str) -> UUID:
    """The id of the job that a person means by its id, the first 6 or more characters of it, or its dedupe key.

    Raises NotFound, and BadValue when it may be several.
    """
    like = f"{name.lower()}%" if re.fullmatch(r"[0-9a-fA-F-]{6,36}", name) else None
    ids: list[UUID] = [row["id"] for row in sql.look_up(db, like=like, key=name.replace("\0", ""))]
    if len(ids) > 1:
        raise bad("job", name, f"it may be {ids[0]} or {ids[1]}", "Give more of the id.")
    if not ids:
        raise no_such(repr(name))
    return ids[0]


def workspace_of(db: Conn, chat_guid: str) -> UUID:
    """The workspace that a chat belongs to: there is one. Raises NotFound."""
    row = db.execute("SELECT workspace_id FROM chats WHERE chat_guid = %s", (chat_guid.replace("\0", ""),)).fetchone()
    if row is None:
        raise NotFound(f"chat_guid: there is no chat {chat_guid!r}", "See: sayso workspace list",
                       field="chat_guid", value=chat_guid)
    return UUID(str(row["workspace_id"]))


def live(db: Conn, seen: Collection[UUID], chat_guid: str | None) -> list[Job]:
    """The jobs that are not over, and those of `seen` as they are now; at most the 1,000 that moved last."""
    return [Job(**row) for row in sql.live(db, seen=list(seen), chat_guid=chat_guid)]


def timeline(db: Conn, job_id: UUID) -> list[dict[str, Any]]:
    """What happened to a job, oldest first: at, what, status, detail, actor, turn_no, version. Raises NotFound."""
    get(db, job_id)
    return [{key: value for key, value in row.items() if key != "step"} for row in sql.timeline(db, job_id=job_id)]


def health(db: Conn, now: datetime) -> dict[str, int]:
    """How many of each thing stand still; all are 0 when all is well."""
    return dict(sql.health(db, now=now))


def no_such(job_id: object) -> NotFound:
    return NotFound(f"job_id: there is no job {job_id}", "See: sayso jobs list", field="job_id", value=job_id)


def moved_on(db: Conn, job_id: UUID, wanted: str) -> Refused:
    """Why a fenced statement found no row: what the job is now, and what to do."""
    row = sql.get(db, job_id=job_id)
    if row is None:
        return no_such(job_id)
    job = Job(**row)
    now = f"{job.status}, version {job.version}, wording {job.ask_rev}"
    if job.finished_at is not None:
        now += f", finished at {job.finished_at.isoformat(' ', 'seconds')}"
    if job.waiting is not None:
        now += ", with newer facts waiting"
    return Overtaken(f"status: job {job_id} cannot {wanted}: it is {now}", "Read it again, and decide anew.",
                     field="status", value=job.status)
