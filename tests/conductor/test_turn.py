"""One conversation: what is asked, what each answer does to the row, and what is said about it."""

import pytest

import jobs
from conductor.actions import Done, Wait
from jobs.db import Conn
from tests.conductor.talk import Talk


@pytest.fixture
def talk(db: Conn) -> Talk:
    return Talk(db)


def test_one_question_is_asked_at_a_time_by_priority_and_then_by_age(talk: Talk) -> None:
    talk.enqueue("first")
    talk.wait(1)
    talk.enqueue("second")
    talk.wait(1)
    talk.enqueue("flood", priority="urgent")
    talk.settle()
    assert talk.heard() == ["Sending Osalpa for flood? (You said so in May.)"]
    assert talk.say("yes")[-1].startswith("Sending Osalpa for first?")
    assert talk.say("yes")[-1].startswith("Sending Osalpa for second?")


def test_a_yes_resolves_the_row_with_whose_words_they_were_and_says_how_to_stop_it(talk: Talk) -> None:
    job_id = talk.enqueue("outlet")
    talk.settle()
    said = talk.say("yes")
    job = jobs.get(talk.db, job_id)
    assert job.status == "resolved"
    assert job.resolution is not None
    assert job.resolution["confirmed"] is True
    assert job.resolution["decided_by"] == f"person:{talk.manager_id}"
    assert job.resolution["evidence"][0]["words"] == "yes"
    assert said == ["OK, yes: “Sending Osalpa for outlet?” Going ahead in 60 s; say “stop” to hold it."]


def test_a_no_resolves_the_row_as_denied(talk: Talk) -> None:
    job_id = talk.enqueue("outlet")
    talk.settle()
    assert talk.say("no") == ["OK, no: “Sending Osalpa for outlet?” Nothing goes out."]
    assert (jobs.get(talk.db, job_id).resolution or {})["confirmed"] is False


@pytest.mark.parametrize(("answer", "vendor"), [("electric", "v-bob-e"), ("2", "v-bob-r"), ("Reyes", "v-bob-r")])
def test_of_two_with_the_same_name_it_asks_which_and_takes_a_word_or_a_number(
    talk: Talk, answer: str, vendor: str
) -> None:
    job_id = talk.enqueue("outlet")
    talk.settle()
    assert talk.say("no use bob") == ["Which one?\n1. Bob’s Electric\n2. Bob Reyes Wiring"]
    assert talk.status(job_id) == "awaiting_reply"
    [said] = talk.say(answer)
    assert said.startswith("OK, Bob")
    assert "instead. I had asked: “Sending Osalpa for outlet?” Going ahead in 60 s" in said
    assert (jobs.get(talk.db, job_id).resolution or {})["vendor"] == vendor


def test_later_puts_the_question_off_and_it_comes_back(talk: Talk) -> None:
    job_id = talk.enqueue("outlet")
    talk.settle()
    assert talk.say("later") == ["OK, I’ll ask again in 1 h."]
    assert talk.status(job_id) == "pending"
    talk.wait(3700)
    talk.settle()
    assert talk.status(job_id) == "awaiting_reply"


@pytest.mark.parametrize("reply", ["yes but tomorrow", "lol", "who?", "dont send the blue one", "bob says yes"])
def test_what_is_not_understood_decides_nothing_and_is_asked_back(talk: Talk, reply: str) -> None:
    job_id = talk.enqueue("outlet")
    talk.settle()
    said = talk.say(reply)
    assert talk.status(job_id) == "awaiting_reply"
    assert len(said) == 1
    assert "Still open: Sending Osalpa for outlet?" in said[0]


def test_stop_inside_the_hold_takes_the_decision_back_and_asks_again(talk: Talk) -> None:
    job_id = talk.enqueue("outlet")
    talk.settle()
    talk.say("yes")
    said = talk.say("stop")
    assert said[0] == "Stopped: “Sending Osalpa for outlet?” Nothing went out."
    assert said[1].startswith("Once more: ")
    assert talk.status(job_id) == "awaiting_reply"


def test_stop_after_the_decision_went_home_is_not_promised_to_have_stopped_it(talk: Talk) -> None:
    job_id = talk.enqueue("outlet", hold=0)
    talk.settle()
    talk.say("yes")
    talk.wait(1)
    released = jobs.release(talk.db, job_id, "pms_intake")
    assert released is not None
    jobs.finish(talk.db, released)
    assert not any("Stopped" in line for line in talk.say("stop"))


def test_any_word_of_the_manager_stops_the_countdown_until_it_is_read(talk: Talk) -> None:
    job_id = talk.enqueue("outlet", hold=5)
    talk.settle()
    talk.say("yes")
    talk.wait(4)
    talk.write("hmm")
    talk.wait(4)
    assert jobs.release(talk.db, job_id, "pms_intake") is None


def test_two_messages_that_are_read_together_are_one_reply(talk: Talk) -> None:
    job_id = talk.enqueue("outlet")
    talk.settle()
    talk.wait(20)
    talk.write("yes")
    talk.write("no wait")
    talk.settle()
    assert talk.status(job_id) == "awaiting_reply"


def test_a_reply_that_crossed_with_the_next_question_decides_nothing(talk: Talk) -> None:
    talk.enqueue("first")
    second = talk.enqueue("second")
    talk.settle()
    talk.say("yes")
    assert talk.status(second) == "awaiting_reply"
    talk.wait(3)
    talk.write("yes")
    talk.settle()
    assert talk.status(second) == "awaiting_reply"
    assert talk.heard()[-1].startswith("That may be about something else")
    assert talk.say("yes")[0].startswith("OK, yes: “Sending Osalpa for second?”")


def test_a_reply_sent_before_the_question_was_shown_does_not_answer_it(talk: Talk) -> None:
    job_id = talk.enqueue("outlet")
    talk.turn()
    talk.write("yes")
    talk.wait(1)
    talk.settle()
    assert talk.status(job_id) == "awaiting_reply"


def test_a_quote_of_another_question_does_not_answer_the_open_one(talk: Talk) -> None:
    talk.enqueue("first")
    second = talk.enqueue("second")
    talk.settle()
    talk.say("no")
    first_text = talk.db.execute("SELECT id FROM channel_messages WHERE purpose = 'ask' ORDER BY created_at").fetchone()
    assert first_text is not None
    talk.wait(60)
    talk.write("yes", quotes=first_text["id"])
    talk.settle()
    assert talk.status(second) == "awaiting_reply"


def test_with_nothing_open_thanks_needs_no_answer_and_anything_else_gets_an_honest_one(talk: Talk) -> None:
    assert talk.say("thanks") == []
    assert talk.say("send bob to unit 4")[0].startswith("Nothing needs you right now")


def test_facts_that_changed_while_the_question_was_open_are_asked_again_and_no_yes_counts_for_the_old(
    talk: Talk,
) -> None:
    job_id = talk.enqueue("outlet")
    talk.settle()
    job = jobs.get(talk.db, job_id)
    newer = job.the_ask.model_copy(update={"question": "Now it burns: Osalpa?", "draft": "Now it burns: Osalpa?"})
    talk.wait(20)
    jobs.supersede(talk.db, job_id, newer, {})
    talk.write("yes")
    talk.settle()
    assert talk.status(job_id) == "awaiting_reply"
    assert talk.heard()[-1] == "Now it burns: Osalpa?"


def test_news_goes_out_while_a_question_is_open_and_repeats_it_in_a_line(talk: Talk) -> None:
    question = talk.enqueue("outlet")
    talk.settle()
    news = talk.notify("news", "Osalpa is on the way.")
    talk.settle()
    assert talk.heard()[-1] == "Osalpa is on the way.\nStill open: Sending Osalpa for outlet?"
    assert jobs.get(talk.db, news).finished_at is not None
    assert talk.status(question) == "awaiting_reply"


def test_a_turn_with_nothing_to_do_says_so_and_one_with_work_says_when_to_look_again(talk: Talk) -> None:
    assert talk.turn().then == Done()
    talk.enqueue("outlet")
    assert isinstance(talk.turn().then, Wait)


def test_the_same_turn_twice_asks_once(talk: Talk) -> None:
    talk.enqueue("outlet")
    talk.turn()
    talk.turn()
    talk.settle()
    talk.turn()
    talk.deliver()
    assert len(talk.heard()) == 1


def test_each_message_leaves_a_reading_beside_the_decision(talk: Talk) -> None:
    talk.enqueue("outlet")
    talk.settle()
    talk.say("hmm")
    talk.say("yes")
    rows = talk.db.execute("SELECT verdicts, asked_back, reader FROM conductor_readings ORDER BY seq").fetchall()
    assert [len(row["verdicts"]) for row in rows] == [0, 1]
    assert rows[0]["asked_back"]["reason"] == "not_understood"


def test_history_says_that_the_conductor_moved_it(talk: Talk) -> None:
    job_id = talk.enqueue("outlet")
    talk.settle()
    talk.say("yes")
    actors = [event["actor"] for event in jobs.timeline(talk.db, job_id) if event["turn_no"] is not None]
    assert actors
    assert set(actors) == {"conductor"}
