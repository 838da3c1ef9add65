"""A text is planned once, for somebody who can be reached, and can be taken back until it leaves."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

import jobs
from channels import outbox
from channels.contract import NotSent
from channels.delivery import deliver
from channels.errors import BadTextError, UnreachableError
from channels.settling import settle
from jobs.ask import sound_json
from jobs.db import Conn
from runtime.wiring import connect
from tests.channels.post import Post, Scripted


@pytest.fixture
def post(db: Conn, workspace: UUID) -> Post:
    return Post(db, workspace)


def test_the_same_key_plans_one_text(db: Conn, post: Post) -> None:
    first = post.plan("k", body="one")
    assert post.plan("k", body="two") == first
    planned = outbox.planned_as(db, post.workspace_id, "k")
    assert planned is not None
    assert (planned.id, planned.body, planned.channel, planned.address) == (first, "one", "terminal", "tess")


def test_two_transactions_that_plan_the_same_key_at_once_plan_one_text(db: Conn, post: Post, database_url: str) -> None:
    with connect(database_url, "test") as other, ThreadPoolExecutor(1) as thread:
        with db.transaction():
            first = post.plan()
            second = thread.submit(outbox.plan, other, workspace_id=post.workspace_id, key="k", purpose="effect",
                                   body="k", to=outbox.ToPerson(post.tenant_id))
        assert second.result(10) == first


@pytest.mark.parametrize("body", ["", " \n", "a\0b", "bell \a", "next \x85", "\ud800", "x" * 4001])
def test_a_body_that_no_channel_carries_is_refused(post: Post, body: str) -> None:
    with pytest.raises(BadTextError) as refused:
        post.plan(body=body)
    assert refused.value.field == "body"


def test_whoever_has_opted_out_is_not_written_to(db: Conn, post: Post) -> None:
    db.execute("UPDATE directory_people SET opted_out_at = now() WHERE id = %s", (post.tenant_id,))
    with pytest.raises(UnreachableError):
        post.plan()


def test_a_text_can_be_taken_back_until_it_leaves(db: Conn, post: Post) -> None:
    text = post.plan()
    assert outbox.cancel(db, text)
    assert not outbox.cancel(db, text)
    gone = post.plan("gone")
    deliver(db, gone, [Scripted()])
    assert not outbox.cancel(db, gone)
    assert (post.status(text), post.status(gone)) == ("cancelled", "accepted")


def test_an_ask_whose_text_is_taken_back_between_two_attempts_is_free_to_be_asked_again(db: Conn, post: Post) -> None:
    ask_id, text = post.plan_ask()
    deliver(db, text, [Scripted(answer=lambda _: NotSent("no route"))])
    assert outbox.cancel(db, text)
    assert [job.status for job in jobs.take_back(db, ask_id)] == ["pending"]


def test_the_end_of_a_text_is_taken_home_once(db: Conn, post: Post) -> None:
    text = post.plan(source="memory")
    assert settle(db, text) is None, "it has not ended"
    deliver(db, text, [Scripted()])
    with db.transaction(force_rollback=True):
        assert settle(db, text) is not None
    settled = settle(db, text)
    assert settled is not None
    assert (settled.key, settled.outcome) == ("k", "accepted")
    assert settle(db, text) is None


def test_a_text_that_nobody_asked_about_is_not_taken_home(db: Conn, post: Post) -> None:
    text = post.plan()
    deliver(db, text, [Scripted()])
    assert settle(db, text) is None


def test_texts_and_asks_refuse_the_same_characters() -> None:
    for character in map(chr, (*range(0x300), 0x2028, 0xD7FF, *range(0xD800, 0xE000, 0xFF), 0xDFFF, 0xE000, 0x1F44D)):
        try:
            sound_json("text", character)
        except jobs.BadValue:
            assert not outbox.is_text(character), hex(ord(character))
        else:
            assert outbox.is_text(character), hex(ord(character))


def test_what_left_is_taken_back_by_another_text_to_the_same_person_and_what_did_not_leave_by_silence(
    db: Conn, post: Post
) -> None:
    channel = Scripted()
    for key in ("left", "waits"):
        post.plan(key, source="memory")
        if key == "left":
            deliver(db, post.plan(key), [channel])
        followed = [outbox.take_back(db, post.workspace_id, key, "never mind", "no longer true") for _ in "12"]
        assert followed == [key == "left"] * 2
    otherwise = outbox.planned_as(db, post.workspace_id, "left:undo")
    assert otherwise is not None
    assert (otherwise.body, otherwise.person_id, otherwise.source) == ("never mind", post.tenant_id, "memory")
    assert outbox.planned_as(db, post.workspace_id, "waits:undo") is None
    assert not outbox.take_back(db, post.workspace_id, "never planned", "never mind", "no longer true")


def test_whoever_has_opted_out_since_is_not_told_otherwise(db: Conn, post: Post) -> None:
    deliver(db, post.plan(), [Scripted()])
    db.execute("UPDATE directory_people SET opted_out_at = now() WHERE id = %s", (post.tenant_id,))
    assert not outbox.take_back(db, post.workspace_id, "k", "never mind", "no longer true")
