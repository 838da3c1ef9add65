"""The running system: how long each process takes to start, its memory, and how long things take through it."""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import directory
import jobs
from bench import server
from channels import inbound
from jobs.db import Conn
from runtime import config, running

SAYSO = (sys.executable, "-m", "runtime.command")
DEADLINE_SECONDS = 60


@dataclass(frozen=True)
class Process:
    """`seconds` from the start of everything to its first heartbeat; None for the servers, which have none."""

    name: str
    megabytes: float
    seconds: float | None


@dataclass(frozen=True)
class Latency:
    """Milliseconds."""

    what: str
    p50: float
    p99: float
    count: int


@contextmanager
def system() -> Iterator[tuple[Path, float]]:
    """`sayso up --demo` in a folder of its own, and when it began, in Unix seconds."""
    with tempfile.TemporaryDirectory(prefix="sayso bench ") as folder:
        data, began = Path(folder) / "data", time.time()
        subprocess.run(
            [*SAYSO, "up", "--detach", "--demo", "--data", str(data)], cwd=config.ROOT, check=True, capture_output=True
        )
        try:
            yield data, began
        finally:
            subprocess.run(
                [*SAYSO, "reset", "--yes", "--data", str(data)], cwd=config.ROOT, check=True, capture_output=True
            )


def measure(count: int, tell: Callable[[str], None]) -> tuple[list[Process], list[Latency]]:
    tell("starting the whole system")
    with system() as (data, began):
        run = running.current(data)
        assert run is not None
        assert run.database_url is not None
        with server.connect(run.database_url) as db:
            tell(f"latencies, {count} conversations")
            latencies = measure_latencies(db, count)
            beats = {
                row["name"]: row["started_at"].timestamp() - began
                for row in db.execute("SELECT name, started_at FROM runtime_processes").fetchall()
            }
        listed = [
            Process(each.name, megabytes(each.birth.pid), beats.get(each.name)) for each in run.processes if each.birth
        ]
        return [*listed, Process("supervisor", megabytes(run.supervisor.pid), None)], latencies


def megabytes(pid: int) -> float:
    """Its memory and that of its own children, without what they share with files or with each other."""
    return sum(anonymous(folder) for folder in (Path(f"/proc/{pid}"), *children(pid))) / 1024


def anonymous(folder: Path) -> int:
    """KiB."""
    lines = (folder / "status").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))


def children(pid: int) -> Iterator[Path]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            if not any(name in Path(f"/proc/{child}/cmdline").read_text() for name in ("celery", "runtime.")):
                yield Path(f"/proc/{child}")


def measure_latencies(db: Conn, count: int) -> list[Latency]:
    """On the demo's chat, one question after the other: nothing else is going on."""
    workspace = directory.workspace(db)
    manager = directory.managers(db, workspace.id)[0]
    assert manager.chat_guid is not None
    starts, finishes = [], []
    for number in range(count):
        job_id = ask(db, workspace.id, manager.chat_guid, number)
        shown = wait_for(db, job_id, "awaiting_reply")
        starts.append((shown["claimed_at"] - shown["created_at"]).total_seconds() * 1000)
        with db.transaction():
            said = inbound.receive(
                db,
                workspace_id=workspace.id,
                chat_guid=manager.chat_guid,
                person_id=manager.id,
                channel="terminal",
                provider_id=str(uuid4()),
                body="yes",
                sent_at=jobs.now(db),
                quotes=shown["text_id"],
            )
        home = wait_for(db, job_id, "resolved", finished=True)
        heard = db.execute("SELECT received_at FROM channel_inbound WHERE id = %s", (said.id,)).fetchone()
        assert heard is not None
        finishes.append((home["finished_at"] - heard["received_at"]).total_seconds() * 1000)
    return [
        latency("enqueue to start: committed to put into an ask by the conductor's worker", starts),
        latency("reply to finished: stored to taken home by its owner, with no hold", finishes),
    ]


def latency(what: str, took: list[float]) -> Latency:
    ordered = sorted(took)
    return Latency(
        what, statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], len(ordered)
    )


def ask(db: Conn, workspace_id: UUID, chat_guid: str, number: int) -> UUID:
    """A question asked by hand: its finish only tells that nothing follows."""
    question = f"Bench question {number}?"
    return jobs.enqueue(
        db,
        jobs.NewJob(
            workspace_id,
            "pms_intake",
            "confirm_dispatch",
            chat_guid,
            f"bench:{uuid4()}",
            jobs.Ask(question=question, draft=question, answer=jobs.Answer()),
        ),
    ).job_id


def wait_for(db: Conn, job_id: UUID, status: str, finished: bool = False) -> dict[str, Any]:
    until = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < until:
        row = db.execute(
            "SELECT j.*, m.id AS text_id,"
            " (SELECT at FROM job_events e WHERE e.job_id = j.id AND new_status = 'asking' LIMIT 1) AS claimed_at"
            " FROM jobs j LEFT JOIN channel_messages m ON m.ask_id = j.ask_id AND m.purpose = 'ask'"
            " WHERE j.id = %s",
            (job_id,),
        ).fetchone()
        if row and row["status"] == status and (row["finished_at"] is not None or not finished):
            return row
        time.sleep(0.01)
    raise TimeoutError(f"job {job_id} is not {status} after {DEADLINE_SECONDS} s")
