"""What each verb does to the row, and what it refuses."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

import jobs
from jobs.db import Conn
from tests.jobs.a_lane import ASK, Lane, reworded, yes


@pytest.fixture
def lane(db: Conn, workspace: UUID) -> Lane:
    return Lane(db, workspace)


# ---------------------------------------------------------------- enqueue, freshen, supersede


def test_a_second_enqueue_with_a_live_key_returns_the_live_job(lane: Lane) -> None:
    first = jobs.enqueue(lane.db, lane.new())
    assert first.outcome == "created"
    assert jobs.enqueue(lane.db, lane.new()) == jobs.Enqueued(first.job_id, "unchanged", "pending")
    assert jobs.enqueue(lane.db, lane.new(resume={"v": 2})) == jobs.Enqueued(first.job_id, "freshened", "pending")
    assert lane.job().ask_rev == 2


def test_enqueue_never_lowers_an_urgent_job(lane: Lane) -> None:
    lane.enqueue(priority="urgent")
    assert jobs.enqueue(lane.db, lane.new(priority="low", resume={"v": 2})).outcome == "freshened"
    assert lane.job().priority == "urgent"


def test_an_enqueue_of_what_was_asked_already_is_told_that_it_was_overtaken(lane: Lane) -> None:
    job = lane.awaiting()
    assert jobs.enqueue(lane.db, lane.new(resume={"v": 2})) == jobs.Enqueued(job.id, "overtaken", "awaiting_reply")
    assert lane.job() == job


def test_a_key_can_be_used_again_once_its_job_is_home(lane: Lane) -> None:
    first = lane.released()
    with lane.db.transaction():
        jobs.finish(lane.db, first)
        assert (
            jobs.enqueue(lane.db, lane.new()).outcome == "created"
        )  # the next question, in the finish's own transaction
    assert lane.job().id != first.id


def test_a_refused_enqueue_leaves_the_callers_transaction_usable(lane: Lane) -> None:
    with lane.db.transaction():
        lane.enqueue("before")
        with pytest.raises(jobs.NotFound, match="gossip"):
            jobs.enqueue(lane.db, lane.new(kind="gossip"))
        with pytest.raises(jobs.BadValue, match="dedupe_key"):
            jobs.enqueue(lane.db, lane.notice("before"))
        lane.enqueue("after")
    assert {job.dedupe_key for job in jobs.find(lane.db)} == {"before", "after"}


def test_many_are_enqueued_in_the_order_given_and_a_key_may_come_twice(lane: Lane) -> None:
    lane.enqueue("old")
    lane.awaiting("asked")
    told = jobs.enqueue_many(
        lane.db,
        [
            lane.new("z"),
            lane.new("old"),
            lane.new("a"),
            lane.new("z", resume={"v": 2}),
            lane.new("asked", resume={"v": 2}),
        ],
    )
    assert [it.outcome for it in told] == ["created", "unchanged", "created", "freshened", "overtaken"]
    assert told[0].job_id == told[3].job_id == lane.job("z").id
    assert jobs.enqueue_many(lane.db, []) == []


def test_one_bad_job_among_many_undoes_them_all(lane: Lane) -> None:
    with pytest.raises(jobs.NotFound):
        jobs.enqueue_many(lane.db, [lane.new("a"), lane.new("b", kind="gossip")])
    assert jobs.find(lane.db) == []


@pytest.mark.parametrize(
    ("stage", "outcome", "status"),
    [
        ("pending", "freshened", "pending"),
        ("awaiting", "will be asked again", "awaiting_reply"),
        ("held", "decision taken back", "pending"),
        ("cancelled", "ended", "cancelled"),
    ],
)
def test_superseding_works_in_every_state(lane: Lane, stage: str, outcome: str, status: str) -> None:
    match stage:
        case "awaiting":
            lane.awaiting()
        case "held":
            lane.held()
        case _:
            lane.enqueue()
    if stage == "cancelled":
        jobs.cancel(lane.db, lane.job().id, "closed", by_owner=False)
    assert jobs.supersede(lane.db, lane.job().id, reworded("Bob?"), {}, "urgent") == outcome
    job = lane.job()
    assert job.status == status
    assert job.priority == ("normal" if stage == "cancelled" else "urgent")
    assert (job.waiting or {"ask": job.ask})["ask"]["question"] == ("Osalpa?" if stage == "cancelled" else "Bob?")


def test_no_answer_counts_while_newer_facts_wait_and_they_are_asked_next(lane: Lane) -> None:
    job = lane.awaiting()
    jobs.supersede(lane.db, job.id, reworded("Bob?"), {"vendor": "bob"})
    for seen in (job, lane.job()):
        with pytest.raises(jobs.Overtaken, match="newer facts"):
            jobs.resolve(lane.db, seen, yes(jobs.now(lane.db)), 1)
    with lane.db.transaction():
        assert [it.id for it in jobs.step_forward(lane.db, lane.begin())] == [job.id]
    assert (lane.job().status, lane.job().ask["question"], lane.job().resume) == ("pending", "Bob?", {"vendor": "bob"})


# ---------------------------------------------------------------- turns and asks


def test_the_next_due_is_by_priority_then_due_time_and_notices_are_apart(lane: Lane) -> None:
    now = jobs.now(lane.db)
    lane.enqueue("second", not_before=now - timedelta(hours=1))
    lane.enqueue("first", not_before=now - timedelta(hours=2))
    lane.enqueue("later", not_before=now + timedelta(hours=1), priority="urgent")
    jobs.enqueue(lane.db, lane.notice())
    with lane.db.transaction():
        chat = lane.begin()
        order = []
        while (job := jobs.next_due(lane.db, chat, now)) is not None:
            order.append(job.dedupe_key)
            jobs.cancel(lane.db, job.id, "closed", by_owner=True)
        assert order == ["first", "second"]
        news = jobs.next_due(lane.db, chat, jobs.now(lane.db), notice=True)
        assert news is not None
        assert news.dedupe_key == "n"


def test_a_claim_of_what_moved_opens_nothing(lane: Lane) -> None:
    stale = lane.enqueue()
    lane.enqueue(resume={"v": 2})
    with lane.db.transaction():
        chat = lane.begin()
        with pytest.raises(jobs.Overtaken, match=str(stale.id)):
            jobs.claim(lane.db, chat, [stale])
        assert jobs.open_ask(lane.db, chat) is None


def test_one_question_is_open_in_a_chat_and_a_notice_beside_it(lane: Lane) -> None:
    lane.awaiting("k")
    lane.enqueue("l")
    jobs.enqueue(lane.db, lane.notice())
    with pytest.raises(jobs.Forbidden, match="one_open_ask_per_chat"):
        lane.put_into_ask("l")
    ask = lane.put_into_ask("n")
    jobs.mark_shown(lane.db, ask.id, "accepted")
    with lane.db.transaction():
        assert [job.dedupe_key for job in jobs.take_reports(lane.db, lane.begin())] == ["n"]
    told = lane.job("n")
    assert (told.status, told.finished_at is not None) == ("resolved", True)
    assert lane.job("k").status == "awaiting_reply"


def test_a_notice_whose_facts_changed_on_its_way_is_told_again(lane: Lane) -> None:
    jobs.enqueue(lane.db, lane.notice())
    ask = lane.put_into_ask("n")
    jobs.mark_shown(lane.db, ask.id, "accepted")
    jobs.supersede(lane.db, lane.job("n").id, reworded("Other news.", 0), {})
    with lane.db.transaction():
        assert jobs.take_reports(lane.db, lane.begin()) == []
    assert (lane.job("n").status, lane.job("n").ask["question"]) == ("pending", "Other news.")


def test_a_notice_that_the_channel_refused_makes_room_for_the_next(lane: Lane) -> None:
    jobs.enqueue(lane.db, lane.notice())
    ask = lane.put_into_ask("n")
    jobs.mark_submitted(lane.db, ask.id)
    jobs.mark_rejected(lane.db, ask.id)
    with lane.db.transaction():
        chat = lane.begin()
        assert jobs.take_reports(lane.db, chat) == []
        assert jobs.open_ask(lane.db, chat, notice=True) is None
    assert lane.job("n").status == "pending"


def test_the_items_of_a_bundle_keep_their_numbers_when_one_leaves(lane: Lane) -> None:
    for key in "abc":
        lane.enqueue(key)
    lane.show("b", "c", "a")
    jobs.cancel(lane.db, lane.job("c").id, "closed", by_owner=True)
    with lane.db.transaction():
        bundle = jobs.open_ask(lane.db, lane.begin())
    assert bundle is not None
    assert [(item.item_no, item.job.dedupe_key) for item in bundle.items] == [(1, "b"), (3, "a")]


def test_what_is_withdrawn_is_pending_again_and_what_was_submitted_is_not_withdrawn(lane: Lane) -> None:
    lane.enqueue()
    first = lane.put_into_ask("k")
    assert jobs.withdraw(lane.db, first.id, "preempted")
    assert not jobs.mark_submitted(lane.db, first.id)
    assert lane.job().status == "pending"
    second = lane.put_into_ask("k")
    assert jobs.mark_submitted(lane.db, second.id)
    assert jobs.mark_submitted(lane.db, second.id)  # idempotent
    assert not jobs.withdraw(lane.db, second.id, "preempted")
    assert lane.job().status == "asking"


def test_three_refusals_of_the_channel_are_a_failure_and_a_retry_begins_anew(lane: Lane) -> None:
    lane.enqueue()
    for attempt in (1, 2, 3):
        ask = lane.put_into_ask("k")
        jobs.mark_submitted(lane.db, ask.id)
        assert jobs.take_back(lane.db, ask.id) == []  # nobody knows yet: it may have been seen
        assert jobs.mark_rejected(lane.db, ask.id)
        assert not jobs.mark_shown(lane.db, ask.id, "accepted")
        assert [job.status for job in jobs.take_back(lane.db, ask.id)] == ["failed" if attempt == 3 else "pending"]
        assert attempt == 3 or lane.job().not_before > jobs.now(lane.db)
    assert lane.job().end_reason == "could not be asked"
    assert jobs.retry(lane.db, lane.job().id).outcome == "will be asked again"
    assert (lane.job().status, lane.job().ask_attempts) == ("pending", 0)


def test_the_next_look_is_the_next_due_time_at_most_an_hour_ahead(lane: Lane) -> None:
    lane.db.execute("SELECT set_config('sayso.now', '2030-01-01T12:00Z', false)")
    lane.db.execute("SELECT jobs_make_months('2030-01-01Z', '2030-02-01Z')")
    now = jobs.now(lane.db)

    def look() -> float | None:
        with lane.db.transaction():
            at = jobs.end_turn(lane.db, lane.begin())
        return None if at is None else (at - now).total_seconds()

    assert look() is None
    lane.enqueue("far", not_before=now + timedelta(days=1))
    assert look() == 3600
    lane.enqueue("near", not_before=now + timedelta(minutes=5))
    assert look() == 300
    lane.enqueue("due")
    assert look() == 2  # nothing is open, and yet it was not asked
    lane.show("due")
    assert look() == 300


def test_a_turn_takes_the_wakes_and_a_failed_one_backs_off(lane: Lane) -> None:
    lane.enqueue()
    now = jobs.now(lane.db)
    assert [it.chat_guid for it in jobs.due(lane.db, now).chats] == ["pm"]
    jobs.turn_failed(lane.db, lane.workspace, "pm", "boom\0", now)
    assert jobs.due(lane.db, now).chats == ()
    assert len(jobs.due(lane.db, now + timedelta(seconds=2)).chats) == 1
    with lane.db.transaction():
        chat = lane.begin()
        assert (chat.turn_failures, chat.last_error) == (1, "boom")
        jobs.end_turn(lane.db, chat)
    assert lane.db.execute("SELECT count(*) AS n FROM chat_wakes").fetchone() == {"n": 0}
    with lane.db.transaction():
        assert lane.begin().turn_failures == 0
        assert jobs.begin_turn(lane.db, lane.workspace, "nowhere") is None


# ---------------------------------------------------------------- decisions


def test_an_answer_is_held_and_can_be_revoked_though_a_word_paused_the_hold(lane: Lane) -> None:
    job = lane.held()
    assert job.release_at is not None
    lane.db.execute("UPDATE jobs SET release_at = release_at + interval '10 s'")  # as an inbound message does
    taken_back = jobs.revoke(lane.db, job, "wait, no")
    assert (taken_back.status, taken_back.resolution, taken_back.release_at) == ("pending", None, None)
    with pytest.raises(jobs.Overtaken):
        jobs.revoke(lane.db, job, "wait, no")
    kept = lane.db.execute("SELECT resolution ->> 'verdict' AS verdict FROM job_decisions").fetchall()
    assert kept == [{"verdict": "confirm"}]


def test_an_answer_must_be_one_of_the_options_of_a_closed_choice(lane: Lane) -> None:
    job = lane.awaiting()
    with pytest.raises(jobs.BadValue, match="vendor is 'v9'"):
        jobs.resolve(lane.db, job, yes(jobs.now(lane.db), vendor="v9"), 1)
    resolved = jobs.resolve(lane.db, job, yes(jobs.now(lane.db), vendor="v1"), 1)
    assert resolved.resolution is not None
    assert resolved.resolution["vendor"] == "v1"


def test_an_answer_to_a_wording_that_is_gone_is_told_so_and_a_late_one_to_what_stands_counts(lane: Lane) -> None:
    job = lane.awaiting()
    put_off = jobs.defer(lane.db, job, jobs.now(lane.db) + timedelta(hours=1), "later")
    with pytest.raises(jobs.Overtaken, match="pending"):
        jobs.resolve(lane.db, job, yes(jobs.now(lane.db)), 1)  # it was read before it was put off
    jobs.enqueue(lane.db, lane.new(resume={"v": 2}))
    with pytest.raises(jobs.Overtaken, match="wording 2"):
        jobs.resolve(lane.db, lane.job(), yes(jobs.now(lane.db)), put_off.ask_rev)
    lane.db.execute("DELETE FROM chat_wakes")
    other = lane.awaiting("other")
    jobs.defer(lane.db, other, jobs.now(lane.db) + timedelta(hours=1), "later")
    assert jobs.resolve(lane.db, lane.job("other"), yes(jobs.now(lane.db)), 1).status == "resolved"


def test_the_owner_cancels_in_every_open_state_and_the_key_is_free(lane: Lane) -> None:
    for key, make in (("a", lane.enqueue), ("b", lane.awaiting), ("c", lane.held)):
        make(key)
        job = jobs.cancel(lane.db, lane.job(key).id, "closed", by_owner=True)
        assert (job.status, job.end_reason, job.finished_at is not None) == ("cancelled", "closed", True)
        assert jobs.enqueue(lane.db, lane.new(key)).outcome == "created"
    with pytest.raises(jobs.Overtaken, match="cancelled"):
        jobs.cancel(lane.db, job.id, "closed", by_owner=True)


def test_a_cancel_by_others_goes_home_to_the_owner(lane: Lane) -> None:
    job = lane.enqueue()
    jobs.cancel(lane.db, job.id, "withdrawn", by_owner=False)
    claimed = jobs.release(lane.db, job.id, "pms_intake")
    assert claimed is not None
    assert jobs.finish(lane.db, claimed).finished_at is not None


def test_snoozing_takes_a_job_out_of_its_ask_and_not_out_of_one_on_its_way(lane: Lane) -> None:
    job = lane.awaiting()
    until = jobs.now(lane.db) + timedelta(hours=2)
    assert jobs.snooze(lane.db, job.id, until).not_before == until
    lane.put_into_ask("k")
    with pytest.raises(jobs.Overtaken, match="asking"):
        jobs.snooze(lane.db, job.id, until)
    with pytest.raises(jobs.NotFound):
        jobs.snooze(lane.db, uuid4(), until)


# ---------------------------------------------------------------- finish and retry


def test_nothing_is_released_in_its_hold_and_only_to_its_owner_and_once(lane: Lane) -> None:
    job = lane.held()
    assert jobs.release(lane.db, job.id, "pms_intake") is None
    lane.later(seconds=61)
    assert [it.job_id for it in jobs.due(lane.db, jobs.now(lane.db)).finishes] == [job.id]
    assert jobs.release(lane.db, job.id, "memory") is None
    claimed = jobs.release(lane.db, job.id, "pms_intake")
    assert claimed is not None
    assert (claimed.finish_attempts, claimed.version) == (1, job.version)
    assert jobs.release(lane.db, job.id, "pms_intake") is None
    assert jobs.due(lane.db, jobs.now(lane.db)).finishes == ()


def test_a_worker_that_lost_its_lease_cannot_finish(lane: Lane) -> None:
    late = lane.released()
    lane.later(seconds=61)
    second = jobs.release(lane.db, late.id, "pms_intake")
    assert second is not None
    with pytest.raises(jobs.Overtaken, match="attempt 1"):
        jobs.finish(lane.db, late)
    jobs.finish_failed(lane.db, late, "too late to say so")
    assert lane.job().finish_error is None
    assert jobs.finish(lane.db, second).finished_at is not None


def test_a_claim_gives_no_right_the_job_can_still_be_revoked(lane: Lane) -> None:
    claimed = lane.released()
    jobs.revoke(lane.db, claimed, "wait")
    with pytest.raises(jobs.Overtaken, match="pending"):
        jobs.finish(lane.db, claimed)


def test_a_finish_that_fails_backs_off_and_after_ten_attempts_needs_a_person(lane: Lane) -> None:
    job: jobs.Job | None = lane.released()
    waits = []
    for _ in range(10):
        assert job is not None
        lane.db.execute("SELECT set_config('sayso.now', %s, false)", (str(jobs.now(lane.db)),))
        jobs.finish_failed(lane.db, job, "boom")
        after = lane.job().finish_after
        assert after is not None
        waits.append(after.year if after.year == 9999 else round((after - jobs.now(lane.db)).total_seconds()))
        if after.year < 9999:
            lane.db.execute("SELECT set_config('sayso.now', %s, false)", (str(after),))
            job = jobs.release(lane.db, lane.job().id, "pms_intake")
    assert waits == [5, 10, 20, 40, 80, 160, 320, 600, 600, 9999]
    assert lane.job().status == "resolved"
    assert jobs.health(lane.db, jobs.now(lane.db))["finishes_that_need_a_person"] == 1
    assert "sayso jobs retry" in jobs.why(lane.db, lane.job().id, jobs.now(lane.db))[-1]
    assert jobs.retry(lane.db, lane.job().id).outcome == "will be finished again"
    assert jobs.release(lane.db, lane.job().id, "pms_intake") is not None


def test_a_finish_whose_workers_always_die_needs_a_person(lane: Lane) -> None:
    job = lane.released()
    for _ in range(9):
        lane.later(seconds=61)
        assert jobs.release(lane.db, job.id, "pms_intake") is not None
    lane.later(seconds=61)
    assert jobs.release(lane.db, job.id, "pms_intake") is None
    assert "died" in (lane.job().finish_error or "")
    assert jobs.due(lane.db, jobs.now(lane.db)).finishes == ()


def test_retrying_what_is_home_is_a_new_job_and_what_was_decided_is_never_asked_again(lane: Lane) -> None:
    job = lane.enqueue(issue_id="42")
    jobs.fail(lane.db, job.id, "no channel")
    claimed = jobs.release(lane.db, job.id, "pms_intake")
    assert claimed is not None
    jobs.finish(lane.db, claimed)
    again = jobs.retry(lane.db, job.id)
    assert again.outcome == "new job"
    assert jobs.get(lane.db, again.job_id).issue_id == "42"
    assert jobs.retry(lane.db, job.id) == jobs.Retried(again.job_id, "another live job has the key")
    assert jobs.retry(lane.db, again.job_id).outcome == "nothing to retry"
    assert jobs.retry(lane.db, uuid4()).outcome == "no such job"
    decided = lane.held("d")
    assert jobs.retry(lane.db, decided.id).outcome == "will be finished again"
    assert lane.job("d").status == "resolved"


# ---------------------------------------------------------------- reading


def test_the_timeline_tells_the_story_from_enqueue_to_home(lane: Lane) -> None:
    with jobs.acting(lane.db, "pms_intake", "order came in"):
        lane.enqueue(ask=reworded("Osalpa?", hold_seconds=0))
    lane.show("k")
    jobs.resolve(lane.db, lane.job(), yes(jobs.now(lane.db)), 1)
    claimed = jobs.release(lane.db, lane.job().id, "pms_intake")
    assert claimed is not None
    jobs.finish(lane.db, claimed)
    story = jobs.timeline(lane.db, lane.job().id)
    assert [it["what"] for it in story] == [
        "enqueued",
        "put into an ask",
        "text handed to the channel",
        "shown",
        "awaits the reply",
        "decided",
        "home",
    ]
    assert (story[0]["actor"], story[0]["detail"]) == ("pms_intake", "order came in")
    assert story[5]["detail"] == "answered: confirm, by person:1"


def test_why_says_what_a_job_waits_for(lane: Lane) -> None:
    lane.enqueue("l", not_before=jobs.now(lane.db) + timedelta(hours=3))
    waiting = " ".join(jobs.why(lane.db, lane.job("l").id, jobs.now(lane.db)))
    assert "not due before" in waiting
    lane.awaiting("k")
    assert "Osalpa?" in " ".join(jobs.why(lane.db, lane.job("l").id, jobs.now(lane.db)))
    assert "silence does not" in " ".join(jobs.why(lane.db, lane.job("k").id, jobs.now(lane.db)))
    held = jobs.resolve(lane.db, lane.job("k"), yes(jobs.now(lane.db)), 1)
    assert "held until" in " ".join(jobs.why(lane.db, held.id, jobs.now(lane.db)))


def test_a_job_is_found_by_the_beginning_of_its_id_or_by_its_key(lane: Lane) -> None:
    first, second = lane.enqueue("order:1"), lane.enqueue("order:2")
    assert jobs.look_up(lane.db, "order:1") == first.id
    assert jobs.look_up(lane.db, str(second.id).upper()) == second.id
    with pytest.raises(jobs.BadValue, match="it may be"):
        jobs.look_up(lane.db, str(first.id)[:6])
    with pytest.raises(jobs.NotFound):
        jobs.look_up(lane.db, "order")
    assert [job.dedupe_key for job in jobs.find(lane.db, text="ORDER:2")] == ["order:2"]


def test_all_is_well_in_a_healthy_table(lane: Lane) -> None:
    lane.held()
    assert set(jobs.health(lane.db, jobs.now(lane.db)).values()) == {0}
    lane.later(minutes=7)
    assert jobs.health(lane.db, jobs.now(lane.db))["unfinished_over_5_minutes"] == 1


def test_the_ask_of_a_row_is_the_ask_that_was_given(lane: Lane) -> None:
    assert lane.enqueue().the_ask == ASK
