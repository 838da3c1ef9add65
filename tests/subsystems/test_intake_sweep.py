"""What the sweep heals: a finish that keeps failing is told, once."""

from uuid import UUID

import pytest

import jobs
from subsystems import intake
from tests.subsystems.office import CHAT, Office


@pytest.fixture
def job(office: Office) -> jobs.Job:
    """A yes whose finish is due."""
    office.state_policy()
    return office.answer(office.report().order_id)


def fail(office: Office, job: jobs.Job, times: int) -> None:
    for _ in range(times):
        office.advance(700)
        claimed = jobs.release(office.db, job.id, intake.OWNER.source)
        assert claimed is not None
        jobs.finish_failed(office.db, claimed, "RuntimeError('boom \x1b" + "x" * 900)


def swept(office: Office) -> list[str]:
    """The notices there are after a sweep."""
    with office.db.transaction():
        intake.OWNER.sweep(office.db, office.now)
    return office.notices()


def test_a_finish_that_failed_three_times_is_told_once_also_after_that_was_shown(office: Office, job: jobs.Job) -> None:
    fail(office, job, 2)
    assert swept(office) == []
    fail(office, job, 1)
    [told] = swept(office)
    assert told.startswith("I could not carry out “Sending Osalpa Electric for the electrical at 12 Birch #4?” yet: ")
    assert "boom xxx" in told
    assert len(told) < 400
    assert swept(office) == [told]
    [notice] = jobs.find(office.db, kind="notice")
    jobs.cancel(office.db, notice.id, "closed", by_owner=True)
    fail(office, job, 7)
    office.advance(60)
    assert jobs.health(office.db, office.now)["finishes_that_need_a_person"] == 1
    assert swept(office) == [told]


def test_a_finish_whose_workers_die_is_told_too_but_not_while_the_third_still_works(
    office: Office, job: jobs.Job
) -> None:
    for _ in range(3):
        assert swept(office) == []
        office.advance(70)
        assert jobs.release(office.db, job.id, intake.OWNER.source) is not None
    assert swept(office) == []
    office.advance(70)
    [told] = swept(office)
    assert "its worker died" in told


def test_a_decision_that_was_stopped_is_told_of_no_more_and_the_next_one_anew(office: Office, job: jobs.Job) -> None:
    fail(office, job, 3)
    jobs.revoke(office.db, jobs.get(office.db, job.id), "stopped")
    assert swept(office) == []
    again = office.answer(UUID(job.resume["order_id"]))
    assert again.id == job.id
    for told in (1, 1):
        fail(office, again, 3)
        assert len(swept(office)) == told


def test_what_the_order_lacks_does_not_keep_a_failing_finish_from_being_told(office: Office) -> None:
    order_id = office.report().order_id
    stray = office.live(order_id)
    assert stray is not None
    made = jobs.enqueue(office.db, jobs.NewJob(
        office.ws, intake.OWNER.source, "clarify_wo", CHAT, "stray", stray.the_ask, {"order_id": "no order"},
    ))
    stray = jobs.cancel(office.db, made.job_id, "withdrawn", by_owner=False)
    with pytest.raises(ValueError, match="UUID"):
        office.finish(stray.id)
    fail(office, stray, 3)
    assert len(swept(office)) == 1
