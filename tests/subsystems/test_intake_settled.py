"""What the manager, the vendor and the tenant hear when a text of a dispatch did not arrive."""

import pytest

import ledger
from channels import outbox
from channels.contract import NotSent, Outgoing, Rejected, Submitted, Unknown
from subsystems import memory
from tests.subsystems.office import REFUSES, TOOLS, Office, Scripted, dispatched, undo


def test_a_vendors_text_that_was_refused_puts_the_order_back_to_the_manager_who_is_told_at_once(office: Office) -> None:
    order_id, _ = dispatched(office)
    office.deliver(REFUSES)
    assert office.order(order_id)["status"] == "with_manager"
    told = office.notices()
    assert any("text to Osalpa Electric" in text and "nobody is coming" in text for text in told)
    assert any("text to Maya" in text for text in told)
    assert len(told) == 2


def test_a_vendors_text_of_which_nobody_knows_is_told_and_the_order_stays(office: Office) -> None:
    order_id, _ = dispatched(office)
    lost = Scripted(Unknown("timed out"))
    office.deliver(lost)
    office.advance(600)
    office.deliver(lost)
    assert office.order(order_id)["status"] == "dispatched"
    assert any("I cannot find out whether my text to Osalpa Electric" in text for text in office.notices())


def test_texts_that_arrived_are_no_news(office: Office) -> None:
    dispatched(office)
    office.deliver()
    assert office.texts() == [("osalpa", "accepted"), ("maya", "accepted")]
    assert office.notices() == []


def test_a_vendor_who_never_heard_is_not_awaited_by_the_tenant_and_is_no_precedent(office: Office) -> None:
    dispatched(office)
    office.rows("UPDATE memory_policies SET ended_at = now() RETURNING id")
    channel = Scripted(Rejected("no such number"), "osalpa")
    for _ in range(3):
        office.deliver(channel)
        office.advance(5)
    assert office.texts() == [("osalpa", "rejected"), ("maya", "accepted"), ("maya", "accepted")]
    assert "is not coming to 12 Birch #4 after all" in channel.sent[-1][1]
    assert memory.find_policy(office.db, office.ws, "electrical", office.property_id) is None
    [told] = office.notices()
    assert told == (
        "My text to Osalpa Electric about 12 Birch #4 was not taken (no such number). So nobody is coming."
        " The order is with you."
    )
    first = ledger.listed(office.db, office.ws, tool="dispatch_vendor")[-1]
    with pytest.raises(ledger.AlreadyUndone):
        ledger.undo(office.db, TOOLS, first.id, f"person:{office.dana}", "admin")


def test_a_tenant_whose_text_still_waits_never_hears_of_a_vendor_who_never_heard(office: Office) -> None:
    _, job = dispatched(office)
    text = outbox.planned_as(office.db, office.ws, f"{job.id}:1:vendor_text")
    assert text is not None
    office.rows("UPDATE channel_messages SET due_at = due_at + interval '1 h' WHERE person_id IS NOT NULL RETURNING id")
    outbox.cancel(office.db, text.id, "an engineer stopped it")
    for _ in range(2):
        office.deliver()
    assert office.texts() == [("osalpa", "cancelled"), ("maya", "cancelled")]
    assert "taken back before it left (an engineer stopped it). So nobody is coming" in office.notices()[0]
    assert len(office.notices()) == 1


def test_a_vendor_who_never_heard_changes_nothing_about_an_order_that_was_closed(office: Office) -> None:
    order_id, _ = dispatched(office)
    office.rows("UPDATE intake_orders SET status = 'closed', vendor_id = NULL RETURNING id")
    office.deliver(Scripted(Rejected("no such number"), "osalpa"))
    assert office.order(order_id)["status"] == "closed"
    assert office.notices() == ["My text to Osalpa Electric about 12 Birch #4 was not taken (no such number)."]


@pytest.mark.parametrize("answer", [NotSent("busy"), Rejected("no such number")])
def test_undone_while_the_text_is_on_its_way_and_it_did_not_arrive_the_vendor_hears_nothing(
    office: Office, answer: Submitted
) -> None:
    order_id, _ = dispatched(office)

    class Meanwhile(Scripted):
        def submit(self, text: Outgoing) -> Submitted:
            if text.address == "osalpa" and text.address not in dict(self.sent):
                undo(office)
            return super().submit(text)

    channel = Meanwhile(answer, "osalpa")
    for _ in range(6):
        office.deliver(channel)
        office.advance(30)
    assert [address for address, _ in channel.sent].count("osalpa") == 1
    assert office.texts()[0] == ("osalpa", "rejected")
    assert office.order(order_id)["status"] == "with_manager"
    assert len(office.notices()) == 1


@pytest.mark.parametrize("why", ["no \x1b[31mroute\r\n", "<html>" + "x" * 5000, "x" * 70_000, "\0\ud800 \x85"])
def test_whatever_a_channel_says_the_order_goes_back_to_the_manager_who_reads_a_short_line_of_it(
    office: Office, why: str
) -> None:
    order_id, _ = dispatched(office)
    office.deliver(Scripted(Rejected(why), "osalpa"))
    assert office.order(order_id)["status"] == "with_manager"
    [told] = office.notices()
    assert len(told) < 400
    assert all(map(outbox.is_text, told))
    assert "\n" not in told
