"""Calls happen once, on somebody's word, and are undone only while nothing else has happened."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.rows import dict_row

import ledger
from jobs.db import Conn, acting
from jobs.errors import BadValue
from ledger import Authority
from tests.ledger.a_tool import DANA, SET_ACTIVE, SET_RATE, TOOLS, SetRate, a_vendor, by_dana, vendor_row


@pytest.fixture
def vendor(db: Conn, workspace: UUID) -> UUID:
    return a_vendor(db, workspace)


@pytest.fixture
def second(database_url: str) -> Any:
    with psycopg.connect(database_url, autocommit=True, row_factory=dict_row) as connection:
        yield connection


def off(db: Conn, workspace: UUID, vendor: UUID, key: str = "k") -> ledger.Called:
    return ledger.call(db, workspace, SET_ACTIVE, {"vendor_id": vendor, "is_active": False}, by_dana(key))


def test_a_call_does_what_its_tool_does_and_keeps_what_it_was_before(db: Conn, workspace: UUID, vendor: UUID) -> None:
    with acting(db, actor="worker:intake"):
        called = off(db, workspace, vendor)

    row = ledger.get(db, called.call_id)
    assert not called.repeated
    assert vendor_row(db, vendor)["is_active"] is False
    assert (row.tool, row.before, row.after) == ("set_is_active", {"is_active": True}, {"is_active": False})
    assert row.arguments == {"vendor_id": str(vendor), "is_active": False}
    assert (row.decided_by, row.rationale, row.actor) == (DANA, "she said so", "worker:intake")
    assert ledger.listed(db, workspace) == [row]
    assert ledger.listed(db, uuid4()) == []


def test_a_second_call_with_the_key_returns_the_first_and_does_nothing(db: Conn, workspace: UUID, vendor: UUID) -> None:
    first = off(db, workspace, vendor)
    db.execute("UPDATE directory_vendors SET is_active = true")

    assert off(db, workspace, vendor) == ledger.Called(first.call_id, repeated=True)
    assert vendor_row(db, vendor)["is_active"] is True


def test_the_key_of_another_call_is_refused(db: Conn, workspace: UUID, vendor: UUID) -> None:
    off(db, workspace, vendor)

    with pytest.raises(ledger.KeyTaken, match="set_is_active"):
        ledger.call(db, workspace, SET_ACTIVE, {"vendor_id": vendor, "is_active": True}, by_dana("k"))
    with pytest.raises(ledger.KeyTaken):
        ledger.call(db, workspace, SET_RATE, {"vendor_id": vendor, "rate": "$1"}, by_dana("k"))
    assert vendor_row(db, vendor) == {"is_active": False, "rate": None}


def wait_until_blocked(db: Conn) -> None:
    while not db.execute("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                         " AND datname = current_database()").fetchone():
        pass


@pytest.mark.parametrize("first_commits", [True, False])
def test_of_two_racing_calls_with_one_key_one_acts(
    db: Conn, second: Conn, database_url: str, workspace: UUID, vendor: UUID, first_commits: bool) -> None:
    with psycopg.connect(database_url, autocommit=True) as watch, ThreadPoolExecutor() as pool:
        with db.transaction(force_rollback=not first_commits):
            first = off(db, workspace, vendor)
            racing = pool.submit(off, second, workspace, vendor)
            wait_until_blocked(watch)  # type: ignore[arg-type]  # rows are only counted
        assert racing.result(10).repeated is first_commits

    calls = ledger.listed(db, workspace)
    assert len(calls) == 1
    assert (calls[0].id == first.call_id) is first_commits
    assert calls[0].before == {"is_active": True}


def test_who_may_not_decide_it_cannot_call_it(db: Conn, workspace: UUID, vendor: UUID) -> None:
    with pytest.raises(ledger.TooLittleTrust, match=r"'contact'.*'staff'"):
        ledger.call(db, workspace, SET_ACTIVE, {"vendor_id": vendor, "is_active": False}, by_dana("k", "contact"))
    assert ledger.listed(db, workspace) == []


@pytest.mark.parametrize("arguments", [
    {}, {"vendor_id": "x", "is_active": True}, {"vendor_id": uuid4(), "is_active": "maybe"}])
def test_arguments_that_the_tool_does_not_take_are_refused_by_field(db: Conn, workspace: UUID, arguments: Any) -> None:
    with pytest.raises(ledger.BadArguments, match=r"set_is_active\.(vendor_id|is_active) is"):
        ledger.call(db, workspace, SET_ACTIVE, arguments, by_dana("k"))


def test_arguments_that_cannot_be_stored_are_refused(db: Conn, workspace: UUID, vendor: UUID) -> None:
    with pytest.raises(BadValue, match=r"set_rate\.rate is .*the character U\+0000"):
        ledger.call(db, workspace, SET_RATE, {"vendor_id": vendor, "rate": "\0"}, by_dana("k"))


def test_a_tool_that_names_its_workspace_acts_in_no_other(db: Conn, workspace: UUID) -> None:
    class There(SetRate):
        workspace_id: UUID

    tool = ledger.Tool(**{**vars(SET_RATE), "arguments": There})
    with pytest.raises(ledger.BadArguments, match="workspace_id"):
        ledger.call(db, workspace, tool, {"workspace_id": uuid4(), "vendor_id": uuid4(), "rate": ""}, by_dana("k"))


@pytest.mark.parametrize("bad", [
    {"decided_by": "somebody"}, {"decided_by": "person:"}, {"key": ""}, {"confidence": 1.5},
    {"rationale": "\0"}])
def test_nobody_is_no_authority(bad: Any) -> None:
    with pytest.raises(BadValue):
        Authority(**{"key": "k", "job_id": None, "decided_by": DANA, "trust": "staff", "rationale": "", **bad})


def test_a_tool_that_fails_leaves_no_row_and_a_usable_transaction(db: Conn, workspace: UUID, vendor: UUID) -> None:
    broken = ledger.Tool(**{**vars(SET_ACTIVE), "act": lambda db, args: db.execute("SELECT 1/0")})
    with db.transaction():
        with pytest.raises(psycopg.errors.DivisionByZero):
            ledger.call(db, workspace, broken, {"vendor_id": vendor, "is_active": False}, by_dana("k"))
        off(db, workspace, vendor)
    assert [row.tool for row in ledger.listed(db)] == ["set_is_active"]


def test_undo_puts_back_what_was_and_leaves_a_row_of_its_own(db: Conn, workspace: UUID, vendor: UUID) -> None:
    called = off(db, workspace, vendor)
    by = ledger.undo(db, TOOLS, called.call_id, "operator:lee", "admin", "wrong Bob")

    row = ledger.get(db, by)
    assert vendor_row(db, vendor)["is_active"] is True
    assert (row.undoes, row.before, row.after) == (called.call_id, {"is_active": False}, {"is_active": True})
    assert (row.decided_by, row.rationale) == ("operator:lee", "wrong Bob")
    assert ledger.undone_by(db, called.call_id) == row


def test_undo_is_refused_when_a_later_call_changed_the_field_and_names_that_call(
    db: Conn, workspace: UUID, vendor: UUID) -> None:
    def rate(key: str, value: str) -> UUID:
        return ledger.call(db, workspace, SET_RATE, {"vendor_id": vendor, "rate": value}, by_dana(key)).call_id

    first, later = rate("1", "$90"), rate("2", "$95")
    ledger.call(db, workspace, SET_RATE, {"vendor_id": a_vendor(db, workspace), "rate": "$1"}, by_dana("3"))
    with pytest.raises(ledger.Drifted, match=f"rate was left as '\\$90' and is now '\\$95'.*{later}") as refusal:
        ledger.undo(db, TOOLS, first, DANA, "staff")

    assert refusal.value.difference == {"rate": ("$90", "$95")}
    assert vendor_row(db, vendor)["rate"] == "$95"
    ledger.undo(db, TOOLS, later, DANA, "staff")
    ledger.undo(db, TOOLS, first, DANA, "staff")
    assert vendor_row(db, vendor)["rate"] is None


def test_undo_is_refused_when_the_field_changed_without_a_call(db: Conn, workspace: UUID, vendor: UUID) -> None:
    called = off(db, workspace, vendor)
    db.execute("UPDATE directory_vendors SET is_active = true")
    with pytest.raises(ledger.Drifted, match=r"is_active was left as False and is now True$"):
        ledger.undo(db, TOOLS, called.call_id, DANA, "staff")


def test_other_fields_may_change_before_an_undo_and_stay_changed(db: Conn, workspace: UUID, vendor: UUID) -> None:
    called = off(db, workspace, vendor)
    db.execute("UPDATE directory_vendors SET rate = '$80'")
    ledger.undo(db, TOOLS, called.call_id, DANA, "staff")
    assert vendor_row(db, vendor) == {"is_active": True, "rate": "$80"}


def test_a_call_is_undone_once_also_when_two_try(db: Conn, second: Conn, database_url: str, workspace: UUID,
                                                 vendor: UUID) -> None:
    called = off(db, workspace, vendor).call_id
    with psycopg.connect(database_url, autocommit=True) as watch, ThreadPoolExecutor() as pool:
        with db.transaction():
            by = ledger.undo(db, TOOLS, called, DANA, "staff")
            racing = pool.submit(ledger.undo, second, TOOLS, called, DANA, "staff")
            wait_until_blocked(watch)  # type: ignore[arg-type]
        with pytest.raises(ledger.AlreadyUndone, match=str(by)):
            racing.result(10)
    with pytest.raises(ledger.CannotUndo, match="an undo itself"):
        ledger.undo(db, TOOLS, by, DANA, "staff")


def test_what_cannot_or_may_not_be_undone_says_so(db: Conn, workspace: UUID, vendor: UUID) -> None:
    called = off(db, workspace, vendor).call_id
    one_way = {"set_is_active": ledger.Tool(**{**vars(SET_ACTIVE), "undo": None})}
    with pytest.raises(ledger.CannotUndo, match="no way back"):
        ledger.undo(db, one_way, called, DANA, "staff")
    with pytest.raises(ledger.CannotUndo, match="no tool 'set_is_active'"):
        ledger.undo(db, {}, called, DANA, "staff")
    with pytest.raises(ledger.TooLittleTrust):
        ledger.undo(db, TOOLS, called, DANA, "contact")
    with pytest.raises(ledger.NoSuchCall):
        ledger.undo(db, TOOLS, uuid4(), DANA, "staff")
    assert vendor_row(db, vendor)["is_active"] is False


def test_the_ledger_is_neither_edited_nor_deleted(db: Conn, workspace: UUID, vendor: UUID) -> None:
    off(db, workspace, vendor)
    for attack in ("UPDATE ledger_calls SET trust = 'admin'", "DELETE FROM ledger_calls", "TRUNCATE ledger_calls"):
        with pytest.raises(psycopg.Error, match="append"):
            db.execute(attack.encode())


steps = st.lists(st.one_of(
    st.tuples(st.just("is_active"), st.booleans()), st.tuples(st.just("rate"), st.sampled_from(["$80", "$95", None])),
    st.tuples(st.just("undo"), st.integers(0, 9))), max_size=12)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_folding_the_ledger_gives_the_row_forwards_and_backwards(db: Conn, workspace: UUID, steps: Any) -> None:
    vendor = a_vendor(db, workspace)
    began = vendor_row(db, vendor)
    made: list[UUID] = []
    for what, value in steps:
        if what != "undo":
            args = {"vendor_id": vendor, what: value}
            made.append(ledger.call(db, workspace, TOOLS[f"set_{what}"], args, by_dana(str(uuid4()))).call_id)
        elif value < len(made):
            try:
                made.append(ledger.undo(db, TOOLS, made[value], DANA, "staff"))
            except (ledger.Drifted, ledger.AlreadyUndone, ledger.CannotUndo):
                continue

    history = [ledger.get(db, call_id) for call_id in made]
    forwards, backwards = dict(began), vendor_row(db, vendor)
    for call in history:
        assert {field: forwards[field] for field in call.before} == call.before
        forwards.update(call.after)
    for call in reversed(history):
        backwards.update(call.before)
    assert (forwards, backwards) == (vendor_row(db, vendor), began)
