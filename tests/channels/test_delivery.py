"""A text leaves once at most, and what became of it is known or said to be unknown."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from uuid import UUID

import pytest

import jobs
from channels import due, outbox, pauses
from channels.contract import Accepted, NotSent, Outgoing, Rejected, Submitted, Unknown
from channels.delivery import ASSUMED_AFTER, ATTEMPTS, LEASE, LOOK_EVERY, Assumed, Skipped, deliver, sweep
from channels.terminal import Terminal
from jobs.db import Conn
from runtime.wiring import connect
from tests.an_ask import ask_row
from tests.channels.post import Post, Scripted


@pytest.fixture
def post(db: Conn, workspace: UUID) -> Post:
    return Post(db, workspace)


class Killed(BaseException):
    """The worker's process ended."""


def raising(error: BaseException) -> Callable[[Outgoing], Submitted]:
    def answer(_: Outgoing) -> Submitted:
        raise error

    return answer


def test_an_accepted_text_shows_its_ask(db: Conn, post: Post) -> None:
    ask_id, text = post.plan_ask()
    assert deliver(db, text, [Scripted()]) == Accepted(f"there-{text}")
    assert post.status(text) == "accepted"
    assert ask_row(db, ask_id).shown_by == "accepted"


def test_a_text_is_sent_once_however_many_workers_are_hinted(db: Conn, post: Post, database_url: str) -> None:
    text, channel, start = post.plan(), Scripted(), Barrier(5)

    def worker() -> object:
        with connect(database_url, "test") as mine:
            start.wait()
            return deliver(mine, text, [channel])

    with ThreadPoolExecutor(5) as workers:
        outcomes = [future.result() for future in [workers.submit(worker) for _ in range(5)]]
    assert channel.sent == ["k"]
    assert sum(isinstance(outcome, Accepted) for outcome in outcomes) == 1


def test_a_text_whose_worker_is_killed_while_sending_is_looked_up_and_never_sent_again(db: Conn, post: Post) -> None:
    ask_id, text = post.plan_ask()
    channel = Scripted(answer=raising(Killed()))
    with pytest.raises(Killed):
        deliver(db, text, [channel])
    assert isinstance(deliver(db, text, [channel]), Skipped), "its lease still runs"
    now = post.clock.advance(LEASE.total_seconds())
    assert due.health(db, now)["expired_send_leases"] == 1
    assert sweep(db, now) == 1
    assert post.status(text) == "unknown"
    assert [hint.message_id for hint in due.look(db, now).deliveries] == [text]
    assert deliver(db, text, [channel]) == Accepted(f"found-{text}")
    assert (channel.sent, ask_row(db, ask_id).shown_by) == (["ask"], "accepted")


def test_an_unknown_text_is_assumed_to_have_arrived_at_the_deadline_and_reported(db: Conn, post: Post) -> None:
    ask_id, text = post.plan_ask()
    channel = Scripted(answer=lambda _: Unknown("timed out"), found=lambda _: Unknown("not yet"))
    assert deliver(db, text, [channel]) == Unknown("timed out")
    assert deliver(db, text, [channel]) == Unknown("not yet")
    assert isinstance(deliver(db, text, [channel]), Skipped), "it was looked up just now"
    assert due.health(db, post.clock.advance(LOOK_EVERY.total_seconds()))["unknown_sends"] == 1
    assert ask_row(db, ask_id).shown_at is None
    now = post.clock.advance(ASSUMED_AFTER.total_seconds())
    assert deliver(db, text, [channel]) == Assumed("not yet")
    assert (channel.sent, ask_row(db, ask_id).shown_by) == (["ask"], "assumed")
    assert due.health(db, now)["assumed_sends"] == 1
    assert due.health(db, now + timedelta(days=2))["assumed_sends"] == 0


def test_a_text_that_certainly_did_not_leave_is_tried_again_ever_later_and_then_rejected(db: Conn, post: Post) -> None:
    ask_id, text = post.plan_ask()
    channel = Scripted(answer=lambda _: NotSent("no route"))
    for wait in (5, 10, 20, 40):
        assert deliver(db, text, [channel]) == NotSent("no route")
        assert post.status(text) == "planned"
        post.clock.advance(wait - 1)
        assert isinstance(deliver(db, text, [channel]), Skipped)
        post.clock.advance(1)
    deliver(db, text, [channel])
    assert (post.status(text), len(channel.sent)) == ("rejected", ATTEMPTS)
    assert ask_row(db, ask_id).rejected_at is not None


def test_what_a_channel_raises_counts_as_unknown(db: Conn, post: Post) -> None:
    text = post.plan()
    outcome = deliver(db, text, [Scripted(answer=raising(OSError("reset by peer")))])
    assert isinstance(outcome, Unknown)
    assert post.status(text) == "unknown"


def test_a_text_for_a_channel_that_does_not_exist_is_rejected(db: Conn, post: Post) -> None:
    text = post.plan()
    assert isinstance(deliver(db, text, []), Rejected)
    assert post.status(text) == "rejected"


def test_a_worker_whose_lease_was_over_changes_nothing(db: Conn, post: Post, database_url: str) -> None:
    text = post.plan()
    with connect(database_url, "test") as beat:
        def slow(_: Outgoing) -> Submitted:
            sweep(beat, post.clock.now + LEASE)
            return Accepted("late")

        assert isinstance(deliver(db, text, [Scripted(answer=slow)]), Skipped)
    assert post.status(text) == "unknown"


def test_nothing_of_a_paused_workspace_leaves_until_it_is_resumed(db: Conn, post: Post) -> None:
    text, channel = post.plan(), Scripted()
    for whose in (post.workspace_id, None):
        pauses.pause(db, whose, "too much at once")
        assert isinstance(deliver(db, text, [channel]), Skipped)
        assert due.look(db, jobs.now(db)).deliveries == ()
        assert pauses.waiting(db, whose) == [{"purpose": "effect", "status": "planned", "texts": 1}]
        assert pauses.resume(db, whose)
    assert [hint.message_id for hint in due.look(db, jobs.now(db)).deliveries] == [text]
    assert deliver(db, text, [channel]) == Accepted(f"there-{text}")


def test_a_pause_of_another_workspace_stops_nothing_here(db: Conn, post: Post) -> None:
    row = db.execute("INSERT INTO directory_workspaces (name) VALUES ('Another') RETURNING id").fetchone()
    assert row is not None
    pauses.pause(db, row["id"], "elsewhere")
    assert isinstance(deliver(db, post.plan(), [Scripted()]), Accepted)


def test_the_text_of_an_ask_that_was_withdrawn_does_not_leave(db: Conn, post: Post) -> None:
    ask_id, text = post.plan_ask()
    assert jobs.withdraw(db, ask_id, "something more urgent")
    channel = Scripted()
    assert isinstance(deliver(db, text, [channel]), Skipped)
    assert (post.status(text), channel.sent) == ("cancelled", [])


def test_an_ask_whose_text_is_on_its_way_cannot_be_withdrawn(db: Conn, post: Post, database_url: str) -> None:
    ask_id, text = post.plan_ask()
    with connect(database_url, "test") as turn:
        def withdrawn(_: Outgoing) -> Submitted:
            assert not jobs.withdraw(turn, ask_id, "something more urgent")
            return Accepted("there")

        assert deliver(db, text, [Scripted(answer=withdrawn)]) == Accepted("there")


def test_texts_to_one_address_leave_in_the_order_in_which_they_were_planned(db: Conn, post: Post) -> None:
    first, second = post.plan("first"), (post.clock.advance(0.001), post.plan("second"))[1]
    channel = Scripted()
    elsewhere = post.plan("elsewhere", to=outbox.ToVendor(post.vendor_id))
    assert {hint.message_id for hint in due.look(db, jobs.now(db)).deliveries} == {first, elsewhere}
    assert isinstance(deliver(db, second, [channel]), Skipped)
    deliver(db, first, [channel])
    deliver(db, second, [channel])
    assert channel.sent == ["first", "second"]


def test_a_text_of_tomorrow_does_not_hold_back_one_of_today(db: Conn, post: Post) -> None:
    tomorrow = post.plan("tomorrow", due_at=jobs.now(db) + timedelta(days=1))
    post.clock.advance(1)
    assert isinstance(deliver(db, tomorrow, [Scripted()]), Skipped)
    assert isinstance(deliver(db, post.plan("today"), [Scripted()]), Accepted)


def test_the_terminal_shows_a_text_by_accepting_it(db: Conn, post: Post) -> None:
    text = post.plan()
    assert deliver(db, text, [Terminal()]) == Accepted(str(text))


def test_a_delivery_inside_a_transaction_is_a_bug(db: Conn, post: Post) -> None:
    text = post.plan()
    with pytest.raises(RuntimeError), db.transaction():
        deliver(db, text, [Scripted()])


@pytest.mark.parametrize("answer", [NotSent("busy"), Rejected("no such number")])
def test_a_text_that_was_taken_back_on_its_way_and_did_not_arrive_is_not_sent_again_and_needs_no_other(
    db: Conn, post: Post, database_url: str, answer: Submitted
) -> None:
    text = post.plan()
    with connect(database_url, "test") as other:
        def meanwhile(_: Outgoing) -> Submitted:
            assert outbox.take_back(other, post.workspace_id, "k", "never mind", "no longer true")
            return answer

        assert isinstance(deliver(db, text, [Scripted(answer=meanwhile)]), Rejected)
    post.clock.advance(60)
    channel = Scripted()
    for hint in due.look(db, jobs.now(db)).deliveries:
        deliver(db, hint.message_id, [channel])
    otherwise = outbox.planned_as(db, post.workspace_id, "k:undo")
    assert otherwise is not None
    assert (post.status(text), otherwise.status, channel.sent) == ("rejected", "cancelled", [])
    assert otherwise.last_error == "what it takes back never arrived"


def test_a_text_that_was_taken_back_just_after_an_attempt_is_not_sent_again(db: Conn, post: Post) -> None:
    text = post.plan()
    deliver(db, text, [Scripted(answer=lambda _: NotSent("busy"))])
    post.plan("k:undo")  # its transaction began while the text was on its way
    post.clock.advance(60)
    channel = Scripted()
    for _ in range(2):
        for hint in due.look(db, jobs.now(db)).deliveries:
            deliver(db, hint.message_id, [channel])
    assert (post.status(text), channel.sent) == ("cancelled", [])


def test_a_text_that_may_have_arrived_is_followed_by_the_one_that_takes_it_back(db: Conn, post: Post) -> None:
    deliver(db, post.plan(), [Scripted(answer=lambda _: Unknown("timed out"))])
    assert outbox.take_back(db, post.workspace_id, "k", "never mind", "no longer true")
    otherwise = outbox.planned_as(db, post.workspace_id, "k:undo")
    assert otherwise is not None
    assert isinstance(deliver(db, otherwise.id, [Scripted()]), Accepted)


def test_what_a_channel_says_is_kept_without_control_characters_and_not_at_any_length(db: Conn, post: Post) -> None:
    text = post.plan()
    deliver(db, text, [Scripted(answer=lambda _: Rejected("a\0b\x1b\ud800" + "x" * 70_000))])
    row = db.execute("SELECT status, last_error FROM channel_messages WHERE id = %s", (text,)).fetchone()
    assert row == {"status": "rejected", "last_error": "ab" + "x" * 1998}
