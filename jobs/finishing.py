"""Taking an end home: claimed under a lease, finished in the transaction of what it causes."""

from uuid import UUID

from jobs.db import Conn, acting, sql
from jobs.errors import refusals
from jobs.reading import moved_on
from jobs.rows import Job


def release(db: Conn, job_id: UUID, source: str) -> Job | None:
    """Claim the finish of an end whose hold is over, for 60 s. None: nothing to do, the hint was stale.

    In a transaction of its own, so that a crash counts as an attempt; after ten of them it waits for a person. Gives no
    right: the job can still be revoked.
    """
    row = sql.release(db, job_id=job_id, source=source)
    return Job(**row) if row is not None and row["finish_lease_until"] is not None else None


def finish(db: Conn, job: Job) -> Job:
    """The end is home. First statement of the transaction in which the owner does its part: both commit, or neither.

    Fenced by version, attempt and lease of `job` as `release` gave it; raises Overtaken when it was revoked, its hold
    lengthened, or another worker has it. From the commit on it is too late to revoke. No network until then.
    """
    with refusals(), acting(db, reason="finished"):
        row = sql.finish(db, job_id=job.id, version=job.version, finish_attempts=job.finish_attempts,
                         finish_lease_until=job.finish_lease_until)
        if row is None:
            raise moved_on(db, job.id, f"be finished by attempt {job.finish_attempts}")
        return Job(**row)


def finish_failed(db: Conn, job: Job, error: str) -> None:
    """The owner's part raised and was rolled back: again in 5 s, doubling to 10 min; after 10 attempts a person must.

    The end stays as it is. Does nothing when the claim was lost meanwhile. In a transaction of its own.
    """
    sql.finish_failed(db, job_id=job.id, finish_attempts=job.finish_attempts, finish_lease_until=job.finish_lease_until,
                      error=error[:1000].replace("\0", ""))
