"""What a supervisor says about itself while it runs: the file run.json in its data folder."""

import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

State = Literal["starting", "running", "waiting", "failed", "stopped"]


class Birth(BaseModel):
    """A process that cannot be mistaken for a later one with the same number."""

    model_config = ConfigDict(frozen=True)
    pid: int
    born: str

    @property
    def alive(self) -> bool:
        return born(self.pid) == self.born


class ProcessReport(BaseModel):
    """One process of the supervisor. `said` is the last line of its output when it could not start."""

    name: str
    state: State
    restarts: int
    birth: Birth | None
    since: datetime
    said: str | None = None


class Run(BaseModel):
    """Contains passwords, in the addresses: written with mode 0600."""

    supervisor: Birth
    database_url: str | None
    broker_url: str | None
    page_port: int | None
    ready: bool
    processes: list[ProcessReport]


def born(pid: int) -> str | None:
    """When process `pid` began, in the kernel's own words, or None if there is none (a zombie is none)."""
    if sys.platform == "linux":
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return None if fields[0] in "ZX" else fields[19]
    listed = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return listed.stdout.strip() or None


def command_line(pid: int) -> str:
    """What it was started with, or an empty text."""
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            return ""
    listed = subprocess.run(["ps", "-ww", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return listed.stdout


def birth(pid: int) -> Birth | None:
    began = born(pid)
    return Birth(pid=pid, born=began) if began else None


def path(data: Path) -> Path:
    return data / "run.json"


def read(data: Path) -> Run | None:
    """What the last supervisor of this folder wrote, or None. It may be dead: see `current`."""
    try:
        return Run.model_validate(json.loads(path(data).read_text()))
    except (FileNotFoundError, ValueError):
        return None


def current(data: Path) -> Run | None:
    """What the living supervisor of this folder says, or None if there is none."""
    run = read(data)
    return run if run and run.supervisor.alive else None


def write(data: Path, run: Run) -> None:
    """Replace the file in one step, so that a reader sees the old one or the new one whole."""
    fresh = data / "run.json.new"
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(run.model_dump_json(indent=1))
    fresh.replace(path(data))


def remove(data: Path) -> None:
    path(data).unlink(missing_ok=True)
