"""From the manager's answer to what is done about it, and how it is undone."""

import psycopg
import pytest

import jobs
import ledger
from subsystems import intake, memory
from tests.subsystems.office import TOOLS, Office, dispatched, undo

DONE = ["dispatch_vendor", "text_tenant", "log_event"]


def test_a_yes_sends_the_suggested_vendor_tells_the_tenant_and_is_remembered_each_once(office: Office) -> None:
    order_id, job = dispatched(office)
    order = office.order(order_id)
    assert (order["status"], order["vendor_id"]) == ("dispatched", office.vendors["osalpa"])
    assert office.calls() == DONE
    assert office.texts() == [("osalpa", "planned"), ("maya", "planned")]
    calls = ledger.listed(office.db, job_id=job.id)
    assert {(call.decided_by, call.trust) for call in calls} == {(f"person:{office.dana}", "admin")}
    assert {call.idempotency_key for call in calls} == {f"{job.id}:1:{tool}" for tool in DONE}
    assert office.live(order_id) is None


def test_another_name_sends_that_vendor_instead(office: Office) -> None:
    office.state_policy()
    order_id = office.report().order_id
    office.decide(order_id, "correct", vendor=str(office.vendors["bob"]))
    assert office.order(order_id)["vendor_id"] == office.vendors["bob"]
    assert office.texts()[0] == ("bob", "planned")


def test_a_finish_that_is_hinted_again_does_nothing_more(office: Office) -> None:
    _, job = dispatched(office)
    for _ in range(4):
        office.advance(120)
        office.finish(job.id)
    assert office.calls() == DONE
    assert len(office.texts()) == 2


def test_a_finish_that_fails_halfway_leaves_nothing_and_does_all_of_it_the_next_time(office: Office) -> None:
    office.state_policy()
    order_id = office.report().order_id
    job = office.answer(order_id)
    office.db.execute("ALTER TABLE memory_events ADD CONSTRAINT broken CHECK (false)")  # its last step fails
    with pytest.raises(psycopg.errors.CheckViolation):
        office.finish(job.id)
    office.db.execute("ALTER TABLE memory_events DROP CONSTRAINT broken")
    assert office.texts() == []
    assert office.calls() == []
    assert office.order(order_id)["status"] == "waiting"
    office.advance(120)
    office.finish(job.id)
    assert office.calls() == DONE


def test_a_no_sends_nobody_and_leaves_the_order_with_the_manager(office: Office) -> None:
    office.state_policy()
    order_id = office.report().order_id
    office.decide(order_id, "deny", False, freeform="nah we did that yesterday")
    assert office.order(order_id)["status"] == "with_manager"
    assert office.texts() == []
    assert office.calls() == ["update_issue", "log_event"]
    assert office.live(order_id) is None


@pytest.mark.parametrize(
    ("verdict", "confirmed", "more"),
    [
        ("condition", None, {"freeform": "if it is not raining"}),
        ("condition", True, {"limit": 20_000}),
        ("confirm", True, {"when": "2030-01-01T10:00:00+00:00"}),
        ("confirm", True, {"freeform": "but call first"}),
    ],
)
def test_a_yes_with_a_condition_acts_on_nothing_and_is_asked_again(
    office: Office, verdict: str, confirmed: bool | None, more: dict[str, str]
) -> None:
    office.state_policy()
    order_id = office.report().order_id
    first = office.decide(order_id, verdict, confirmed, **more)
    assert office.texts() == []
    assert office.calls() == []
    again = office.live(order_id)
    assert again is not None
    assert again.id != first.id
    assert "condition" in again.the_ask.draft


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("is_active = false", "Osalpa Electric is no longer active"),
        ("insured_until = NULL", "Osalpa Electric has no insurance on file"),
        ("insured_until = '2001-02-03'", "was insured only until Feb 3, 2001"),
    ],
)
def test_facts_that_changed_since_the_question_are_asked_about_anew_under_the_same_key(
    office: Office, change: str, says: str
) -> None:
    office.state_policy()
    order_id = office.report().order_id
    job = office.answer(order_id)
    office.rows(f"UPDATE directory_vendors SET {change} WHERE external_id = 'osalpa' RETURNING id")
    office.finish(job.id)
    assert office.texts() == []
    assert office.order(order_id)["status"] == "waiting"
    again = office.live(order_id)
    assert again is not None
    assert says in again.the_ask.draft
    assert "vendor_id" not in again.resume


def test_naming_somebody_without_insurance_sends_nobody(office: Office) -> None:
    office.state_policy()
    order_id = office.report().order_id
    office.decide(order_id, "correct", vendor=str(office.vendors["lapsed"]))
    again = office.live(order_id)
    assert office.texts() == []
    assert again is not None
    assert "Lapsed Wiring has no insurance on file, so nobody was sent." in again.the_ask.draft


def test_an_order_that_went_another_way_meanwhile_is_left_alone_and_the_manager_told(office: Office) -> None:
    office.state_policy()
    order_id = office.report().order_id
    job = office.answer(order_id)
    office.rows("UPDATE intake_orders SET status = 'closed' RETURNING id")
    office.finish(job.id)
    assert office.texts() == []
    assert office.order(order_id)["status"] == "closed"
    assert "closed by now" in office.notices()[0]


@pytest.mark.parametrize("reason", ["withdrawn", "expired"])
def test_a_question_that_ends_without_an_answer_leaves_the_order_with_the_manager(office: Office, reason: str) -> None:
    order_id = office.report().order_id
    job = office.live(order_id)
    assert job is not None
    jobs.cancel(office.db, job.id, reason, by_owner=False)  # type: ignore[arg-type]
    office.finish(job.id)
    assert office.order(order_id)["status"] == "with_manager"
    assert office.texts() == []
    assert reason in office.notices()[0]
    assert ledger.listed(office.db, job_id=job.id)[0].decided_by == "operator:intake"


@pytest.mark.parametrize("gone", ["unit_id = NULL", "opted_out_at = now()"])
def test_a_tenant_who_cannot_be_told_is_skipped_and_the_manager_hears_so(office: Office, gone: str) -> None:
    office.state_policy()
    order_id = office.report(tenant_id=None if "unit" in gone else office.maya).order_id
    office.rows(f"UPDATE directory_people SET {gone} WHERE external_id = 'maya' RETURNING id")
    office.decide(order_id)
    assert office.texts() == [("osalpa", "planned")]
    assert "Nobody there was told" in office.notices()[0]
    assert office.calls() == ["dispatch_vendor", "log_event"]


def test_a_trade_that_the_manager_names_leads_to_the_question_whom_to_send(office: Office) -> None:
    office.state_policy()
    order_id = office.report("its broken again").order_id
    first = office.decide(order_id, "choose", trade="electrical")
    assert office.order(order_id)["trade"] == "electrical"
    assert office.calls() == ["complete_issue"]
    job = office.live(order_id)
    assert job is not None
    assert (job.kind, job.dedupe_key) == ("confirm_dispatch", first.dedupe_key)
    assert job.the_ask.question == "Sending Osalpa Electric for the electrical at 12 Birch #4?"


def test_a_unit_that_the_manager_names_brings_its_tenant_along(office: Office) -> None:
    order_id = office.report(unit_id=None, tenant_id=None).order_id
    office.decide(order_id, "choose", unit="b4")
    order = office.order(order_id)
    assert (order["unit_id"], order["tenant_id"]) == (office.unit, office.maya)


def test_a_clarification_that_names_nothing_is_asked_again(office: Office) -> None:
    order_id = office.report("its broken again").order_id
    first = office.decide(order_id)
    again = office.live(order_id)
    assert again is not None
    assert again.id != first.id
    assert office.calls() == []


def test_undoing_a_dispatch_before_the_texts_left_means_nobody_ever_hears_of_it(office: Office) -> None:
    order_id, _ = dispatched(office)
    undo(office)
    assert office.texts() == [("osalpa", "cancelled"), ("maya", "cancelled")]
    assert (office.order(order_id)["status"], office.order(order_id)["vendor_id"]) == ("with_manager", None)
    office.deliver()
    assert office.notices() == ["Undone: Osalpa Electric is not going to 12 Birch #4. The order is with you."]


def test_undoing_a_dispatch_after_the_texts_left_tells_both_that_it_is_off(office: Office) -> None:
    order_id, _ = dispatched(office)
    office.deliver()
    undo(office)
    assert office.texts() == [(who, "accepted") for who in ("osalpa", "maya")] + [
        (who, "planned") for who in ("osalpa", "maya")
    ]
    assert office.order(order_id)["status"] == "with_manager"
    assert "Osalpa Electric is told not to come." in office.notices()[0]


def test_a_dispatch_is_undone_once_and_is_a_precedent_no_more(office: Office) -> None:
    dispatched(office)
    office.rows("UPDATE memory_policies SET ended_at = now() RETURNING id")
    undo(office)
    first = ledger.listed(office.db, office.ws, tool="dispatch_vendor")[-1]
    with pytest.raises(ledger.AlreadyUndone):
        ledger.undo(office.db, TOOLS, first.id, f"person:{office.dana}", "admin")
    assert memory.find_policy(office.db, office.ws, "electrical", office.property_id) is None


def test_undoing_a_no_has_the_question_asked_again_by_the_sweep(office: Office) -> None:
    order_id = office.report().order_id
    office.decide(order_id, "deny", False)
    undo(office, "update_issue")
    with office.db.transaction():
        intake.OWNER.sweep(office.db, office.now)
    assert office.live(order_id) is not None
    assert office.order(order_id)["status"] == "waiting"


def test_what_is_no_repair_is_closed_to_everybody_by_a_no_and_asked_about_further_after_a_yes(office: Office) -> None:
    refused, wanted = (office.report("whats the wifi password", n).order_id for n in "12")
    office.decide(refused, "deny", False)
    assert office.order(refused)["status"] == "with_manager"
    office.decide(wanted)
    again = office.live(wanted)
    assert again is not None
    assert again.the_ask.question == "Which trade should look at this at 12 Birch #4?"
    assert office.texts() == []


def test_an_odd_error_of_a_question_that_could_not_be_asked_is_told_as_one_line(office: Office) -> None:
    order_id = office.report().order_id
    job = office.live(order_id)
    assert job is not None
    jobs.fail(office.db, job.id, "no \x1b[31mroute " + "x" * 900)
    office.finish(job.id)
    assert office.order(order_id)["status"] == "with_manager"
    assert "(no [31mroute xxx" in office.notices()[0]


def test_a_yes_to_a_question_that_was_asked_again_after_it_could_not_be_asked_counts(office: Office) -> None:
    office.state_policy()
    order_id = office.report().order_id
    job = office.live(order_id)
    assert job is not None
    jobs.fail(office.db, job.id, "no route")
    office.finish(job.id)
    assert office.order(order_id)["status"] == "with_manager"
    assert jobs.retry(office.db, job.id).outcome == "new job"
    office.decide(order_id)
    assert office.order(order_id)["status"] == "dispatched"
    assert office.texts()[0] == ("osalpa", "planned")


def test_a_yes_does_not_send_somebody_twice(office: Office) -> None:
    _, job = dispatched(office)
    with office.db.transaction():
        intake.OWNER.finish(office.db, job, office.now)
    assert office.calls() == DONE
    assert "dispatched by now" in office.notices()[0]


def test_news_that_the_channel_refused_is_told_again_ten_minutes_later_until_it_is_shown(office: Office) -> None:
    dispatched(office)
    undo(office)
    for told in (1, 2):
        [job] = jobs.find(office.db, kind="notice", status=["pending"])
        jobs.fail(office.db, job.id, "the channel refused it")
        office.finish(job.id)
        assert (jobs.get(office.db, job.id).status, len(office.notices())) == ("failed", told + 1)
        [again] = jobs.find(office.db, kind="notice", status=["pending"])
        assert (again.dedupe_key, again.ask) == (job.dedupe_key, job.ask)
        assert (again.not_before - office.now).total_seconds() == 600
        office.advance(600)
    jobs.cancel(office.db, again.id, "withdrawn", by_owner=False)
    office.finish(again.id)
    assert jobs.find(office.db, kind="notice", status=["pending"]) == []


def test_a_question_put_in_by_hand_goes_home_and_its_answerer_hears_that_nothing_follows(office: Office) -> None:
    office.state_policy()
    made = office.live(office.report().order_id)
    assert made is not None
    jobs.cancel(office.db, made.id, "closed", by_owner=True)
    by_hand = jobs.NewJob(
        office.ws, intake.OWNER.source, made.kind, made.chat_guid, "order:by hand", made.the_ask, {}
    )
    jobs.enqueue(office.db, by_hand)
    job = office.answer("by hand")  # type: ignore[arg-type]  # the part of the key after "order:"
    office.finish(job.id)
    assert jobs.get(office.db, job.id).finished_at is not None
    assert office.notices()[-1].endswith("It was asked by hand, so nothing follows.")
    assert office.calls() == []
