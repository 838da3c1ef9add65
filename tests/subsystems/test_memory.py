"""Standing wishes and precedents."""

from datetime import timedelta
from uuid import UUID, uuid4

import ledger
from jobs.db import Conn
from subsystems import memory
from tests.subsystems.office import Office


def remember(
    office: Office, vendor: str | None, days_ago: int, property_id: UUID, decision_no: int = 1
) -> memory.LogEvent:
    event = memory.LogEvent(
        job_id=uuid4(),
        decision_no=decision_no,
        workspace_id=office.ws,
        trade="electrical",
        property_id=property_id,
        vendor_id=office.vendors[vendor] if vendor else None,
        decided_by=f"person:{office.dana}",
        decided_at=office.now - timedelta(days=days_ago),
    )
    authority = ledger.Authority(f"{event.job_id}:log", event.job_id, event.decided_by, "admin", "test")
    ledger.call(office.db, office.ws, memory.LOG_EVENT, event, authority)
    return event


def found(office: Office, property_id: UUID) -> tuple[str, UUID] | None:
    match memory.find_policy(office.db, office.ws, "electrical", property_id):
        case memory.Policy() as policy:
            return "policy", policy.vendor_id
        case memory.Precedent() as precedent:
            return "precedent", precedent.vendor_id
        case None:
            return None


def another_property(office: Office) -> UUID:
    return office.insert(
        "directory_properties (workspace_id, external_id, name, address, manager_id)"
        " VALUES (%s, 'alder', '40 Alder', '40 Alder Court', %s)",
        office.dana,
    )


def test_a_wish_goes_before_precedents_and_the_one_for_this_property_before_the_general_one(office: Office) -> None:
    here, there = office.property_id, another_property(office)
    assert found(office, here) is None
    remember(office, "bob", 1, here)
    assert found(office, here) == ("precedent", office.vendors["bob"])
    office.state_policy("osalpa")
    office.state_policy("lapsed", property_id=here)
    assert found(office, here) == ("policy", office.vendors["lapsed"])
    assert found(office, there) == ("policy", office.vendors["osalpa"])


def test_the_precedent_is_the_last_of_this_property_else_the_last_anywhere_and_never_a_no(office: Office) -> None:
    here, there = office.property_id, another_property(office)
    remember(office, "osalpa", 9, here)
    remember(office, "bob", 2, there)
    remember(office, None, 1, here)
    assert found(office, here) == ("precedent", office.vendors["osalpa"])
    assert found(office, there) == ("precedent", office.vendors["bob"])
    assert found(
        office,
        another := office.insert(
            "directory_properties (workspace_id, external_id, name, address, manager_id)"
            " VALUES (%s, 'cedar', '1920 Cedar', 'Cedar Road', %s)",
            office.dana,
        ),
    ) == ("precedent", office.vendors["bob"]), another


def test_a_new_wish_ends_the_old_one_and_the_same_again_changes_nothing(office: Office) -> None:
    first = office.state_policy("osalpa")
    assert office.state_policy("osalpa").id == first.id
    second = office.state_policy("bob")
    assert [row["id"] for row in office.rows("SELECT id FROM memory_policies WHERE ended_at IS NULL")] == [second.id]
    assert len(office.rows("SELECT FROM memory_policies")) == 2


def test_undoing_the_log_of_a_decision_takes_it_from_the_precedents(office: Office) -> None:
    event = remember(office, "bob", 1, office.property_id)
    [call] = ledger.listed(office.db, job_id=event.job_id)
    ledger.undo(office.db, {memory.LOG_EVENT.name: memory.LOG_EVENT}, call.id, f"person:{office.dana}", "admin")
    assert found(office, office.property_id) is None
    [row] = office.rows("SELECT retracted_at FROM memory_events")
    assert row["retracted_at"] is not None


def test_the_past_decisions_come_along_the_latest_first(office: Office, db: Conn) -> None:
    for days_ago in (5, 1, 3, 9):
        remember(office, "bob", days_ago, office.property_id)
    precedent = memory.find_policy(db, office.ws, "electrical", office.property_id)
    assert isinstance(precedent, memory.Precedent)
    assert [(office.now - event.decided_at).days for event in precedent.decisions] == [1, 3, 5]
