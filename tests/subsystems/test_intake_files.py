"""Requests from files."""

import json
from pathlib import Path
from typing import Any

import pytest

import directory
from subsystems import intake
from tests.subsystems.office import SPARKS, Office

REQUESTS = Path(__file__).parents[2] / "demo" / "requests.jsonl"
LABELS = {
    "trade": "plumbing",
    "urgency": "low",
    "secondary_trades": ["hvac"],
    "flags": ["cosmetic"],
    "lang": "xx",
    "notes": "no",
}
TASK = {
    "Id": 77,
    "Title": "Outlet",
    "Description": "it sparks",
    "Category": {"Id": 3, "Name": "Electrical", "SubCategory": None},
    "Property": {"Id": 1, "Type": "Rental"},
    "UnitId": 4411,
    "TaskStatus": "New",
    "Priority": "Normal",
    "RequestedByUserEntity": {"Type": "Tenant", "Id": 9001, "FirstName": "Maya"},
    "CreatedDateTime": "2026-11-30T14:05:00Z",
    "IsEntryPermittedByResident": None,
}


def write(folder: Path, *entries: Any, name: str = "requests.jsonl") -> Path:
    file = folder / name
    file.write_text("\n".join(entry if isinstance(entry, str) else json.dumps(entry) for entry in entries))
    return file


def stored(office: Office) -> list[tuple[Any, ...]]:
    """All that came of a file, without ids and times."""
    return [
        (
            r["origin"],
            r["external_id"],
            r["unit_id"],
            r["tenant_id"],
            r["words"],
            r["category"],
            r["trade"],
            r["urgency"],
            r["status"],
            r["kind"],
            r["ask"],
            r["priority"],
        )
        for r in office.rows(
            "SELECT o.*, j.kind, j.ask, j.priority FROM intake_orders o"
            " JOIN jobs j ON j.dedupe_key = 'order:' || o.id ORDER BY o.external_id"
        )
    ]


def test_requests_one_a_line_become_orders_and_twice_adds_nothing(office: Office, tmp_path: Path) -> None:
    file = write(
        tmp_path,
        {"id": "a", "text": SPARKS, "unit": "12 Birch #4"},
        "",
        {"id": 7, "text": "no hot water", "tenant": "Maya"},
    )
    seen: list[tuple[int, int]] = []
    first = intake.import_file(office.db, office.ws, file, lambda *at: seen.append(at))
    assert (first.added, first.repeated, first.errors) == (2, 0, ())
    assert seen == [(1, 2), (2, 2)]
    again = intake.import_file(office.db, office.ws, file)
    assert (again.added, again.repeated) == (0, 2)
    assert [row[:4] for row in stored(office)] == [
        ("file", "7", office.unit, office.maya),
        ("file", "a", office.unit, office.maya),
    ]


def test_labels_are_never_read_changing_all_of_them_changes_no_row(office: Office, tmp_path: Path) -> None:
    requests = [json.loads(line) for line in REQUESTS.read_text("utf-8").splitlines()[:40]]
    for request in requests:
        request["unit"] = "b4"
    intake.import_file(office.db, office.ws, write(tmp_path, *requests))
    before = stored(office)
    assert len(before) == 40
    with office.db.transaction():
        other = directory.create_workspace(
            office.db, name="Other", manager_name="Dana", chat_guid="other", hold_seconds=5
        )
    office.rows(
        "INSERT INTO directory_properties (workspace_id, id, external_id, name, address, manager_id)"
        " SELECT %s, id, external_id, name, address, (SELECT id FROM directory_people WHERE chat_guid = 'other')"
        "   FROM directory_properties RETURNING id",
        other.id,
    )
    for table, columns in (
        ("units", "external_id, property_id, label"),
        ("people", "external_id, name, role, address, unit_id"),
        ("vendors", "external_id, name, aliases, trades, is_active, insured_until, rate, address"),
    ):
        office.rows(
            f"INSERT INTO directory_{table} (workspace_id, id, {columns}) SELECT %s, id, {columns}"
            f" FROM directory_{table} WHERE external_id NOT IN ('pm', 'other') RETURNING id",
            other.id,
        )
    intake.import_file(office.db, other.id, write(tmp_path, *({**request, **LABELS} for request in requests)))
    both = stored(office)
    assert both[0::2] == both[1::2]
    assert both[0::2] == before


def test_buildiums_resident_requests_are_read_by_their_fields(office: Office, tmp_path: Path) -> None:
    office.rows("UPDATE directory_units SET external_id = '4411' WHERE external_id = 'b4' RETURNING id")
    office.rows("UPDATE directory_people SET external_id = '9001' WHERE external_id = 'maya' RETURNING id")
    over = {**TASK, "Id": 78, "TaskStatus": "Completed"}
    by_owner = {**TASK, "Id": 79, "RequestedByUserEntity": {"Type": "RentalOwner", "Id": 5}}
    for name, whole in (
        ("list.json", [TASK, over, by_owner]),
        ("page.json", {"errors": [], "data": [TASK, over, by_owner]}),
    ):
        file = tmp_path / name
        file.write_text(json.dumps(whole, indent=1))
        done = intake.import_file(office.db, office.ws, file)
        assert (done.added + done.repeated, done.over, done.errors) == (2, 1, ())
    assert [row[:8] for row in stored(office)] == [
        (
            "buildium",
            external_id,
            office.unit,
            office.maya,
            "Outlet\nit sparks",
            "Electrical",
            "electrical",
            "emergency",
        )
        for external_id in ("77", "79")
    ]
    assert str(office.rows("SELECT received_at FROM intake_orders")[0]["received_at"]).startswith("2026-11-30 14:05")


def test_bad_lines_are_reported_by_line_and_field_and_the_good_ones_are_kept(office: Office, tmp_path: Path) -> None:
    done = intake.import_file(
        office.db,
        office.ws,
        write(
            tmp_path,
            {"id": "1", "text": SPARKS},
            "{not json",
            {"id": "3"},
            {"id": "4", "text": ""},
            {"id": "5", "text": "a\0b"},
            {"id": "6", "text": "drip", "unit": "nowhere 9"},
            {"id": "7", "text": "drip", "unit": "a\0"},
            {"id": "8", "text": "drip", "tenant": "Nobody"},
            '{"id": "9", "text": "\\ud800"}',
            ["a", "list"],
            5,
            "[" * 100_000,
            {"id": "13", "text": "sink drips", "unit": "b4"},
        ),
    )
    assert done.added == 2
    assert [(e.line, e.field) for e in done.errors] == [
        (2, ""),
        (3, "text"),
        (4, "words"),
        (5, "words"),
        (6, "unit"),
        (7, "unit"),
        (8, "tenant"),
        (9, "words"),
        (10, ""),
        (11, ""),
        (12, ""),
    ]
    assert all(error.why for error in done.errors)
    assert [row["external_id"] for row in office.rows("SELECT external_id FROM intake_orders ORDER BY 1")] == [
        "1",
        "13",
    ]


def test_a_bad_byte_costs_its_own_line_and_not_the_file(office: Office, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    lines = (b'{"id": "1", "text": "drips"}', b'{"id": "2", "text": "drips \xff"}', b'{"id": "3", "text": "drips"}')
    file.write_bytes(b"\n".join(lines))
    done = intake.import_file(office.db, office.ws, file)
    assert (done.added, [(error.line, error.field) for error in done.errors]) == (2, [(2, "words")])


def test_a_file_that_is_no_requests_is_refused_by_name(office: Office, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(b'{"a": 1}')
    with pytest.raises(intake.BadFile, match=r"x\.json"):
        intake.import_file(office.db, office.ws, file)
    with pytest.raises(intake.BadFile):
        intake.import_file(office.db, office.ws, tmp_path / "missing.json")


def test_without_a_unit_the_manager_is_asked_but_in_the_demo_the_id_picks_one(office: Office, tmp_path: Path) -> None:
    requests = [{"id": f"r{n}", "text": SPARKS} for n in range(8)]
    intake.import_file(office.db, office.ws, write(tmp_path, *requests[:4]))
    assert {(row[2], row[9]) for row in stored(office)} == {(None, "clarify_wo")}
    office.rows("UPDATE directory_workspaces SET is_demo = true RETURNING id")
    intake.import_file(office.db, office.ws, write(tmp_path, *requests))
    picked = {row[1]: row[2] for row in stored(office)}
    assert {picked[f"r{n}"] for n in range(4, 8)} == {office.unit, office.vacant}
