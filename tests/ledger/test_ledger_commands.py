"""`sayso ledger list|show|undo`."""

import json
from urllib.parse import urlencode
from uuid import UUID

import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import conninfo_to_dict

import ledger
from jobs.db import Conn
from runtime.command import sayso
from tests.ledger.a_tool import SET_ACTIVE, SET_RATE, TOOLS, a_vendor, by_dana, vendor_row


@pytest.fixture(autouse=True)
def _wired(monkeypatch: pytest.MonkeyPatch, database_url: str) -> None:
    monkeypatch.setenv("DATABASE_URL", f"postgresql://?{urlencode(conninfo_to_dict(database_url))}")
    monkeypatch.setattr("runtime.registry.TOOLS", TOOLS)


@pytest.fixture
def vendor(db: Conn, workspace: UUID) -> UUID:
    return a_vendor(db, workspace)


@pytest.fixture
def call_id(db: Conn, workspace: UUID, vendor: UUID) -> UUID:
    return ledger.call(db, workspace, SET_ACTIVE, {"vendor_id": vendor, "is_active": False}, by_dana("k")).call_id


def run(*words: object, answer: str = "") -> Result:
    return CliRunner().invoke(sayso, ["ledger", *map(str, words)], input=answer)


def test_list_and_show_say_what_was_done_on_whose_word(call_id: UUID) -> None:
    listed = json.loads(run("list", "--json").stdout)
    assert [row["id"] for row in listed] == [str(call_id)]
    assert run("list", "--workspace", "Test", "--tool", "set_rate").stdout == "none\n"

    shown = json.loads(run("show", call_id, "--json").stdout)
    assert shown["after"] == {"is_active": False}
    assert (shown["decided_by"], shown["undone_by"]) == ("person:dana", None)


def test_undo_asks_first_and_shows_what_it_would_take_back(db: Conn, call_id: UUID, vendor: UUID) -> None:
    refused = run("undo", call_id, answer="n\n")
    assert refused.exit_code == 1
    assert "is_active: true → false" in refused.output
    assert vendor_row(db, vendor)["is_active"] is False

    assert "is_active: false → true" in run("undo", call_id, answer="y\n").stdout
    assert vendor_row(db, vendor)["is_active"] is True


def test_undo_says_in_the_ledger_which_operator_and_why(db: Conn, call_id: UUID) -> None:
    undone = json.loads(run("undo", call_id, "--yes", "--reason", "wrong Bob", "--json").stdout)
    assert undone["undoes"] == str(call_id)
    assert undone["decided_by"].startswith("operator:")
    assert (undone["actor"], undone["rationale"]) == (undone["decided_by"], "wrong Bob")
    assert json.loads(run("show", call_id, "--json").stdout)["undone_by"] == undone["id"]


def test_a_drifted_undo_prints_the_difference_the_later_call_and_what_to_do(
    db: Conn, workspace: UUID, vendor: UUID) -> None:
    first, later = (ledger.call(db, workspace, SET_RATE, {"vendor_id": vendor, "rate": rate}, by_dana(rate)).call_id
                    for rate in ("$90", "$95"))
    result = run("undo", first, "--yes")
    assert result.exit_code == 1
    assert "rate was left as '$90' and is now '$95'" in result.stderr
    assert str(later) in result.stderr
    assert "Undo the later call first" in result.stderr


def test_a_call_that_is_not_there_is_an_error_with_a_next_step(db: Conn, workspace: UUID) -> None:
    result = run("show", workspace, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stderr)["next"] == "See: sayso ledger list"
