"""The commands that start, stop and look: what they print, and how they end."""

import errno
import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import click
import psycopg
import pytest
from click.testing import CliRunner, Result

from runtime import config, running, wiring
from runtime.command import COMMANDS, sayso
from runtime.commands.system import not_ready
from runtime.folder import claim


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
        assert each is command or each.hidden or "..." not in each.get_short_help_str(64), f"{each.name}: is cut"
        assert not [option.name for option in each.params
                    if isinstance(option, click.Option) and not option.help], f"{each.name}: options without a word"
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
    claim(data)
    (data / "logs").mkdir()
    (data / "mine.txt").write_text("kept")
    assert run("reset", answer="n\n").exit_code == 1
    assert (data / "logs").exists()
    assert run("reset", "--yes").exit_code == 0
    assert [path.name for path in data.iterdir()] == ["mine.txt"]


def test_reset_deletes_nothing_in_a_folder_that_is_not_of_sayso(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    refused = run("reset", "--yes", "--data", str(tmp_path))
    assert (refused.exit_code, refused.stderr.splitlines()[0]) == (1, f"error: {tmp_path} is no data folder of Sayso")
    assert (tmp_path / "logs").exists()
    assert "nothing was deleted" in run("reset", "--yes", "--data", str(tmp_path / "nowhere")).output


def test_an_empty_data_folder_is_refused_and_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("down", "--data", "").exit_code == 2
    monkeypatch.setenv("SAYSO_DATA", "")
    assert wiring.data_folder() == config.ROOT / ".data"


def test_every_command_that_reads_the_system_takes_a_data_folder() -> None:
    for entry in COMMANDS:
        command = sayso.get_command(click.Context(sayso), entry.name)
        assert command
        for each in below(command):
            assert entry.name == "config" or any("--data" in parameter.opts for parameter in each.params), each.name


def a_run(data: Path, **addresses: str | None) -> None:
    """This process says that it is the folder's supervisor."""
    claim(data)
    me = running.birth(os.getpid())
    assert me
    relay = running.ProcessReport(name="relay", state="starting", restarts=0, birth=None, since=datetime.now(UTC))
    running.write(data, running.Run(
        supervisor=me, page_port=None, ready=True, processes=[relay],
        **{"database_url": None, "broker_url": None, **addresses}))


def test_an_address_other_than_that_of_what_runs_is_refused_with_both_and_no_password(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_run(tmp_path / "data", database_url="postgresql://u:secret@127.0.0.1:1/a")
    monkeypatch.setenv("DATABASE_URL", "postgresql://u:hidden@elsewhere:2/b")
    refused = run("status")
    assert refused.exit_code == 1
    assert "elsewhere:2/b" in refused.stderr
    assert "127.0.0.1:1/a" in refused.stderr
    assert "secret" not in refused.stderr
    assert "hidden" not in refused.stderr


def test_status_is_red_and_says_so_when_the_broker_does_not_answer(tmp_path: Path) -> None:
    a_run(tmp_path / "data", broker_url="redis://:secret@127.0.0.1:1/0")
    status = json.loads(run("status", "--json").stdout)
    assert (status["well"], status["running"]) == (False, True)
    assert "the broker 127.0.0.1:1/0 does not answer" in status["trouble"]


def test_a_start_that_fails_names_each_process_that_is_not_ready_with_its_last_line(tmp_path: Path) -> None:
    a_run(tmp_path / "data")
    (tmp_path / "data" / "logs").mkdir()
    (tmp_path / "data" / "logs" / "relay.out").write_text("first\nno such host\n")
    assert not_ready(tmp_path / "data") == "not everything runs: relay: no such host"


def test_down_by_a_user_who_may_not_stop_it_is_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pid: int, number: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    a_run(tmp_path / "data")
    monkeypatch.setattr(os, "kill", refuse)
    down = run("down")
    assert (down.exit_code, "belongs to another user" in down.stderr) == (1, True)


@pytest.mark.parametrize(("error", "said"), [
    (PermissionError(13, "Permission denied", "/x/run.json"), "Permission denied: /x/run.json"),
    (psycopg.errors.UndefinedTable("no such table\nLINE 1: …"), "the database: no such table"),
    (UnicodeEncodeError("ascii", "é", 0, 1, "no"), "'\\xe9' cannot be printed in ascii"),
])
def test_what_the_machine_refuses_is_two_lines_and_no_traceback(
        error: Exception, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(file: object = None) -> None:
        raise error

    monkeypatch.setattr(config, "load", fail)
    refused = run("config", "check")
    assert (refused.exit_code, refused.stderr.splitlines()[0]) == (1, f"error: {said}")
    assert len(refused.stderr.splitlines()) == 2
    assert json.loads(run("config", "check", "--json").stderr)["error"] == said


def test_whoever_has_heard_enough_is_told_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(file: object = None) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(config, "load", fail)
    refused = run("config", "check")
    assert (refused.exit_code, refused.stderr) == (1, "")


def test_a_wrong_option_beside_json_is_refused_in_json() -> None:
    refused = run("status", "--json", "--nonsense")
    assert refused.exit_code == 2
    assert "--nonsense" in json.loads(refused.stderr)["error"]


def test_config_check_prints_what_would_run() -> None:
    checked = json.loads(run("config", "check", "--json").stdout)
    assert checked["file"] == str(config.FILE)
    assert {process["process"] for process in checked["processes"]} == set(config.load().processes)
