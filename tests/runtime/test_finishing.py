"""An end goes home once, in the transaction that begins with finished_at, whatever its owner or other workers do."""

from uuid import UUID

import psycopg
import pytest

import jobs
from jobs.db import Conn
from runtime.finishing import TRIES, Home, again, finish_job
from runtime.wiring import connect
from tests.runtime.an_end import Kept, decided


def test_an_end_goes_home_once_however_often_it_is_hinted(db: Conn, workspace: UUID) -> None:
    job, kept = decided(db, workspace), Kept()
    outcomes = [finish_job(db, kept.owner, job.id) for _ in range(5)]
    assert outcomes == [Home.TAKEN, *[Home.NOTHING] * 4]
    assert [(j.id, j.finished_at is not None) for j in kept.finished] == [(job.id, True)]


def test_a_decision_in_its_hold_is_not_finished(db: Conn, workspace: UUID) -> None:
    assert finish_job(db, Kept().owner, decided(db, workspace, hold_seconds=60).id) is Home.NOTHING


def test_what_the_owner_raises_undoes_its_part_and_is_tried_again_later(db: Conn, workspace: UUID) -> None:
    job = decided(db, workspace)

    def fail(db: Conn, job: jobs.Job) -> None:
        db.execute("UPDATE directory_workspaces SET name = 'half done'")
        raise ZeroDivisionError("the owner has a bug")

    assert finish_job(db, Kept(fail).owner, job.id) is Home.FAILED
    row = jobs.get(db, job.id)
    assert (row.finished_at, row.finish_attempts, "the owner has a bug" in str(row.finish_error)) == (None, 1, True)
    assert db.execute("SELECT 1 FROM directory_workspaces WHERE name = 'half done'").fetchone() is None
    assert finish_job(db, Kept().owner, job.id) is Home.NOTHING, "it backs off"
    jobs.retry(db, job.id)
    assert finish_job(db, Kept().owner, job.id) is Home.TAKEN


def test_a_decision_that_is_revoked_after_the_claim_is_not_carried_out(
        db: Conn, workspace: UUID, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    job, kept, claim = decided(db, workspace), Kept(), jobs.release
    with connect(database_url, "test") as manager:

        def released(db: Conn, job_id: UUID, source: str) -> jobs.Job | None:
            claimed = claim(db, job_id, source)
            jobs.revoke(manager, jobs.get(manager, job_id), "wait, no")
            return claimed

        monkeypatch.setattr(jobs, "release", released)
        assert finish_job(db, kept.owner, job.id) is Home.OVERTAKEN
    assert (kept.finished, jobs.get(db, job.id).status) == ([], "pending")


def test_a_refusal_inside_the_owners_part_is_the_owners_failure(db: Conn, workspace: UUID) -> None:
    job = decided(db, workspace)

    def stale(db: Conn, job: jobs.Job) -> None:
        raise jobs.Overtaken("another job moved", "Read it again.")

    assert finish_job(db, Kept(stale).owner, job.id) is Home.FAILED
    assert "another job moved" in str(jobs.get(db, job.id).finish_error)


def test_another_owner_cannot_finish_it(db: Conn, workspace: UUID) -> None:
    job = decided(db, workspace)
    stranger = jobs.Owner("pms_intake", (), Kept().owner.finish, Kept().owner.settled, lambda db, now: None)
    assert finish_job(db, stranger, job.id) is Home.NOTHING


def test_a_transaction_that_lost_a_deadlock_is_made_again_three_times_at_most() -> None:
    tries: list[int] = []

    def lose(times: int) -> str:
        tries.append(1)
        if len(tries) <= times:
            raise psycopg.errors.DeadlockDetected
        return "done"

    assert again(lambda: lose(2)) == "done"
    tries.clear()
    with pytest.raises(psycopg.errors.DeadlockDetected):
        again(lambda: lose(9))
    assert len(tries) == TRIES
