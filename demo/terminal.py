"""The demo's terminal: one newcomer writes as the tenant, answers as the manager, and sees what it does to the rows."""

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol
from uuid import UUID, uuid4

import psycopg

import directory
import jobs
import ledger
from channels import inbound
from demo.story import Stands, Story
from jobs.db import Conn, acting, statements
from jobs.errors import SaysoError
from subsystems import intake

sql = statements(Path(__file__).with_suffix(".sql"))

QUIET_SECONDS = 60  # how long a line from a pipe waits until all that the one before it caused has happened
INTO_THE_HOLD = ("stop", "wait", "no wait", "wait no", "hold on", "cancel that")  # lines that are meant to be quick
HELP = """What you type goes to whoever it is for: the answer of {manager}, the manager, while a question is open or a
decision is held; else a request of the tenant, as the prompt says.
  /tenant [UNIT] [TEXT]  be the tenant of another unit, or write as the tenant now ("/tenant 12 Birch #4 my sink drips")
  /pm TEXT               write as the manager now
  /row                   the history of the row that moved last
  /why                   why it is where it is
  /undo                  undo the last dispatch from the ledger
  /help, /quit           (Ctrl-D leaves too, and stops everything)
Try: outlet in kitchen sparks when i plug in the toaster"""


class Screen(Protocol):
    """Where it is shown and typed; see runtime/screen.py."""

    is_live: bool

    def say(self, text: str = "", *, dim: bool = False) -> None: ...

    def hear(self, prompt: str) -> str | None: ...

    def nudge(self) -> None: ...


class Terminal:
    """One sitting. `changed` is what `screen.hear` raises when it was nudged."""

    def __init__(self, connect: Callable[[], Conn], screen: Screen, changed: type[Exception],
                 tools: Mapping[str, ledger.Tool]) -> None:
        self._connect, self._screen, self._changed, self._tools = connect, screen, changed, tools
        self._lock = threading.Lock()  # one thread at a time prints what happened
        self._over = threading.Event()
        self._manager_is_next = self._to_manager = False
        self._commands: dict[str, Callable[[Conn, str], None]] = {
            "/tenant": self._tenant, "/t": self._tenant, "/pm": self._manager, "/row": self._row, "/why": self._why,
            "/undo": self._undo, "/help": lambda db, rest: self._screen.say(HELP.format(manager=self._story.manager))}

    def run(self) -> None:
        """Until the person leaves."""
        with self._connect() as db:
            db.execute("LISTEN sayso")
            self._story = Story.begin(db)
            first_unit = sql.first_unit(db, workspace_id=self._story.workspace_id)
            self._unit = directory.unit(db, self._story.workspace_id, first_unit)
            self._screen.say(f"\n{HELP.format(manager=self._story.manager)}\n", dim=True)
            watcher = threading.Thread(target=self._watch, daemon=True)
            watcher.start()
            try:
                while (line := self._hear(db)) is not None and line != "/quit":
                    if line:
                        self._obey(db, line)
                self._settle(db, "")
            finally:
                self._over.set()
                watcher.join(3)

    @property
    def _prompt(self) -> str:
        manager = self._story.manager.split()[0]
        return f"{manager}, the manager> " if self._to_manager else f"tenant of {self._unit.name}> "

    def _hear(self, db: Conn) -> str | None:
        while self._screen.is_live:
            self._catch_up(db)
            self._to_manager = self._manager_is_next  # as the prompt says, though a question may open meanwhile
            try:
                line = self._screen.hear(self._prompt)
                return line.strip() if line is not None else None
            except self._changed:
                continue
        line = self._screen.hear("")
        if line is not None and line.strip():
            self._settle(db, line)
            self._to_manager = self._manager_is_next
            self._screen.say(f"{self._prompt}{line.strip()}")
        return line.strip() if line is not None else None

    def _obey(self, db: Conn, line: str) -> None:
        word, _, rest = line.partition(" ")
        try:
            if word in self._commands:
                self._commands[word](db, rest.strip())
            elif word.startswith("/"):
                self._screen.say(f"There is no {word}; see /help.")
            elif self._to_manager:
                self._manager(db, line)
            else:
                self._report(db, line)
        except SaysoError as refusal:
            self._screen.say(f"{refusal} {refusal.next_step}")

    # ---------------------------------------------------------------- what the newcomer can do

    def _manager(self, db: Conn, text: str) -> None:
        story = self._story
        with self._lock, db.transaction():
            received = inbound.receive(
                db, workspace_id=story.workspace_id, chat_guid=story.chat_guid, person_id=story.manager_id,
                channel="terminal", provider_id=str(uuid4()), body=text, sent_at=jobs.now(db))
            story.skip(received.id)

    def _tenant(self, db: Conn, rest: str) -> None:
        """A unit, a text, or a unit and then a text: the longest beginning that is a unit is taken for it."""
        words = rest.split(" ")
        for cut in range(len(words), 0, -1):
            try:
                self._unit = directory.unit(db, self._story.workspace_id, " ".join(words[:cut]))
            except SaysoError:
                continue
            rest = " ".join(words[cut:])
            break
        if rest.strip():
            self._report(db, rest.strip())
        else:
            self._screen.say(f"You are now the tenant of {self._unit.name}.", dim=True)

    def _report(self, db: Conn, text: str) -> None:
        unit = self._unit
        with db.transaction(), acting(db, "tenant"):
            tenant = directory.tenant_of(db, self._story.workspace_id, unit.id)
            intake.report(
                db, self._story.workspace_id, origin="tenant", external_id=str(uuid4()), words=text, unit_id=unit.id,
                tenant_id=tenant.id if tenant else None, category=None, received_at=jobs.now(db))

    def _row(self, db: Conn, _: str) -> None:
        job_id = self._latest_job(db)
        for entry in jobs.timeline(db, job_id) if job_id else []:
            at, detail = entry["at"].astimezone(), f" ({entry['detail']})" if entry["detail"] else ""
            self._screen.say(f"  {at:%b %d %H:%M:%S}  {entry['what']}{detail}", dim=True)

    def _why(self, db: Conn, _: str) -> None:
        job_id = self._latest_job(db)
        for sentence in jobs.why(db, job_id, jobs.now(db)) if job_id else ["Nothing has happened yet."]:
            self._screen.say(f"  {sentence}", dim=True)

    def _undo(self, db: Conn, _: str) -> None:
        call_id = sql.latest_dispatch(db, workspace_id=self._story.workspace_id, since=self._story.since)
        if call_id is None:
            self._screen.say("There is no dispatch that could be undone.")
            return
        with db.transaction(), acting(db, f"person:{self._story.manager_id}"):
            ledger.undo(db, self._tools, call_id, f"person:{self._story.manager_id}", "admin")

    def _latest_job(self, db: Conn) -> UUID | None:
        job_id: UUID | None = sql.latest_job(db, workspace_id=self._story.workspace_id, since=self._story.since)
        return job_id

    # ---------------------------------------------------------------- what is shown between the lines

    def _watch(self) -> None:
        while not self._over.is_set():
            try:
                with self._connect() as db:
                    db.execute("LISTEN sayso")
                    while not self._over.is_set():
                        self._catch_up(db)
                        for _ in db.notifies(timeout=0.5, stop_after=1):
                            pass
            except (psycopg.OperationalError, SaysoError):
                self._over.wait(1)

    def _settle(self, db: Conn, next_line: str) -> None:
        """In a pipe: wait until all that the line before caused has happened, and a hold is over."""
        if self._screen.is_live:
            return
        quick = next_line.lower().strip(" .!") in INTO_THE_HOLD
        until = time.monotonic() + QUIET_SECONDS
        while time.monotonic() < until:
            stands = self._catch_up(db)
            if not stands.under_way and (quick or not (stands.held or stands.crossable)):
                return
            for _ in db.notifies(timeout=0.2, stop_after=1):
                pass
        self._screen.say("Something is still under way. See: sayso status")

    def _catch_up(self, db: Conn) -> Stands:
        """Print what is new, and see whose turn it is."""
        with self._lock:
            for line in self._story.news(db):
                self._screen.say(line.text, dim=line.is_event)
            stands = self._story.stands(db)
            before, self._manager_is_next = self._manager_is_next, stands.open or stands.held
        if before != self._manager_is_next:
            self._screen.nudge()
        return stands
