"""What a sheet becomes: rows, once each, and an error by line for what cannot be used."""

from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import directory
from directory import Imported, LineError
from jobs.db import Conn

PROPERTIES = "id,name,address\np1,12 Birch,12 Birch Street\np2,9 Elm,9 Elm Road\n"
UNITS = "id,property,label\nu1,p1,#1\nu4,12 birch,#4\n"
VENDORS = ("id,name,aliases,trades,active,insured_until,rate,phone\n"
           "v1,Osalpa,Osa|Sal,electrical|hvac,yes,2027-03-31,$95/h,555\n")


@pytest.fixture
def home(db: Conn) -> UUID:
    """A workspace with its manager, Dana."""
    return directory.create_workspace(db, name="Home", manager_name="Dana", chat_guid="dana").id


@pytest.fixture
def bring(db: Conn, home: UUID, tmp_path: Path) -> Any:
    def bring(kind: str, text: str | bytes, key: str | None = None, **more: Any) -> Imported:
        file = tmp_path / "sheet.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return directory.import_rows(db, home, kind, file, key, **more)

    return bring


def test_importing_twice_adds_nothing_and_a_changed_cell_changes_its_row(db: Conn, home: UUID, bring: Any) -> None:
    assert bring("properties", PROPERTIES) == Imported(2, 0, 0, ())
    assert bring("properties", PROPERTIES) == Imported(0, 0, 2, ())
    assert bring("properties", PROPERTIES.replace("9 Elm Road", "9 Elm Lane")) == Imported(0, 1, 1, ())
    assert bring("units", UNITS) == Imported(2, 0, 0, ())
    assert bring("units", UNITS) == Imported(0, 0, 2, ())
    assert bring("vendors", VENDORS) == Imported(1, 0, 0, ())
    assert bring("vendors", VENDORS) == Imported(0, 0, 1, ())

    found = directory.unit(db, home, "u4")
    assert (found.name, found.property_address) == ("12 Birch #4", "12 Birch Street")
    osalpa = directory.vendors(db, home)[0]
    assert (osalpa.aliases, osalpa.insured_until, osalpa.rate) == (["Osa", "Sal"], date(2027, 3, 31), "$95/h")
    assert directory.reach(db, home, vendor_id=osalpa.id) == directory.Reach("terminal", "555")


def test_a_column_that_is_not_there_changes_nothing_and_an_empty_cell_clears(db: Conn, home: UUID, bring: Any) -> None:
    bring("vendors", VENDORS)
    assert bring("vendors", "id,name,trades,phone,rate\nv1,Osalpa,electrical|hvac,555,\n") == Imported(0, 1, 0, ())
    osalpa = directory.vendors(db, home)[0]
    assert (osalpa.rate, osalpa.aliases, osalpa.insured_until) == (None, ["Osa", "Sal"], date(2027, 3, 31))


def test_a_channel_is_the_terminal_unless_it_is_said_and_stays_as_it_is_where_it_is_not_in_the_sheet(
        db: Conn, home: UUID, bring: Any) -> None:
    def reached() -> list[tuple[str, str]]:
        rows = db.execute("SELECT channel, address FROM directory_people WHERE role = 'tenant' UNION ALL"
                          " SELECT channel, address FROM directory_vendors").fetchall()
        return [(row["channel"], row["address"]) for row in rows]

    for sheet, found in (("phone\n{},5", "terminal"), ("phone,channel\n{},5,HTTP", "http"), ("phone\n{},5", "http"),
                         ("phone,channel\n{},5,", "terminal")):
        people = bring("people", "id,name," + sheet.format("1,Tess"))
        vendors = bring("vendors", "id,name,trades," + sheet.format("1,Osalpa,hvac"))
        assert people.errors == vendors.errors == ()
        assert reached() == [(found, "5")] * 2
    assert "Did you mean http?" in bring("people", "id,name,phone,channel\n2,Al,5,htpp").errors[0].why


@pytest.mark.parametrize("text", [
    "\ufeffid,name,address\r\np1,12 Birch,12 Birch Street\r\n",
    "id;name;address\np1;12 Birch;12 Birch Street",
    "id\tname\taddress\np1\t12 Birch\t12 Birch Street",
    '"id","name","address"\n"p1","12 Birch","12 Birch Street"\n\n,,\n',
    'ID, Name ,notes,ADDRESS\np1,12 Birch,"a, b; c",12 Birch Street\n',
])
def test_sheets_are_read_however_a_spreadsheet_writes_them(bring: Any, text: str) -> None:
    bring("properties", "id,name,address\np1,12 Birch,12 Birch Street\n")
    assert bring("properties", text) == Imported(0, 0, 1, ())


def test_a_quoted_cell_may_have_line_ends_and_errors_name_the_right_line(db: Conn, home: UUID, bring: Any) -> None:
    done = bring("properties", 'id,name,address\np1,12 Birch,"12 Birch\nSpringfield"\n\np2,,x\n')
    assert (done.added, [(e.line, e.field) for e in done.errors]) == (1, [(5, "name")])
    assert db.execute("SELECT address FROM directory_properties").fetchall() == [{"address": "12 Birch\nSpringfield"}]


def test_the_users_own_headings_and_ids_are_named_not_renamed(db: Conn, home: UUID, bring: Any) -> None:
    sheet = "Vendor No;Company;Does;E-Mail\n7;Osalpa;electrical;o@example.com\n"
    names = {"name": "company", "trades": "Does", "email": "E-Mail"}
    assert bring("vendors", sheet, "Vendor No", names=names) == Imported(1, 0, 0, ())
    assert bring("vendors", sheet, names={**names, "id": "Vendor No"}) == Imported(0, 0, 1, ())
    assert directory.vendors(db, home)[0].external_id == "7"


VENDOR = "id,name,trades,active,insured_until,address\n"


@pytest.mark.parametrize(("kind", "sheet", "field", "value", "why"), [
    ("vendors", VENDOR + "1,Bo,electric,yes,,x", "trades", "electric", "Did you mean electrical?"),
    ("vendors", VENDOR + "1,Bo,juggling,yes,,x", "trades", "juggling", "Use one of plumbing"),
    ("vendors", VENDOR + "1,Bo,,yes,,x", "trades", "", "Use one or more of plumbing"),
    ("vendors", VENDOR + "1,Bo,hvac,perhaps,,x", "active", "perhaps", "Use yes or no"),
    ("vendors", VENDOR + "1,Bo,hvac,yes,31.3.2027,x", "insured_until", "31.3.2027", "YYYY-MM-DD"),
    ("vendors", VENDOR + "1,Bo,hvac,yes,,", "address", "", "address, phone or email"),
    ("vendors", VENDOR + ",Bo,hvac,yes,,x", "id", "", "one line"),
    ("vendors", VENDOR + "1,B\0o,hvac,yes,,x", "name", "B\0o", "visible"),
    ("units", "id,property,label\n1,p\0,#1", "property", "p\0", "visible"),
    ("vendors", VENDOR + "1,Bo,hvac,yes,x", "", "", "5 cells, and the heading 6"),
    ("units", "id,property,label\n1,p9,#1", "property", "p9", "Import the properties first"),
    ("properties", "id,name,address,manager\np1,a,b,Lee", "manager", "Lee", "There is: Dana (dana)"),
    ("people", "id,name,role,phone\n1,Al,boss,5", "role", "boss", "Use one of manager, staff, tenant"),
    ("people", "id,name,role,phone\n1,Al,manager,5", "chat", "", "one line"),
    ("people", "id,name,role,phone\ndana,Al,tenant,5", "role", "tenant", "another id"),
    ("people", "id,name,unit,phone\n1,Al,nowhere 9,5", "unit", "nowhere 9", "Import units"),
    ("people", "id,name,role,unit,phone\n1,Al,staff,u1,5", "unit", "u1", "Leave it empty"),
    ("people", "id,name,chat,phone\n1,Al,dana,5", "chat", "dana", "Leave it empty"),
    ("people", "id,name,role,chat,phone\n1,Al,manager,dana,5", "chat", "dana", "another name"),
])
def test_a_bad_cell_is_an_error_by_line_with_field_value_and_remedy(
    db: Conn, home: UUID, bring: Any, kind: str, sheet: str, field: str, value: str, why: str) -> None:
    before = db.execute("SELECT count(*) AS n FROM directory_people").fetchall()
    done = bring(kind, sheet)
    assert (done.added, [(e.line, e.field, e.value) for e in done.errors]) == (0, [(2, field, value)])
    assert why in done.errors[0].why
    assert db.execute("SELECT count(*) AS n FROM directory_people").fetchall() == before


@pytest.mark.parametrize("inside", [True, False])
def test_good_lines_are_kept_when_others_fail_and_an_id_stands_once(
    db: Conn, home: UUID, bring: Any, inside: bool) -> None:
    sheet = VENDOR + "1,Al,hvac,yes,,x\n2,Bo,nope,yes,,x\n3,Cy,hvac,yes,,x\n1,Di,hvac,yes,,x\n"
    if inside:
        with db.transaction():
            done = bring("vendors", sheet)
    else:
        done = bring("vendors", sheet)
    assert (done.added, [(e.line, e.field) for e in done.errors]) == (2, [(3, "trades"), (5, "id")])
    assert [v.name for v in directory.vendors(db, home)] == ["Al", "Cy"]


def test_a_missing_column_is_an_error_of_the_heading_and_nothing_is_done(bring: Any) -> None:
    done = bring("vendors", "id,company\n1,Bo\n")
    assert [(e.line, e.field) for e in done.errors] == [(1, "name"), (1, "trades"), (1, "address")]
    assert "--map name=HEADING" in done.errors[0].why
    assert bring("units", "").errors[0] == LineError(1, "id", "", done.errors[0].why.replace("name", "id"))


@pytest.mark.parametrize(("sheet", "more", "why"), [
    ("id,name\xff", {}, "not UTF-8"),
    ('id,name,address\np1,"open,x\n', {}, "line 2"),
    ("id,name,name,address\n", {}, "2 times"),
    (PROPERTIES, {"names": {"name": "Title"}}, "no 'Title'"),
    (PROPERTIES, {"names": {"nmae": "name"}}, "no column 'nmae'"),
    (PROPERTIES, {"key": "Key"}, "no 'Key'"),
])
def test_a_file_that_cannot_be_read_at_all_is_refused(bring: Any, sheet: str, more: Any, why: str) -> None:
    with pytest.raises(directory.BadSheet, match=why) as refusal:
        bring("properties", sheet.encode("latin-1"), **more)
    assert refusal.value.next_step


def test_people_live_in_units_and_a_second_manager_brings_a_chat(db: Conn, home: UUID, bring: Any) -> None:
    bring("properties", PROPERTIES)
    bring("units", UNITS)
    sheet = ("id,name,role,unit,chat,address,phone\n1,Tess,tenant,12 Birch #4,,,555\n2,Sam,staff,,,sam@x,\n"
             "3,Max,manager,,max,max,\ndana,Dana Ruiz,manager,,,dana,\n")
    assert bring("people", sheet) == Imported(3, 1, 0, ())
    assert bring("people", sheet) == Imported(0, 0, 4, ())
    bring("properties", "id,name,address,manager\np2,9 Elm,9 Elm Road,max\n")

    tess = directory.tenant_of(db, home, directory.unit(db, home, "u4").id)
    assert tess is not None
    assert (tess.name, tess.address) == ("Tess", "555")
    elm = db.execute("SELECT id FROM directory_properties WHERE external_id = 'p2'").fetchone()
    assert elm is not None
    assert directory.manager_of(db, home, elm["id"]) == directory.manager_in(db, home, "max")
    assert bring("properties", "id,name,address\np3,1 Oak,1 Oak\n").errors[0].why.startswith("several managers fit")


def test_a_sheet_does_not_take_back_a_wish_not_to_be_written_to(db: Conn, home: UUID, bring: Any) -> None:
    sheet = "id,name,phone\n1,Tess,555\n"
    bring("people", sheet)
    db.execute("UPDATE directory_people SET opted_out_at = app_now() WHERE name = 'Tess'")
    assert bring("people", sheet.replace("555", "777")) == Imported(0, 1, 0, ())
    tess = db.execute("SELECT id FROM directory_people WHERE name = 'Tess'").fetchone()
    assert tess is not None
    assert isinstance(directory.reach(db, home, person_id=tess["id"]), directory.Unreachable)


def test_progress_is_told_line_by_line(bring: Any) -> None:
    told: list[tuple[int, int]] = []
    bring("properties", PROPERTIES, seen=lambda done, of: told.append((done, of)))
    assert told == [(1, 2), (2, 2)]
