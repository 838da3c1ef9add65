"""What `sayso jobs` promises on a command line."""

import json
import threading
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import conninfo_to_dict

import jobs
from jobs.db import Conn
from runtime.command import sayso
from runtime.commands.jobs import Watch

ASK = {"question": "Osalpa?", "draft": "Sending Osalpa?", "answer": {}}
JOB = {"source": "pms_intake", "kind": "confirm_dispatch", "chat_guid": "pm", "dedupe_key": "order:1", "ask": ASK}


class Cli:
    def __init__(self, url: str) -> None:
        self._url = url

    def run(self, *words: str, typed: str = "") -> Result:
        return CliRunner().invoke(sayso, ["jobs", *words], input=typed, env={"DATABASE_URL": self._url})

    def json(self, *words: str, typed: str = "") -> Any:
        result = self.run(*words, "--json", typed=typed)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    def refused(self, *words: str, typed: str = "") -> str:
        """Refused in one line, and with a next step."""
        result = self.run(*words, "--json", typed=typed)
        assert result.exit_code == 1, result.output
        told = json.loads(result.stderr)
        assert told["next"]
        return str(told["error"])


@pytest.fixture
def cli(db: Conn, workspace: UUID, database_url: str) -> Cli:
    jobs.register_kinds(db, [("pms_intake", "confirm_dispatch")])
    given = conninfo_to_dict(database_url)
    password = f":{quote(str(given['password']))}" if given.get("password") else ""
    return Cli(f"postgresql://{given['user']}{password}@{given['host']}:{given['port']}/{given['dbname']}")


def test_a_job_is_enqueued_from_a_file_from_standard_input_and_from_options(cli: Cli, tmp_path: Any) -> None:
    file = tmp_path / "jobs.json"
    file.write_text(json.dumps([JOB, {**JOB, "dedupe_key": "order:2"}]))
    assert [it["outcome"] for it in cli.json("enqueue", str(file))] == ["created", "created"]
    assert [it["outcome"] for it in cli.json("enqueue", "-", typed=json.dumps(JOB))] == ["unchanged"]
    told = cli.json(
        "enqueue",
        "--source",
        "pms_intake",
        "--kind",
        "confirm_dispatch",
        "--chat",
        "pm",
        "--key",
        "order:3",
        "--question",
        "Osalpa?",
        "--not-before",
        "2h",
    )
    assert told["outcome"] == "created"
    listed = cli.json("list")
    assert [it["dedupe_key"] for it in listed] == ["order:3", "order:2", "order:1"]
    assert listed[0]["ask"]["question"] == "Osalpa?"
    assert [it["dedupe_key"] for it in cli.json("list", "--text", "order:2", "--status", "pending")] == ["order:2"]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ('{"a":', "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("\udcff", "not JSON"),
        ("7", "job is 7"),
        ("{}", "chat_guid is None"),
        (json.dumps({**JOB, "kind": "gossip"}), "gossip"),
        (json.dumps({**JOB, "chat_guid": "nowhere"}), "nowhere"),
        (json.dumps({**JOB, "dedupe_key": "a\0"}), "dedupe_key"),
        (json.dumps({**JOB, "colour": "red"}), "job.colour"),
        (json.dumps({**JOB, "not_before": "2026-01-01T00:00:00"}), "time zone"),
        (json.dumps({**JOB, "resume": {"x": "x" * 70_000}}), "resume"),
        (json.dumps({**JOB, "ask": {**ASK, "answer": {"slots": {"verdict": {"type": "text"}}}}}), "verdict"),
    ],
)
def test_input_that_cannot_be_enqueued_is_named_and_nothing_is_done(cli: Cli, db: Conn, typed: str, names: str) -> None:
    good = json.dumps({**JOB, "dedupe_key": "good"})
    both = f"[{good}, {typed}]" if typed.startswith("{") and typed.endswith("}") else typed
    result = CliRunner().invoke(
        sayso, ["jobs", "enqueue", "-"], input=both.encode("utf-8", "surrogateescape"), env={"DATABASE_URL": cli._url}
    )
    assert result.exit_code == 1
    assert names in result.stderr
    assert jobs.find(db) == []


def test_show_and_why_take_a_key_or_the_beginning_of_an_id(cli: Cli) -> None:
    job_id = cli.json("enqueue", "-", typed=json.dumps(JOB))[0]["job_id"]
    shown = cli.json("show", job_id[:13])
    assert (shown["id"], [it["what"] for it in shown["timeline"]]) == (job_id, ["enqueued"])
    assert shown["timeline"][0]["actor"].startswith("operator:")
    assert "enqueued" in cli.run("show", "order:1").output
    assert "waits to be asked" in cli.run("why", "order:1").output
    assert cli.json("why", "order:1")["id"] == job_id
    assert "no job" in cli.refused("show", "order:9")


def test_a_cancel_asks_first_and_is_history(cli: Cli, db: Conn) -> None:
    cli.json("enqueue", "-", typed=json.dumps(JOB))
    assert cli.run("cancel", "order:1", typed="n\n").exit_code == 1
    assert jobs.find(db)[0].status == "pending"
    assert cli.json("cancel", "order:1", "--reason", "closed", "--yes")["status"] == "cancelled"
    assert "cancelled" in cli.refused("cancel", "order:1", "--yes")
    event = db.execute("SELECT actor, reason FROM job_events ORDER BY id DESC LIMIT 1").fetchone()
    assert event is not None
    assert event["actor"].startswith("operator:")
    assert event["reason"] == "closed"


def test_snooze_and_retry_say_what_became_of_it(cli: Cli) -> None:
    cli.json("enqueue", "-", typed=json.dumps(JOB))
    assert cli.json("snooze", "order:1", "2030-01-01T09:00+01:00")["not_before"].startswith("2030-01-01T08:00")
    assert cli.run("snooze", "order:1", "now").exit_code == 0
    assert "WHEN is 'soon'" in cli.refused("snooze", "order:1", "soon")
    assert "time zone" in cli.refused("snooze", "order:1", "2030-01-01T09:00")
    assert cli.json("retry", "order:1")["outcome"] == "nothing to retry"


def test_watch_prints_what_changed_since_it_looked(cli: Cli, db: Conn, capsys: pytest.CaptureFixture[str]) -> None:
    cli.json("enqueue", "-", typed=json.dumps(JOB))
    db.execute("LISTEN sayso")
    watch = Watch(db, None)
    assert [(old, new.status) for old, new in watch.turn()] == [(None, "pending")]
    assert watch.turn() == []
    stop = threading.Event()

    class Watched(Watch):
        def turn(self) -> list[tuple[jobs.Job | None, jobs.Job]]:
            seen = super().turn()
            if seen:
                stop.set()
            return seen

    watched = Watched(db, "pm")
    watched.seen = watch.seen
    cli.json("cancel", "order:1", "--yes")
    watched.run(as_json=False, stop=stop)
    assert "pending → cancelled" in capsys.readouterr().out
