"""How a workspace begins, which one is meant, and the commands that set one up with nothing else."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import conninfo_to_dict

import directory
from jobs.db import Conn
from jobs.errors import BadValue
from runtime.command import sayso


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, database_url: str) -> Any:
    monkeypatch.setenv("DATABASE_URL", f"postgresql://?{urlencode(conninfo_to_dict(database_url))}")

    def run(*words: object) -> Result:
        return CliRunner().invoke(sayso, list(map(str, words)))

    return run


def test_a_workspace_begins_with_a_manager_and_their_chat_and_once(db: Conn) -> None:
    made = directory.create_workspace(db, name="Home", manager_name="Dana", chat_guid="dana", hold_seconds=5)
    again = directory.create_workspace(db, name="Home", manager_name="Lee", chat_guid="lee")

    assert again == made
    dana = directory.manager_in(db, made.id, "dana")
    assert (dana.name, dana.role, dana.address, made.hold_seconds) == ("Dana", "manager", "dana", 5)
    assert directory.person(db, made.id, dana.id) == dana
    with pytest.raises(directory.NoSuch):
        directory.manager_in(db, made.id, "lee")


def test_a_manager_may_be_reached_by_the_bridge(db: Conn, run: Any) -> None:
    made = run("workspace", "init", "Home", "--manager", "Dana", "--channel", "http", "--address", "+1 555")
    assert made.exit_code == 0, made.output
    dana = directory.manager_at(db, "http", "+1 555")
    assert directory.reach(db, dana.workspace_id, person_id=dana.id) == directory.Reach("http", "+1 555")
    with pytest.raises(directory.NoSuch):
        directory.manager_at(db, "terminal", "+1 555")
    assert run("workspace", "init", "Other", "--manager", "Lee", "--channel", "fax").exit_code == 2
    with pytest.raises(directory.BadCell, match="not a known channel"):
        directory.create_workspace(db, name="Other", manager_name="Lee", chat_guid="lee", channel="fax")


def test_an_address_of_two_managers_is_nobodys(db: Conn) -> None:
    for name in ("Home", "Other"):
        directory.create_workspace(db, name=name, manager_name="Dana", chat_guid=name, channel="http", address="+1")
    with pytest.raises(directory.NotOne, match="any of 2") as refusal:
        directory.manager_at(db, "http", "+1")
    assert "import people" in refusal.value.next_step


def test_a_chat_that_another_manager_has_is_refused_and_nothing_is_made(db: Conn) -> None:
    directory.create_workspace(db, name="Home", manager_name="Dana", chat_guid="dana")
    with pytest.raises(directory.ChatTaken, match="workspace Home"):
        directory.create_workspace(db, name="Other", manager_name="Dana", chat_guid="dana")
    assert [row["name"] for row in directory.overview(db)] == ["Home"]


@pytest.mark.parametrize("bad", [{"name": ""}, {"manager_name": "a\nb"}, {"chat_guid": "\0"}, {"hold_seconds": 3601}])
def test_a_bad_value_is_refused_by_field(db: Conn, bad: Any) -> None:
    with pytest.raises(BadValue) as refusal:
        directory.create_workspace(db, **{"name": "Home", "manager_name": "Dana", "chat_guid": "dana", **bad})
    assert refusal.value.field in ("name", "manager", "chat", "hold_seconds")


def test_which_workspace_may_be_left_unsaid_while_there_is_one(db: Conn) -> None:
    with pytest.raises(directory.NoSuch, match=r"there is no workspace$"):
        directory.workspace(db)
    home = directory.create_workspace(db, name="Home", manager_name="Dana", chat_guid="dana")
    assert directory.workspace(db) == directory.workspace(db, "Home") == directory.workspace(db, home.id) == home
    directory.create_workspace(db, name="Other", manager_name="Lee", chat_guid="lee")
    with pytest.raises(directory.NotOne, match="Home, Other"):
        directory.workspace(db)
    with pytest.raises(directory.NoSuch, match="'Third'"):
        directory.workspace(db, "Third")


def test_a_workspace_is_set_up_with_nothing_but_these_commands(db: Conn, run: Any, tmp_path: Path) -> None:
    made = json.loads(run("workspace", "init", "Home", "--manager", "Dana Ruiz", "--hold-seconds", 5, "--json").stdout)
    assert (made["chats"], made["hold_seconds"], made["was_there"]) == (["dana-ruiz"], 5, False)
    sheets = {
        "properties": "id,name,address\np1,12 Birch,12 Birch Street\n",
        "units": "id,property,label\nu4,p1,#4\n",
        "people": "id,name,unit,phone\nt1,Tess,u4,555\n",
        "vendors": "No;Company;trades;email\n7;Osalpa;electrical;o@example.com\n8;Bo;juggling;b@example.com\n",
    }
    for kind, text in sheets.items():
        (tmp_path / kind).write_text(text)
    for kind in ("properties", "units", "people"):
        result = run("import", kind, tmp_path / kind)
        assert (result.exit_code, result.stdout) == (0, f"{kind}: 1 added, 0 changed, 0 same, 0 errors\n")

    words = ("import", "vendors", tmp_path / "vendors", "--key", "No", "--map", "name=Company", "--workspace", "Home")
    result = run(*words)
    assert result.exit_code == 1
    assert "line 3, trades 'juggling': not a known trade. Use one of plumbing" in result.stderr
    assert result.stdout == "vendors: 1 added, 0 changed, 0 same, 1 errors\n"
    again = json.loads(run(*words, "--json").stdout)
    assert (again["added"], again["same"], again["errors"][0]["field"]) == (0, 1, "trades")

    [row] = json.loads(run("workspace", "list", "--json").stdout)
    assert row["managers"] == ["Dana Ruiz"]
    assert [row[what] for what in ("properties", "units", "people", "vendors")] == [1, 1, 1, 1]
    home = directory.workspace(db).id
    birch = directory.unit(db, home, "birch 4")
    assert directory.manager_of(db, home, birch.property_id).chat_guid == "dana-ruiz"
    assert [v.name for v in directory.vendors(db, home)] == ["Osalpa"]


def test_a_second_init_says_what_is_there_and_changes_nothing(run: Any) -> None:
    run("workspace", "init", "Home", "--manager", "Dana")
    result = run("workspace", "init", "Home", "--manager", "Lee", "--hold-seconds", 1)
    assert result.exit_code == 0
    assert "Dana" in result.stdout
    assert "nothing was changed" in result.stdout


@pytest.mark.parametrize(("words", "says"), [
    (("import", "units", "missing.csv"), "cannot be read: No such file"),
    (("import", "units", "missing.csv", "--workspace", "Nowhere"), "there is no workspace 'Nowhere'"),
    (("import", "units", "missing.csv", "--map", "label"), "OURS=THEIRS"),
    (("import", "cats", "missing.csv"), "properties"),
    (("workspace", "init", "", "--manager", "Dana"), "name is ''"),
])
def test_a_command_that_cannot_be_done_says_why_and_exits_with_an_error(run: Any, words: Any, says: str) -> None:
    run("workspace", "init", "Home", "--manager", "Dana")
    result = run(*words)
    assert result.exit_code != 0
    assert says in result.stderr
