"""`sayso pause` and `sayso resume` say what is paused and what waits."""

import json
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest
from click.testing import CliRunner
from psycopg.conninfo import conninfo_to_dict

from channels import pauses
from jobs.db import Conn
from runtime.command import sayso


@pytest.fixture(autouse=True)
def address(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", f"postgresql://?{urlencode(conninfo_to_dict(database_url))}")


def run(*words: str) -> Any:
    ran = CliRunner().invoke(sayso, [*words, "--json"])
    assert ran.exit_code == 0, ran.output
    return json.loads(ran.stdout)


def test_a_pause_says_who_paused_what_and_what_waits_by_purpose(db: Conn, workspace: UUID) -> None:
    db.execute("INSERT INTO channel_messages"
               " (workspace_id, idempotency_key, purpose, chat_guid, channel, address, body)"
               " VALUES (%s, 'k', 'notice', 'pm', 'terminal', 'pm', 'hello')", (workspace,))
    report = run("pause", "--workspace", "Test", "--reason", "wrong numbers")
    (paused,) = report["paused"]
    assert (paused["workspace_id"], paused["reason"]) == (str(workspace), "wrong numbers")
    assert paused["paused_by"].startswith("operator:")
    assert report["waiting"] == [{"purpose": "notice", "status": "planned", "texts": 1}]
    assert pauses.told(db) == f"{workspace} (wrong numbers); 1 texts wait. Let them leave: sayso resume"
    assert len(run("pause")["paused"]) == 2
    assert len(run("resume")["paused"]) == 1
    assert run("resume", "--workspace", str(workspace))["paused"] == []
    assert pauses.told(db) is None


def test_a_workspace_that_does_not_exist_is_refused_by_name(db: Conn) -> None:
    ran = CliRunner().invoke(sayso, ["pause", "--workspace", "Tset"])
    assert ran.exit_code == 1
    assert "Tset" in ran.stderr
