"""The commands that start, stop and look: what they print, and how they end."""

import json
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from runtime import config
from runtime.command import COMMANDS, sayso


@pytest.fixture(autouse=True)
def nothing_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("SAYSO_DATA", str(tmp_path / "data"))


def run(*words: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(sayso, words, input=answer)


def below(command: click.Command) -> list[click.Command]:
    """The commands that do something: itself, or those in it."""
    if isinstance(command, click.Group):
        return [found for inner in command.commands.values() for found in below(inner)]
    return [command]


@pytest.mark.parametrize("name", [entry.name for entry in COMMANDS])
def test_every_command_has_help_and_prints_json_unless_it_is_a_conversation(name: str) -> None:
    command = sayso.get_command(click.Context(sayso), name)
    assert command
    for each in below(command):
        assert each.help, each.name
        assert each.name in ("demo", "talk") or any("--json" in parameter.opts for parameter in each.params), each.name


def test_the_list_of_commands_is_printed_in_their_order() -> None:
    listed = re.findall(r"^  ([a-z]+)  ", run("--help").output, re.MULTILINE)
    assert listed == [entry.name for entry in COMMANDS]


def test_a_refusal_is_one_line_with_the_next_step_and_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "http://wrong")
    refused = run("status")
    assert refused.exit_code == 1
    assert refused.stderr.splitlines() == ["error: REDIS_URL begins with 'http'",
                                           "It must begin with redis:// or rediss:// or redis+socket://"]
    assert json.loads(run("status", "--json").stderr) == {
        "error": "REDIS_URL begins with 'http'", "next": "It must begin with redis:// or rediss:// or redis+socket://"}


def test_status_when_nothing_runs_says_so_and_ends_with_1() -> None:
    status = run("status", "--json")
    assert status.exit_code == 1
    said = json.loads(status.stdout)
    assert (said["running"], said["database_url"], said["broker_url"], said["page_url"]) == (False, None, None, None)
    assert said["processes"] == said["health"] == []


def test_down_when_nothing_runs_is_no_error() -> None:
    assert run("down").exit_code == 0
    assert json.loads(run("down", "--json").stdout)["was_running"] is False


def test_reset_asks_and_deletes_what_is_ours_and_nothing_else(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "logs").mkdir(parents=True)
    (data / "mine.txt").write_text("kept")
    assert run("reset", answer="n\n").exit_code == 1
    assert (data / "logs").exists()
    assert run("reset", "--yes").exit_code == 0
    assert [path.name for path in data.iterdir()] == ["mine.txt"]


def test_config_check_prints_what_would_run() -> None:
    checked = json.loads(run("config", "check", "--json").stdout)
    assert checked["file"] == str(config.FILE)
    assert {process["process"] for process in checked["processes"]} == set(config.load().processes)
