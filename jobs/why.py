"""Why a job is where it is, and what would move it, in sentences."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from jobs.db import Conn, sql
from jobs.reading import get
from jobs.rows import Job
from jobs.states import ENDS


def why(db: Conn, job_id: UUID, now: datetime) -> list[str]:
    """Raises NotFound."""
    job, around = get(db, job_id), sql.surroundings(db, job_id=job_id, now=now)
    if job.finished_at is not None:
        return [*_ended(job), f"{job.source} took it home at {_at(job.finished_at)}. It is over, and nothing moves it."]
    if job.status in ENDS:
        return [*_ended(job), *_finish(job, now)]
    if job.status == "pending":
        return _pending(job, around, now)
    said = _asked(job, around)
    if job.waiting is not None:
        said.append("Its facts have changed since: it is asked again with the new ones, and no answer counts before.")
    return said


def _pending(job: Job, around: dict[str, Any], now: datetime) -> list[str]:
    said = [f"It waits to be {'asked' if job.needs_reply else 'told'} in the chat {job.chat_guid}."]
    if job.not_before > now:
        said.append(f"It is not due before {_at(job.not_before)}, in {_span(job.not_before - now)}. "
                    f"To have it due now: sayso jobs snooze {job.id} now")
    if around["open_since"] is not None:
        said.append(f"One thing is open at a time, since {_at(around['open_since'])} this: {around['open_question']} "
                    "An answer to it, or its end, makes room.")
    if around["ahead"]:
        more = "At least 100" if around["ahead"] == 100 else str(around["ahead"])
        said.append(f"{more} due before it, by priority and then age.")
    if around["turn_failures"]:
        said.append(f"The last {around['turn_failures']} turns of its chat failed: {around['last_error']} "
                    f"The next is at {_at(around['next_look_at'])}.")
    if len(said) == 1:
        said.append("Nothing stands in its way: the next turn of its chat takes it."
                    + (" That turn has been called for." if around["has_wake"] else ""))
    return said


def _asked(job: Job, around: dict[str, Any]) -> list[str]:
    if job.status == "awaiting_reply":
        return [f"It was shown in the chat {job.chat_guid} at {_at(around['shown_at'])} ({around['shown_by']}).",
                "An answer moves it; silence does not."]
    if around["shown_at"] is not None:
        return ["It was shown, and the next turn of its chat writes that down."]
    if around["rejected_at"] is not None or around["withdrawn_at"] is not None:
        return ["Its text was not shown, and the next turn of its chat makes it pending again."]
    if around["submitted_at"] is None:
        return ["Its text is planned and has not left. It moves once sent, or no longer paused. See: sayso status"]
    return [f"Its text went to the channel at {_at(around['submitted_at'])}, and nobody knows whether it was shown.",
            "That is looked up. It is not asked again before, for the person may have seen it."]


def _ended(job: Job) -> list[str]:
    if job.status != "resolved" or job.resolution is None:
        return [f"It ended as {job.status} ({job.end_reason})."]
    if not job.needs_reply:
        return ["It was shown."]
    confirmed = {True: "yes", False: "no", None: "under a condition"}[job.resolution["confirmed"]]
    return [f"{job.resolution['decided_by']} decided it ({job.resolution['verdict']}, confirmed: {confirmed}), "
            f"looking at wording {job.answered_rev}."]


def _finish(job: Job, now: datetime) -> list[str]:
    said = []
    if job.release_at is not None and job.release_at > now:
        said.append(f"It is held until {_at(job.release_at)}, for another {_span(job.release_at - now)}: "
                    "a word from the person can still stop it.")
    if job.finish_error:
        said.append(f"{job.source} tried {job.finish_attempts} times to take it home. Last error: {job.finish_error}")
    if job.finish_lease_until is not None and job.finish_lease_until > now:
        said.append(f"A worker has it, until {_at(job.finish_lease_until)} at the latest.")
    elif job.finish_after is not None and job.finish_after.year == 9999:  # as release and finish_failed write it
        said.append(f"It is not tried again without a person. When the cause is gone: sayso jobs retry {job.id}")
    elif job.finish_after is not None and job.finish_after > now and job.finish_error:
        said.append(f"The next attempt is at {_at(job.finish_after)}. To have it at once: sayso jobs retry {job.id}")
    elif not said:
        said.append(f"{job.source} is to take it home now. If that does not happen within seconds, see: sayso status")
    return said


def _at(at: datetime) -> str:
    return at.isoformat(" ", "seconds")


def _span(span: timedelta) -> str:
    s = round(span.total_seconds())
    return f"{s} s" if s < 120 else f"{s // 60} min" if s < 7200 else f"{s // 3600} h"
