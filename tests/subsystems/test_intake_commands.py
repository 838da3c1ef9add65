"""`sayso intake import` and `sayso tenant send`."""

import json
from pathlib import Path
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import conninfo_to_dict

from runtime.commands.intake import requests, tenant
from tests.subsystems.office import SPARKS, Office


@pytest.fixture(autouse=True)
def here(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", f"postgresql://?{urlencode(conninfo_to_dict(database_url))}")


def send(*words: str) -> Result:
    return CliRunner().invoke(tenant, ["send", *words], catch_exceptions=False)


@pytest.mark.parametrize("unit", ["b4", "12 Birch #4", "birch 4"])
def test_a_tenant_is_found_by_the_unit_and_reports(office: Office, unit: str) -> None:
    told = json.loads(send(unit, SPARKS, "--json").output)
    assert (told["unit"], told["tenant"], told["repeated"]) == ("12 Birch #4", "Maya", False)
    assert office.rows("SELECT tenant_id FROM intake_orders") == [{"tenant_id": office.maya}]


def test_each_send_is_a_report_of_its_own_unless_it_has_an_id(office: Office) -> None:
    for _ in range(2):
        send("b4", SPARKS)
        send("b4", SPARKS, "--id", "x1")
    assert len(office.rows("SELECT FROM intake_orders")) == 3


def test_an_import_prints_what_came_of_it_and_fails_when_a_line_did(office: Office, tmp_path: Path) -> None:
    file = tmp_path / "requests.jsonl"
    file.write_text(json.dumps({"id": "1", "text": SPARKS, "unit": "b4"}) + "\n{}\n")
    done = CliRunner().invoke(requests, ["import", str(file)])
    assert done.exit_code == 1
    assert "line 2, id" in done.stderr
    assert "1 added" in done.stdout
    told = json.loads(CliRunner().invoke(requests, ["import", str(file), "--json"]).stdout)
    assert (told["added"], told["repeated"], told["errors"][0]["line"]) == (0, 1, 2)
