"""Conversations: `sayso chat CHAT`, `sayso chat send CHAT TEXT`, `sayso chat show CHAT`."""

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import click
import psycopg
from rapidfuzz import process

import directory
import jobs
from channels import inbound
from jobs.db import Conn
from runtime import wiring
from runtime.commands.output import json_option, show
from runtime.commands.system import data_option
from runtime.errors import UnreachableError
from runtime.screen import Screen

ANSWER_SECONDS = 15  # how long a pipe waits for an answer before it says that nobody seems to listen


@dataclass(frozen=True)
class Place:
    """A chat, and who writes in it."""

    workspace_id: UUID
    chat_guid: str
    manager: directory.Person


class Chats(click.Group):
    """`sayso chat CHAT` is `sayso chat talk CHAT`: any first word that is no command here is a chat."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not args[0].startswith("-"):
            args = ["talk", *args]
        return super().resolve_command(ctx, args)


@click.group(cls=Chats, subcommand_metavar="CHAT | send CHAT TEXT | show CHAT")
def chat() -> None:
    """Write and read as the manager: sayso chat CHAT. Ctrl-D or /quit leaves."""


@chat.command(hidden=True)
@click.argument("chat_guid", metavar="CHAT")
@data_option
def talk(chat_guid: str, data: Path | None) -> None:
    """Talk in a chat as its manager: what Sayso writes appears as it comes. Ctrl-D or /quit leaves."""
    wired = wiring.wire(data)
    with wired.connect() as db:
        place = find(db, chat_guid)
        Conversation(wired, place, Screen()).run(db)


@chat.command()
@click.argument("chat_guid", metavar="CHAT")
@click.argument("text")
@click.option("--id", "provider_id", help="Your own id of this message: sent twice with the same id, it is heard once.")
@data_option
@json_option
def send(chat_guid: str, text: str, provider_id: str | None, data: Path | None, as_json: bool) -> None:
    """Write one message as the manager of a chat."""
    with wiring.wire(data).connect() as db:
        received = write(db, find(db, chat_guid), text, provider_id)
    if as_json:
        show(asdict(received), as_json)
    else:
        click.echo("It was there already." if received.repeated else "Sent.")


@chat.command(name="show")
@click.argument("chat_guid", metavar="CHAT")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="The latest lines.")
@data_option
@json_option
def show_thread(chat_guid: str, limit: int, data: Path | None, as_json: bool) -> None:
    """What was written in a chat, oldest first."""
    with wiring.wire(data).connect() as db:
        place = find(db, chat_guid)
        lines = inbound.thread(db, place.workspace_id, place.chat_guid, limit)
    if as_json:
        show([asdict(line) for line in lines], as_json)
    else:
        for line in lines:
            click.echo(as_text(line, place))


def find(db: Conn, chat_guid: str) -> Place:
    """The chat of that name. Raises jobs.NotFound, which names the ones that come close."""
    names = {row["chat_guid"]: row["workspace_id"] for row in db.execute("SELECT workspace_id, chat_guid FROM chats")}
    if chat_guid not in names:
        close = [name for name, _, _ in process.extract(chat_guid, list(names), limit=3, score_cutoff=50)]
        known = f"Did you mean {' or '.join(close)}?" if close else "See the chats with: sayso workspace list"
        raise jobs.NotFound(f"there is no chat {chat_guid!r}", known, field="chat_guid", value=chat_guid)
    return Place(names[chat_guid], chat_guid, directory.manager_in(db, names[chat_guid], chat_guid))


def write(db: Conn, place: Place, text: str, provider_id: str | None = None) -> inbound.Received:
    """Store a message of the chat's manager, in a transaction of its own. Raises what inbound.receive raises."""
    with db.transaction():
        return inbound.receive(
            db, workspace_id=place.workspace_id, chat_guid=place.chat_guid, person_id=place.manager.id,
            channel="terminal", provider_id=provider_id or str(uuid4()), body=text, sent_at=jobs.now(db))


def as_text(line: inbound.Line, place: Place) -> str:
    """One message as a person reads it: when, who, what; further lines stand under the first."""
    who = "Sayso" if line.author == "sayso" else place.manager.name.split()[0]
    head = f"{line.at.astimezone():%a %H:%M}  {who:<8} "
    return head + f"\n{' ' * len(head)}".join(line.body.splitlines())


class Conversation:
    """One sitting in one chat."""

    def __init__(self, wired: wiring.Wiring, place: Place, screen: Screen) -> None:
        self._wired, self._place, self._screen = wired, place, screen
        self._seen: set[UUID] = set()
        self._lock = threading.Lock()
        self._over = threading.Event()

    def run(self, db: Conn) -> None:
        """Until the person leaves. `db` is used in this thread alone; the listener has a connection of its own."""
        place = self._place
        db.execute("LISTEN sayso")
        self._screen.say(f"You are {place.manager.name}, in {place.chat_guid}. Ctrl-D or /quit leaves.", dim=True)
        self.catch_up(db)
        listener = threading.Thread(target=self._listen, daemon=True)
        listener.start()
        try:
            for text in self._typed():
                self._send(db, text)
        except KeyboardInterrupt:
            self._screen.say()
        finally:
            self._over.set()
            listener.join(3)
        self.catch_up(db)

    def catch_up(self, db: Conn) -> None:
        """Print what is new in the chat."""
        with self._lock:
            for line in inbound.thread(db, self._place.workspace_id, self._place.chat_guid, 50):
                if line.id not in self._seen:
                    self._seen.add(line.id)
                    self._screen.say(as_text(line, self._place))

    def _typed(self) -> Iterator[str]:
        while (text := self._screen.hear(f"{self._place.manager.name.split()[0]}> ")) is not None:
            if text.strip() == "/quit":
                return
            if text.strip():
                yield text

    def _send(self, db: Conn, text: str) -> None:
        try:
            with self._lock:
                received = write(db, self._place, text)
                self._seen.add(received.id)
        except jobs.Refused as refusal:
            self._screen.say(f"{refusal} {refusal.next_step}")
            return
        if not self._screen.is_live:
            self._wait_for_answer(db, received)

    def _wait_for_answer(self, db: Conn, received: inbound.Received) -> None:
        """In a pipe the next line is not sent before this one is answered."""
        until = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < until:
            if is_answered(db, self._place, received.id):
                self.catch_up(db)
                return
            for _ in db.notifies(timeout=0.5, stop_after=1):
                pass
        self._screen.say("No answer yet. Is everything running? See: sayso status")

    def _listen(self) -> None:
        while not self._over.is_set():
            try:
                with self._wired.connect() as db:
                    db.execute("LISTEN sayso")
                    while not self._over.is_set():
                        self.catch_up(db)
                        for _ in db.notifies(timeout=1.0, stop_after=1):
                            pass
            except (psycopg.OperationalError, UnreachableError):
                self._screen.say("The database does not answer; trying again.", dim=True)
                self._over.wait(2)


def is_answered(db: Conn, place: Place, inbound_id: UUID) -> bool:
    """Whether the message was read, and all that was planned for the chat has left."""
    row: Any = db.execute(
        """SELECT EXISTS (SELECT FROM conductor_readings WHERE inbound_id = %s)
              AND NOT EXISTS (SELECT FROM channel_messages WHERE workspace_id = %s AND chat_guid = %s
                                                             AND status IN ('planned', 'submitting')) AS answered""",
        (inbound_id, place.workspace_id, place.chat_guid)).fetchone()
    return bool(row["answered"])


GROUPS: Sequence[click.Command] = (chat,)
