"""What a reply is about: quotes, what is held, what came late, who wrote it, and what must never be run over."""

from uuid import UUID

import pytest

import jobs
from channels import due, inbound
from channels.contract import Outgoing, Unknown
from channels.delivery import deliver
from jobs.db import Conn
from tests.conductor.talk import Talk


@pytest.fixture
def talk(db: Conn) -> Talk:
    return Talk(db)


def text_of(talk: Talk, job_id: UUID, purpose: str) -> UUID:
    """The id of a text about the ask that carries the job."""
    ask_id = jobs.get(talk.db, job_id).ask_id
    row = talk.db.execute(
        "SELECT id FROM channel_messages WHERE ask_id = %s AND purpose = %s", (ask_id, purpose)
    ).fetchone()
    assert row is not None
    found: UUID = row["id"]
    return found


def go_home(talk: Talk, job_id: UUID) -> None:
    released = jobs.release(talk.db, job_id, "pms_intake")
    assert released is not None
    jobs.finish(talk.db, released)


def bystander(talk: Talk, name: str, body: str) -> None:
    """Somebody else than the manager writes in the chat."""
    row = talk.db.execute(
        "INSERT INTO directory_people (workspace_id, external_id, name, role, address)"
        " VALUES (%s, %s, 'X', 'staff', 'x') RETURNING id",
        (talk.workspace_id, name),
    ).fetchone()
    assert row is not None
    inbound.receive(
        talk.db,
        workspace_id=talk.workspace_id,
        chat_guid="dana",
        person_id=row["id"],
        channel="terminal",
        provider_id=name,
        body=body,
        sent_at=talk.now,
    )


class Silent:
    """A channel that never says what became of a text."""

    name = "terminal"

    def submit(self, _: Outgoing) -> Unknown:
        return Unknown("no answer")

    def look_up(self, _: Outgoing) -> Unknown:
        return Unknown("no answer")


def send_into_silence(talk: Talk) -> None:
    for text in due.look(talk.db, talk.now).deliveries:
        deliver(talk.db, text.message_id, [Silent()])


def held_and_open(talk: Talk) -> tuple[UUID, UUID]:
    """A first decision in a long hold, and the next question open."""
    first, second = talk.enqueue("first", hold=600), talk.enqueue("second", hold=600)
    talk.settle()
    talk.say("yes")
    talk.wait(20)
    return first, second


def test_a_quote_of_a_confirmation_is_about_that_decision_and_not_about_the_open_question(talk: Talk) -> None:
    first = talk.enqueue("first", hold=0)
    talk.settle()
    talk.say("yes")
    go_home(talk, first)
    second = talk.enqueue("second")
    talk.settle()
    talk.wait(600)
    talk.write("yes", quotes=text_of(talk, first, "confirmation"))
    talk.settle()
    assert talk.status(second) == "awaiting_reply"


def test_a_stop_that_quotes_the_open_question_leaves_what_is_held_alone(talk: Talk) -> None:
    first, second = held_and_open(talk)
    talk.write("stop", quotes=text_of(talk, second, "ask"))
    talk.settle()
    assert talk.status(first) == "resolved"


def test_a_no_that_quotes_the_open_question_denies_it_though_something_is_held(talk: Talk) -> None:
    first, second = held_and_open(talk)
    talk.write("no", quotes=text_of(talk, second, "ask"))
    talk.settle()
    assert (talk.status(first), talk.status(second)) == ("resolved", "resolved")
    assert (jobs.get(talk.db, second).resolution or {})["confirmed"] is False


def test_a_stop_that_quotes_one_held_decision_revokes_that_one_alone(talk: Talk) -> None:
    first, second = held_and_open(talk)
    talk.say("yes")
    talk.wait(20)
    talk.write("stop", quotes=text_of(talk, second, "ask"))
    talk.settle()
    assert talk.status(first) == "resolved"
    assert talk.status(second) != "resolved"


def test_a_bare_no_with_something_held_and_another_question_open_decides_nothing_and_names_both(talk: Talk) -> None:
    first, second = held_and_open(talk)
    said = talk.say("no")
    assert (talk.status(first), talk.status(second)) == ("resolved", "awaiting_reply")
    assert "first" in said[0]
    assert "second" in said[0]


def test_a_refusal_in_its_hold_stands_in_nobodys_way(talk: Talk) -> None:
    first, second = talk.enqueue("first"), talk.enqueue("second")
    talk.settle()
    talk.say("no")
    talk.say("no")
    assert (talk.status(first), talk.status(second)) == ("resolved", "resolved")


def test_a_no_right_after_a_decision_went_out_does_not_deny_the_next_question(talk: Talk) -> None:
    first, second = talk.enqueue("first", hold=5), talk.enqueue("second")
    talk.settle()
    talk.say("yes")
    talk.wait(6)
    go_home(talk, first)
    talk.wait(3)
    talk.write("no")
    talk.settle()
    assert talk.status(second) == "awaiting_reply"


def test_a_stop_that_nobody_has_read_yet_is_never_run_over(talk: Talk) -> None:
    job_id = talk.enqueue("outlet", hold=5)
    talk.settle()
    talk.say("yes")
    talk.write("stop")
    talk.wait(3600)
    assert jobs.release(talk.db, job_id, "pms_intake") is None
    talk.settle()
    assert talk.status(job_id) != "resolved"


def test_what_is_not_understood_gives_what_is_held_its_whole_hold_again(talk: Talk) -> None:
    job_id = talk.enqueue("outlet", hold=60)
    talk.settle()
    talk.say("yes")
    talk.wait(50)
    talk.write("purple")
    talk.settle()
    talk.wait(55)
    assert jobs.release(talk.db, job_id, "pms_intake") is None
    talk.wait(10)
    assert jobs.release(talk.db, job_id, "pms_intake") is not None


def test_a_stop_that_came_too_late_is_told_so(talk: Talk) -> None:
    job_id = talk.enqueue("outlet", hold=5)
    talk.settle()
    talk.say("yes")
    talk.wait(6)
    go_home(talk, job_id)
    assert talk.say("stop")[0].startswith("That was too late to stop")


def test_an_answer_to_a_question_that_was_withdrawn_is_told_so(talk: Talk) -> None:
    job_id = talk.enqueue("outlet")
    talk.settle()
    jobs.cancel(talk.db, job_id, "expired", by_owner=True)
    assert talk.say("yes") == ["“Sending Osalpa for outlet?” is no longer open; nothing went out."]


def test_what_somebody_else_writes_decides_nothing_and_does_not_hide_the_managers_answer(talk: Talk) -> None:
    job_id = talk.enqueue("outlet")
    talk.settle()
    talk.wait(20)
    bystander(talk, "b1", "yes")
    talk.settle()
    assert talk.status(job_id) == "awaiting_reply"
    bystander(talk, "b2", "no")
    talk.write("yes")
    talk.settle()
    assert (jobs.get(talk.db, job_id).resolution or {})["confirmed"] is True


@pytest.mark.parametrize("reply", ["\u200byes\u202e", "y" * 19_000])
def test_no_reply_however_odd_stops_the_chat(talk: Talk, reply: str) -> None:
    talk.enqueue("outlet")
    talk.settle()
    talk.say(reply)
    talk.say("yes")
    assert talk.turn().heard == 0


def test_a_question_that_no_channel_can_carry_fails_and_the_next_one_is_asked(talk: Talk) -> None:
    too_long = talk.enqueue("long", question="x" * 4000)
    talk.enqueue("next")
    talk.settle()
    assert talk.status(too_long) == "failed"
    assert talk.heard()[-1].startswith("Sending Osalpa for next?")


def test_an_error_of_the_reader_is_nobodys_decision(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RecursionError("too deep")

    job_id = talk.enqueue("outlet")
    talk.settle()
    monkeypatch.setattr("conductor.answer.interpret", broken)
    assert talk.say("yes")[0].startswith("I didn’t get that")
    assert talk.status(job_id) == "awaiting_reply"


def test_a_stop_that_quotes_news_still_stops_what_is_held_and_nothing_false_is_said(talk: Talk) -> None:
    talk.notify("news", "The roofer comes on Monday.")
    talk.settle()
    job_id = talk.enqueue("outlet", hold=600)
    talk.settle()
    talk.say("yes")
    row = talk.db.execute("SELECT id FROM channel_messages WHERE purpose = 'notice'").fetchone()
    assert row is not None
    talk.write("stop", quotes=row["id"])
    talk.settle()
    assert talk.status(job_id) != "resolved"
    assert not any("too late" in line for line in talk.heard())


def test_a_stop_beside_a_quoted_yes_is_not_lost(talk: Talk) -> None:
    first, second = held_and_open(talk)
    talk.write("yes", quotes=text_of(talk, second, "ask"))
    talk.write("stop the first one")
    talk.settle()
    assert talk.status(first) != "resolved"


def test_a_yes_to_a_question_whose_fate_is_unknown_is_answered_though_something_is_held(talk: Talk) -> None:
    first = talk.enqueue("first", hold=600)
    talk.settle()
    talk.say("yes")
    talk.wait(30)
    second = talk.enqueue("second")
    talk.turn()
    send_into_silence(talk)
    before = len(talk.heard())
    talk.wait(20)
    talk.write("yes")
    talk.settle()
    assert talk.status(first) == "resolved"
    assert talk.status(second) == "awaiting_reply"
    assert any("so I did nothing" in line for line in talk.heard()[before:])


def test_a_bare_no_takes_nothing_back_while_it_may_be_about_a_question_whose_fate_is_unknown(talk: Talk) -> None:
    first = talk.enqueue("first", hold=600)
    talk.settle()
    talk.say("yes")
    talk.wait(30)
    talk.enqueue("second")
    talk.turn()
    send_into_silence(talk)
    talk.write("no")
    talk.settle()
    assert talk.status(first) == "resolved"
    assert talk.heard()[-1].startswith("That may be about something else")


def test_messages_that_quote_two_questions_are_two_replies(talk: Talk) -> None:
    first, second = held_and_open(talk)
    talk.write("wait, stop", quotes=text_of(talk, first, "ask"))
    talk.write("yes", quotes=text_of(talk, second, "ask"))
    talk.settle()
    assert (talk.status(first), talk.status(second)) == ("awaiting_reply", "resolved")


def test_a_word_of_the_manager_is_not_lost_behind_somebody_elses(talk: Talk) -> None:
    job_id = talk.enqueue("outlet")
    talk.turn()
    send_into_silence(talk)
    talk.write("no")
    bystander(talk, "b1", "hello")
    talk.turn()
    talk.wait(400)
    talk.settle()
    unread = talk.db.execute(
        "SELECT count(*) AS n FROM channel_inbound i WHERE NOT EXISTS (SELECT FROM conductor_readings r"
        " WHERE r.inbound_id = i.id AND (r.asked_back IS NOT NULL OR i.body = 'hello'))"
    ).fetchone()
    assert unread == {"n": 0}
    assert talk.status(job_id) == "awaiting_reply"


def test_the_number_that_which_one_asks_for_is_understood(talk: Talk) -> None:
    first, second = held_and_open(talk)
    assert "like “no 1”" in talk.say("no")[0]
    talk.say("no 1")
    assert (talk.status(first), talk.status(second)) == ("resolved", "resolved")


def test_a_list_longer_than_a_text_leaves_the_chat_alive(talk: Talk) -> None:
    units = tuple(jobs.Option(id=f"u{n}", label=f"12 Birch building {n}, a long name of a place") for n in range(150))
    ask = jobs.Ask(
        question="Which unit?",
        draft="Which unit?",
        answer=jobs.Answer(confirm=False, slots={"unit": jobs.Choice(options=(), candidates=units)}),
    )
    jobs.enqueue(
        talk.db, jobs.NewJob(talk.workspace_id, "pms_intake", "confirm_dispatch", "dana", "unit", ask)
    )
    talk.settle()
    assert len(talk.say("12 birch")) == 1
    assert talk.turn().heard == 0


def test_a_stop_holds_though_the_manager_cannot_be_told_so(talk: Talk) -> None:
    job_id = talk.enqueue("outlet", hold=600)
    talk.settle()
    talk.say("yes")
    talk.db.execute("UPDATE directory_people SET opted_out_at = app_now() WHERE role = 'manager'")
    talk.wait(20)
    talk.write("stop")
    talk.turn()
    assert talk.status(job_id) != "resolved"
