"""What `sayso chat` promises, in a terminal and in a pipe."""

import json
import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from urllib.parse import quote
from uuid import UUID

import psycopg
import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row

import directory
import jobs
from channels import delivery, outbox
from conductor.turn import turn
from jobs.db import Conn
from runtime.commands import chat as chat_module
from runtime.commands.chat import chat
from runtime.config import ROOT

SECONDS = 20


@pytest.fixture
def pm(db: Conn) -> UUID:
    """A workspace with a manager, whose chat is 'pm'."""
    return directory.create_workspace(db, name="Test", manager_name="Dana Ruiz", chat_guid="pm").id


@pytest.fixture
def url(database_url: str) -> str:
    """The test's database as the environment names one."""
    given = conninfo_to_dict(database_url)
    password = f":{quote(str(given['password']))}" if given.get("password") else ""
    return f"postgresql://{given['user']}{password}@{given['host']}:{given['port']}/{given['dbname']}"


def run(url: str, *words: str, typed: str = "") -> Result:
    return CliRunner().invoke(chat, list(words), input=typed, env={"DATABASE_URL": url})


@contextmanager
def a_desk(url: str, workspace_id: UUID) -> Iterator[None]:
    """Turns of the chat, and deliveries, as the processes would do them."""
    over = Event()

    def work() -> None:
        with psycopg.connect(url, autocommit=True, row_factory=dict_row) as db:
            db.execute("LISTEN sayso")
            while not over.is_set():
                turn(db, workspace_id, "pm")
                for row in db.execute("SELECT id FROM channel_messages WHERE status = 'planned'").fetchall():
                    delivery.deliver(db, row["id"])
                for _ in db.notifies(timeout=0.1, stop_after=1):
                    pass

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_message_is_written_as_the_chats_manager(db: Conn, url: str, pm: UUID) -> None:
    assert run(url, "send", "pm", "hello there").exit_code == 0
    query = "SELECT i.body, p.name FROM channel_inbound i JOIN directory_people p ON p.id = i.person_id"
    assert db.execute(query).fetchall() == [{"body": "hello there", "name": "Dana Ruiz"}]


def test_the_same_id_twice_is_heard_once(db: Conn, url: str, pm: UUID) -> None:
    first = json.loads(run(url, "send", "pm", "yes", "--id", "a", "--json").stdout)
    again = json.loads(run(url, "send", "pm", "yes", "--id", "a", "--json").stdout)
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert first["id"] == again["id"]


@pytest.mark.parametrize("words", [("pn",), ("send", "pn", "yes"), ("show", "pn")])
def test_a_chat_that_does_not_exist_is_refused_with_the_one_that_comes_close(
    url: str, pm: UUID, words: tuple[str, ...]
) -> None:
    refusal = run(url, *words).exception
    assert isinstance(refusal, jobs.NotFound)
    assert (refusal.field, refusal.value) == ("chat_guid", "pn")
    assert "pm" in refusal.next_step


@pytest.mark.parametrize("text", ["", "   ", "a\x00b"])
def test_a_text_that_is_none_is_refused_and_nothing_is_stored(db: Conn, url: str, pm: UUID, text: str) -> None:
    assert isinstance(run(url, "send", "pm", text).exception, jobs.Refused)
    assert db.execute("SELECT FROM channel_inbound").fetchall() == []


def test_show_tells_both_sides_in_order(url: str, pm: UUID) -> None:
    with a_desk(url, pm):
        run(url, "pm", typed="my first line\n")
    lines = json.loads(run(url, "show", "pm", "--json").stdout)
    assert [line["author"] for line in lines] == ["person", "sayso"]
    assert set(lines[0]) == {"author", "id", "at", "purpose", "body", "ask_id"}
    shown = run(url, "show", "pm").stdout
    assert shown.index("Dana") < shown.index("my first line") < shown.index("Sayso")


def test_in_a_pipe_each_line_is_answered_before_the_next_is_sent(url: str, pm: UUID) -> None:
    with a_desk(url, pm):
        out = run(url, "pm", typed="first\n\nsecond\n/quit\nnever sent\n").stdout
    assert out.index("Dana> first") < out.index("Sayso") < out.index("Dana> second") < out.rindex("Sayso")
    assert "never sent" not in out


def test_a_pipe_says_so_when_nobody_answers(
    url: str, pm: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_module, "ANSWER_SECONDS", 0)
    assert "No answer yet" in run(url, "pm", typed="hello\n").stdout


def test_in_a_terminal_new_texts_appear_above_what_is_being_typed(db: Conn, url: str, pm: UUID) -> None:
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", "from runtime.commands.chat import chat; chat()", "pm"], cwd=ROOT, stdin=slave,
        stdout=slave, stderr=slave, env={**os.environ, "DATABASE_URL": url, "TERM": "xterm"})
    os.close(slave)
    try:
        until_shown(master, "Dana> ")
        os.write(master, b"half a li")
        until_shown(master, "half a li")
        with db.transaction():
            told = outbox.plan(
                db, workspace_id=pm, key="k", purpose="confirmation", body="Something new.", to=outbox.ToChat("pm"))
        delivery.deliver(db, told)
        assert until_shown(master, "Dana> half a li").count("Something new.") == 1
        os.write(master, b"ne\n")
        os.write(master, b"\x04")
        assert child.wait(SECONDS) == 0
    finally:
        child.kill()
        os.close(master)
    assert [row["body"] for row in db.execute("SELECT body FROM channel_inbound")] == ["half a line"]


def until_shown(terminal: int, text: str) -> str:
    """What the terminal shows, up to and with this text."""
    shown = ""
    while text not in shown:
        assert select.select([terminal], [], [], SECONDS)[0], f"not shown: {text!r}, only {shown!r}"
        shown += os.read(terminal, 4096).decode()
    return shown
