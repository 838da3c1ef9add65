"""What intake does on the beat: it asks what nobody asked, and says what keeps failing."""

from datetime import datetime

import structlog

import jobs
from jobs.db import Conn
from subsystems.intake import kinds, orders
from subsystems.intake.asking import SOURCE, ask_about

SWEPT_AT_ONCE = 100
TOLD_AFTER = 3  # failed attempts to finish

log = structlog.get_logger()


def sweep(db: Conn, now: datetime) -> None:
    """Ask about orders that nobody was asked about, and tell once of each finish that keeps failing.

    One that cannot be asked or told about holds up no other.
    """
    for order in orders.unasked(db, SWEPT_AT_ONCE):
        try:
            with db.transaction():
                ask_about(db, order, now)
        except jobs.Refused:
            log.exception("an order cannot be asked about", order_id=str(order.id))
    for job in jobs.failing(db, SOURCE, TOLD_AFTER):
        if job.kind != "notice" and _failures(job, now) >= TOLD_AFTER:
            try:
                _tell_of_failing(db, job)
            except jobs.Refused:
                log.exception("a failing finish cannot be told", job_id=str(job.id))


def _failures(job: jobs.Job, now: datetime) -> int:
    """Attempts to finish it that raised, or whose worker died."""
    runs = job.finish_lease_until is not None and job.finish_lease_until > now
    return job.finish_attempts - 1 if runs else job.finish_attempts


def _tell_of_failing(db: Conn, job: jobs.Job) -> None:
    """Once for a decision, also when that was shown long ago. Reads no order: that may be what fails."""
    key = f"{SOURCE}:not_finished:{job.id}:{job.decision_no}"
    if jobs.find(db, workspace_id=job.workspace_id, issue_id=job.issue_id, kind="notice", text=key, limit=1):
        return
    why = "its worker died" if job.finish_error is None else kinds.quoted(job.finish_error, kinds.REASON)
    text = f"I could not carry out “{kinds.quoted(job.the_ask.question)}” yet: {why}. Somebody looks at it."
    notice = kinds.notice(text, {})
    jobs.enqueue(db, jobs.NewJob(
        job.workspace_id, SOURCE, "notice", job.chat_guid, key, notice, {}, "urgent", issue_id=job.issue_id,
    ))
