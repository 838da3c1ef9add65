"""Two connections at once, where the order matters. Each waits until the database says that the other is stuck."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar
from uuid import UUID

import psycopg
import pytest
from psycopg.rows import dict_row

import jobs
from jobs import turning
from jobs.db import Conn
from tests.an_ask import ask_row
from tests.jobs.a_lane import Lane, reworded, yes

T = TypeVar("T")


class RolledBackError(Exception):
    pass


@pytest.fixture
def lane(db: Conn, workspace: UUID) -> Lane:
    return Lane(db, workspace)


@pytest.fixture
def other(database_url: str, workspace: UUID) -> Iterator[Lane]:
    """The same chat over another connection."""
    with psycopg.connect(database_url, autocommit=True, row_factory=dict_row) as connection:
        yield Lane(connection, workspace)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def stuck(watcher: Conn, pid: int, work: "Future[object]") -> bool:
    """Wait until that backend waits for a lock (True) or its work is over (False)."""
    while not work.done():
        row = watcher.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0 AS waits", (pid,)).fetchone()
        if row is not None and row["waits"]:
            return True
    return False


def meanwhile(
    lane: Lane,
    other: Lane,
    threads: ThreadPoolExecutor,
    first: Callable[[], object],
    second: Callable[[], T],
    *,
    waits: bool = True,
    rolls_back: bool = False,
) -> T:
    """`first` on lane's connection, `second` on other's before that has committed. Gives what `second` does."""
    with suppress(RolledBackError), lane.db.transaction():
        first()
        work: Future[T] = threads.submit(second)
        assert stuck(lane.db, other.db.info.backend_pid, work) == waits  # type: ignore[arg-type]
        if rolls_back:
            raise RolledBackError
    return work.result(10)


@pytest.mark.parametrize(("rolls_back", "outcome"), [(False, "unchanged"), (True, "created")])
def test_an_enqueue_waits_for_its_twin_and_takes_the_key_if_that_rolls_back(
    lane: Lane, other: Lane, threads: ThreadPoolExecutor, rolls_back: bool, outcome: str
) -> None:
    told = meanwhile(
        lane,
        other,
        threads,
        lambda: jobs.enqueue(lane.db, lane.new()),
        lambda: jobs.enqueue(other.db, other.new()),
        rolls_back=rolls_back,
    )
    assert told.outcome == outcome
    assert len(jobs.find(lane.db)) == 1


def test_a_duplicate_enqueue_of_an_asked_job_holds_nobody_up(
    lane: Lane, other: Lane, threads: ThreadPoolExecutor
) -> None:
    job = lane.awaiting()
    answered = meanwhile(
        lane,
        other,
        threads,
        lambda: jobs.enqueue(lane.db, lane.new(resume={"v": 2})),
        lambda: jobs.resolve(other.db, job, yes(jobs.now(other.db)), 1),
        waits=False,
    )
    assert answered.status == "resolved"


def test_the_last_two_that_leave_a_bundle_at_once_close_it(
    lane: Lane, other: Lane, threads: ThreadPoolExecutor
) -> None:
    one, two = lane.enqueue("one"), lane.enqueue("two")
    ask = lane.show("one", "two")
    meanwhile(
        lane,
        other,
        threads,
        lambda: jobs.cancel(lane.db, one.id, "closed", by_owner=True),
        lambda: jobs.cancel(other.db, two.id, "closed", by_owner=True),
    )
    assert ask_row(lane.db, ask.id).closed_at is not None


def test_of_withdraw_and_submit_exactly_one_succeeds(lane: Lane, other: Lane, threads: ThreadPoolExecutor) -> None:
    lane.enqueue()
    withdrawn = lane.put_into_ask("k")
    assert not meanwhile(
        lane,
        other,
        threads,
        lambda: jobs.withdraw(lane.db, withdrawn.id, "preempted"),
        lambda: jobs.mark_submitted(other.db, withdrawn.id),
    )
    submitted = lane.put_into_ask("k")
    assert not meanwhile(
        lane,
        other,
        threads,
        lambda: jobs.mark_submitted(lane.db, submitted.id),
        lambda: jobs.withdraw(other.db, submitted.id, "preempted"),
    )
    assert lane.job().status == "asking"


def test_a_wording_joins_an_ask_before_it_is_submitted_or_not_at_all(
    lane: Lane, other: Lane, threads: ThreadPoolExecutor
) -> None:
    lane.enqueue()
    late = lane.enqueue("late")
    ask = lane.put_into_ask("k")
    join = "INSERT INTO ask_items (ask_id, item_no, job_id, ask_rev) VALUES (%s, 2, %s, 1)"
    assert meanwhile(
        lane,
        other,
        threads,
        lambda: lane.db.execute(join, (ask.id, late.id)),
        lambda: jobs.mark_submitted(other.db, ask.id),
    )
    with pytest.raises(psycopg.Error, match="on its way"):
        lane.db.execute(join.replace("2", "3"), (ask.id, late.id))


def test_what_is_being_taken_home_is_revoked_only_if_that_rolls_back(
    lane: Lane, other: Lane, threads: ThreadPoolExecutor
) -> None:
    job = lane.released()
    revoked = meanwhile(
        lane,
        other,
        threads,
        lambda: jobs.finish(lane.db, job),
        lambda: jobs.revoke(other.db, job, "wait"),
        rolls_back=True,
    )
    assert revoked.status == "pending"
    again = lane.released("again")
    with pytest.raises(jobs.Overtaken, match="finished"):
        meanwhile(
            lane, other, threads, lambda: jobs.finish(lane.db, again), lambda: jobs.revoke(other.db, again, "wait")
        )


def test_what_is_being_revoked_is_not_taken_home(lane: Lane, other: Lane, threads: ThreadPoolExecutor) -> None:
    job = lane.released()
    with pytest.raises(jobs.Overtaken, match="pending"):
        meanwhile(lane, other, threads, lambda: jobs.revoke(lane.db, job, "wait"), lambda: jobs.finish(other.db, job))


def test_a_word_of_the_person_stops_a_finish_that_has_not_begun_and_not_one_that_has(
    lane: Lane, other: Lane, threads: ThreadPoolExecutor
) -> None:
    def push(who: Lane) -> None:
        who.db.execute("SELECT chat_spoken(%s, 'pm')", (who.workspace,))

    stopped = lane.released("stopped")
    with pytest.raises(jobs.Overtaken, match=r"resolved|wrote"):
        meanwhile(lane, other, threads, lambda: push(lane), lambda: jobs.finish(other.db, stopped))
    begun = lane.released("begun")
    meanwhile(lane, other, threads, lambda: jobs.finish(lane.db, begun), lambda: push(other))
    home = lane.job("begun")
    assert home.release_at == begun.release_at
    assert home.finished_at is not None


def test_a_job_that_is_being_freshened_is_passed_over_and_looked_at_again_soon(
    lane: Lane, other: Lane, threads: ThreadPoolExecutor
) -> None:
    lane.enqueue()

    def look() -> tuple[jobs.Job | None, float]:
        with other.db.transaction():
            chat, now = other.begin(), jobs.now(other.db)
            job, at = jobs.next_due(other.db, chat, now), jobs.end_turn(other.db, chat)
            assert at is not None
            return job, (at - now).total_seconds()

    job, seconds = meanwhile(
        lane, other, threads, lambda: jobs.enqueue(lane.db, lane.new(resume={"v": 2})), look, waits=False
    )
    assert job is None
    assert seconds < 3


def test_a_claim_that_a_freshen_overtook_is_refused(lane: Lane, other: Lane, threads: ThreadPoolExecutor) -> None:
    stale = lane.enqueue()

    def claim() -> jobs.AskRow:
        with other.db.transaction():
            return jobs.claim(other.db, other.begin(), [stale])

    with pytest.raises(jobs.Overtaken):
        meanwhile(lane, other, threads, lambda: jobs.enqueue(lane.db, lane.new(resume={"v": 2})), claim)


def test_a_freshen_that_a_claim_overtook_is_told_so(lane: Lane, other: Lane, threads: ThreadPoolExecutor) -> None:
    job = lane.enqueue()
    told = meanwhile(
        lane,
        other,
        threads,
        lambda: jobs.claim(lane.db, lane.begin(), [job]),
        lambda: jobs.enqueue(other.db, other.new(resume={"v": 2})),
    )
    assert told == jobs.Enqueued(job.id, "overtaken", "asking")


def test_a_yes_that_newer_facts_overtook_does_not_count(lane: Lane, other: Lane, threads: ThreadPoolExecutor) -> None:
    job = lane.awaiting()
    with pytest.raises(jobs.Overtaken, match="newer facts"):
        meanwhile(
            lane,
            other,
            threads,
            lambda: jobs.supersede(lane.db, job.id, reworded("Bob?"), {}),
            lambda: jobs.resolve(other.db, job, yes(jobs.now(other.db)), 1),
        )


def test_a_turn_is_not_held_up_by_an_enqueue_that_has_not_committed(
    lane: Lane, other: Lane, threads: ThreadPoolExecutor
) -> None:
    lane.enqueue("before")

    def a_turn() -> None:
        with other.db.transaction():
            jobs.end_turn(other.db, other.begin())

    meanwhile(lane, other, threads, lambda: jobs.enqueue(lane.db, lane.new()), a_turn, waits=False)
    assert len(jobs.due(lane.db, jobs.now(lane.db)).chats) == 1  # the wake of what came after


def test_what_is_enqueued_during_a_turn_leaves_a_wake_that_outlives_it(
    lane: Lane, other: Lane, threads: ThreadPoolExecutor
) -> None:
    def a_turn() -> None:
        chat = lane.begin()
        threads.submit(lambda: jobs.enqueue(other.db, other.new())).result(10)
        jobs.end_turn(lane.db, chat)

    with lane.db.transaction():
        a_turn()
    assert lane.db.execute("SELECT count(*) AS n FROM chat_wakes").fetchone() == {"n": 1}


def test_two_turns_of_a_chat_come_one_after_the_other(lane: Lane, other: Lane, threads: ThreadPoolExecutor) -> None:
    lane.enqueue()
    turns: list[int] = []

    def a_turn(who: Lane) -> jobs.Job | None:
        with who.db.transaction():
            chat = who.begin()
            turns.append(chat.turn_no)
            job = jobs.next_due(who.db, chat, jobs.now(who.db))
            if job is not None:
                jobs.claim(who.db, chat, [job])
            return job

    assert meanwhile(lane, other, threads, lambda: a_turn(lane), lambda: a_turn(other)) is None
    assert turns == [1, 2]


def test_a_turn_gives_up_when_another_keeps_the_chat(
    lane: Lane, other: Lane, threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turning, "LOCK_TIMEOUT", "20ms")

    def a_turn() -> None:
        with other.db.transaction():
            other.begin()

    with lane.db.transaction():
        lane.begin()
        with pytest.raises(jobs.Busy):
            threads.submit(a_turn).result(10)


def test_two_workers_do_not_claim_one_end(lane: Lane, other: Lane, threads: ThreadPoolExecutor) -> None:
    job = lane.held(ask=reworded("Osalpa?", hold_seconds=0))
    assert (
        meanwhile(
            lane,
            other,
            threads,
            lambda: jobs.release(lane.db, job.id, "pms_intake"),
            lambda: jobs.release(other.db, job.id, "pms_intake"),
            waits=False,
        )
        is None
    )
    assert lane.job().finish_attempts == 1
