"""What a person wrote is stored once, in an order that is the order of the commits, and wakes whoever reads it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from channels import inbound, outbox
from channels.delivery import deliver
from channels.errors import BadTextError, NoSuchChatError
from jobs.db import Conn
from jobs.errors import BadValue
from runtime.wiring import connect
from tests.channels.post import Post, Scripted


@pytest.fixture
def post(db: Conn, workspace: UUID) -> Post:
    return Post(db, workspace)


def receive(db: Conn, post: Post, provider_id: str, **given: Any) -> inbound.Received:
    sent_at = datetime(2026, 1, 1, tzinfo=UTC)
    message: dict[str, Any] = {"chat_guid": "pm", "body": provider_id, "sent_at": sent_at} | given
    return inbound.receive(db, workspace_id=post.workspace_id, person_id=post.manager_id, channel="terminal",
                           provider_id=provider_id, **message)


def test_a_message_that_comes_twice_is_stored_once(db: Conn, post: Post) -> None:
    first = receive(db, post, "a")
    again = receive(db, post, "a", body="other words")
    assert (first.repeated, again.repeated, again.id) == (False, True, first.id)
    assert [m.body for m in inbound.unread_after(db, post.workspace_id, "pm", 0)] == ["a"]


def test_numbers_follow_the_order_of_the_commits(db: Conn, post: Post, database_url: str) -> None:
    with connect(database_url, "test") as other, ThreadPoolExecutor(1) as thread:
        with db.transaction():
            first = receive(db, post, "a")
            second = thread.submit(receive, other, post, "b")
        assert (first.seq, second.result(10).seq) == (1, 2)
    assert [m.body for m in inbound.unread_after(db, post.workspace_id, "pm", 1)] == ["b"]


def test_a_message_wakes_its_chat(db: Conn, post: Post) -> None:
    receive(db, post, "a")
    assert db.execute("SELECT chat_guid FROM chat_wakes").fetchall() == [{"chat_guid": "pm"}]


def test_a_message_says_which_ask_the_text_it_quotes_was_about(db: Conn, post: Post) -> None:
    ask_id, text = post.plan_ask()
    receive(db, post, "a", quotes=text)
    assert [m.quotes_ask for m in inbound.unread_after(db, post.workspace_id, "pm", 0)] == [ask_id]


@pytest.mark.parametrize(("given", "refusal"), [
    ({"body": " "}, BadTextError), ({"body": "a\0"}, BadTextError), ({"body": "x" * 20_001}, BadTextError),
    ({"chat_guid": "pn"}, NoSuchChatError), ({"sent_at": datetime(2026, 1, 1)}, BadValue)])  # noqa: DTZ001
def test_what_cannot_be_stored_is_refused_by_name(
        db: Conn, post: Post, given: dict[str, Any], refusal: type[Exception]) -> None:
    with pytest.raises(refusal):
        receive(db, post, "a", **given)
    assert inbound.unread_after(db, post.workspace_id, "pm", 0) == []


def test_a_thread_has_what_was_shown_and_what_was_written_and_nothing_that_waits(db: Conn, post: Post) -> None:
    shown = post.plan("Go?", purpose="confirmation", to=outbox.ToChat("pm"))
    deliver(db, shown, [Scripted()])
    post.clock.advance(1)
    receive(db, post, "yes")
    post.plan("Sending.", purpose="confirmation", to=outbox.ToChat("pm"))
    lines = inbound.thread(db, post.workspace_id, "pm")
    assert [(line.author, line.body) for line in lines] == [("sayso", "Go?"), ("person", "yes")]
    assert [line.body for line in inbound.thread(db, post.workspace_id, "pm", limit=1)] == ["yes"]
