"""`make shown-conversation`: a tenant writes, the manager corrects, one vendor is sent once, and is called back.

Starts everything in a folder of its own and speaks only through the `sayso` command; it looks at rows to see when each
step has happened, prints them between the lines, and exits with 1 when a step does not hold.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from psycopg.rows import dict_row

import jobs
from channels import inbound
from demo.story import Story

ROOT = Path(__file__).resolve().parent.parent.parent
UNIT = "12 Birch #4"
WORDS = "outlet in kitchen sparks when i plug in the toaster"
STEP_SECONDS = 60


class StepFailed(Exception):  # noqa: N818
    """What should have happened did not."""


class Show:
    """One run of the story, in one data folder."""

    def __init__(self, data: Path) -> None:
        without = {"DATABASE_URL", "REDIS_URL"}
        self.pids: list[int] = []
        self._env = {**{k: v for k, v in os.environ.items() if k not in without}, "SAYSO_DATA": str(data)}

    def sayso(self, *words: str) -> str:
        """Run one command, as a person would. Raises StepFailed with what it said."""
        done = subprocess.run([sys.executable, "-m", "runtime.command", *words], cwd=ROOT, env=self._env, text=True,
                              capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=180)
        if done.returncode != 0:
            raise StepFailed(f"sayso {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def rows(self, *words: str) -> Any:
        return json.loads(self.sayso(*words, "--json"))

    def run(self) -> None:
        began = time.monotonic()
        self.sayso("up", "--demo", "--detach")
        print(f"everything runs after {time.monotonic() - began:.1f} s\n", flush=True)
        status = self.rows("status")
        self.pids = [process["pid"] for process in status["processes"]]
        url = status["database_url"]
        with psycopg.connect(url, autocommit=True, row_factory=dict_row) as db:
            db.execute("LISTEN sayso")
            self._db, self._story = db, Story.begin(db)
            self._chat = self._story.chat_guid
            self.ask_correct_dispatch_undo("electric")
            self.ask_correct_dispatch_undo("2")

    def ask_correct_dispatch_undo(self, which: str) -> None:
        """One order: from the tenant's words to the undo of the dispatch."""
        print(f"\n--- asked which Bob, the manager answers {which!r}", flush=True)
        self._known = {line.id for line in self._thread()}
        earlier = {call["id"] for call in self.rows("ledger", "list")}
        self.sayso("tenant", "send", UNIT, WORDS)
        ask = self._said("ask")
        check("Osalpa" in ask and "electrical" in ask, "the ask names Osalpa, and what for", ask)
        facts = jobs.find(self._db, chat_guid=self._chat, limit=1)[0].the_ask.facts
        check(WORDS in " ".join(facts.values()), "the tenant's words are with it", facts)
        check("Osalpa" in " ".join(facts.values()), "and so is why", facts)
        self._until("a reply can only be about this question", lambda: not self._story.stands(self._db).crossable)
        self.sayso("chat", "send", self._chat, "no use bob")
        back = self._said("ask_back")
        check(back.count("Bob") == 2, "two have that name: it asks which", back)
        self.sayso("chat", "send", self._chat, which)
        told = self._said("confirmation")
        bob = next(line[3:] for line in back.splitlines() if line.startswith("2. ") or which in line.lower())
        check(bob in told, f"it understood {bob}", told)
        self._until("the vendor is sent", self._all_is_home)
        calls = [call for call in self.rows("ledger", "list") if call["id"] not in earlier]
        sent = [call for call in calls if call["tool"] == "dispatch_vendor"]
        check(len(sent) == 1, "one dispatch stands in the ledger", calls)
        check(self._texts_of(sent[0]["job_id"]) == [bob], "one vendor got one text", self._texts_of(sent[0]["job_id"]))
        self.sayso("ledger", "undo", sent[0]["id"], "--yes")
        self._until("the undo has done all it does", self._all_is_home)
        undone = [call for call in self.rows("ledger", "list") if call["undoes"] == sent[0]["id"]]
        check(len(undone) == 1, "the undo has a row of its own", undone)
        check(self._order()["status"] != "dispatched", "the order is no longer dispatched", self._order())

    # ---------------------------------------------------------------- what it looks at

    def _said(self, purpose: str) -> str:
        """The next text of that purpose that Sayso writes in the chat."""
        found: list[str] = []

        def look() -> bool:
            for line in self._thread():
                if line.id not in self._known and line.purpose == purpose and not found:
                    self._known.add(line.id)
                    found.append(line.body)
            return bool(found)

        self._until(f"Sayso writes a text of the kind {purpose}", look)
        return found[0]

    def _thread(self) -> list[inbound.Line]:
        return inbound.thread(self._db, self._story.workspace_id, self._chat, 200)

    def _all_is_home(self) -> bool:
        stands = self._story.stands(self._db)
        return not stands.under_way and not stands.held

    def _texts_of(self, job_id: str) -> list[str]:
        """The vendors who got a text because of a job."""
        return [row["name"] for row in self._db.execute(
            "SELECT v.name FROM channel_messages m JOIN directory_vendors v ON v.id = m.vendor_id"
            " WHERE m.job_id = %s AND m.status = 'accepted'", (job_id,))]

    def _order(self) -> dict[str, Any]:
        return self._row("SELECT status, vendor_id FROM intake_orders ORDER BY received_at DESC, id DESC LIMIT 1")

    def _row(self, query: LiteralString, *values: object) -> dict[str, Any]:
        row = self._db.execute(query, values).fetchone()
        assert row is not None
        return row

    def _until(self, what: str, holds: Callable[[], bool]) -> None:
        """Look again at each news of the database, telling it meanwhile, until it holds. Raises StepFailed."""
        until = time.monotonic() + STEP_SECONDS
        while not holds():
            self._tell()
            if time.monotonic() > until:
                raise StepFailed(f"not within {STEP_SECONDS} s: {what}")
            for _ in self._db.notifies(timeout=0.5, stop_after=1):
                pass
        self._tell()

    def _tell(self) -> None:
        for line in self._story.news(self._db):
            print(line.text, flush=True)


def check(holds: bool, what: str, found: object) -> None:
    """Raises StepFailed."""
    if not holds:
        raise StepFailed(f"it does not hold that {what}: {found}")
    print(f"  ok    {what}", flush=True)


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="sayso shown ") as folder:
        show = Show(Path(folder) / "data")
        try:
            show.run()
        except StepFailed as failure:
            sys.exit(f"FAILED: {failure}")
        finally:
            show.sayso("reset", "--yes")
    left = [pid for pid in show.pids if runs(pid)]
    if left:
        sys.exit(f"FAILED: processes {left} are left")
    print("\nAll of it holds, and nothing runs any more.")


if __name__ == "__main__":
    main()
