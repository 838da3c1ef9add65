"""The system under test: `sayso up` as anybody would start it, with shim, kill points and provider around it."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
from psycopg.rows import dict_row

from jobs.db import Conn
from runtime import running
from tests.chaos.kill_points import Points
from tests.chaos.shim import Shim

ROOT = Path(__file__).resolve().parents[2]
SECRET = "a secret of the chaos run"
SAYSO = (sys.executable, "-m", "runtime.command")
OURS_ALONE = ("DATABASE_URL", "REDIS_URL", "SAYSO_DATA")  # a run is on servers and in a folder of its own
KILLED = ("conductor", "handlers", "deliveries", "relay", "beat", "webhooks", "valkey", "postgres")


@dataclass(frozen=True)
class System:
    """A running system: its data folder, what hurts it, and the provider beside it."""

    data: Path
    shim: Shim
    points: Points
    provider: str
    log: Path
    environment: dict[str, str]

    @property
    def keep(self) -> Path:
        """A file that, when it is there, keeps everything afterwards; to be looked at."""
        return self.data.parent / "keep"

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*SAYSO, *words], env=self.environment, cwd=ROOT, capture_output=True, text=True,
                              check=False)

    def connect(self) -> Conn:
        """A connection of ours, tried for a minute: the server may just have been killed."""
        until = time.monotonic() + 60
        while True:
            run = running.current(self.data)
            try:
                assert run is not None, "the supervisor has gone"
                assert run.database_url is not None
                return psycopg.connect(run.database_url, autocommit=True, row_factory=dict_row, connect_timeout=2,
                                       application_name="chaos")
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)

    def kill(self, name: str) -> bool:
        """kill -9 of one process; False when it is down already."""
        run = running.current(self.data)
        for process in run.processes if run else []:
            if process.name == name and process.birth and process.birth.alive:
                os.kill(process.birth.pid, signal.SIGKILL)
                return True
        return False

    def flush_broker(self) -> None:
        """FLUSHALL: every hint and every queue of the broker is gone."""
        import redis

        run = running.current(self.data)
        if run and run.broker_url:
            try:
                redis.Redis.from_url(run.broker_url, socket_timeout=2).flushall()
            except redis.RedisError:
                return  # it is down anyway

    def lose_broker_disk(self) -> None:
        """The broker dies, and what it had on disk is gone."""
        folder = (self.data / "postgres").resolve().parent / "valkey"
        self.kill("valkey")
        for file in sorted(folder.rglob("*"), reverse=True):
            if file.is_file():
                file.unlink(missing_ok=True)

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.command("status", "--data", str(self.data), "--json").stdout)
        return found

    def taken(self) -> list[dict[str, Any]]:
        """All that the provider has ever taken."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def counts(self) -> dict[str, int]:
        counts: dict[str, int] = httpx.get(f"{self.provider}/people/counts", trust_env=False).json()
        return counts


@contextmanager
def running_system(seed: int) -> Iterator[System]:
    """Start provider and system in new folders. Afterwards nothing of them runs, or is there if `keep` is not."""
    folder = Path(tempfile.mkdtemp(prefix="sayso-chaos-"))
    folder.chmod(0o755)  # the account of the database reads the shim
    shim, points = Shim(folder), Points(folder / "points")
    shim.build()
    points.make()
    ours, theirs = _free_port(), _free_port()
    provider = f"http://127.0.0.1:{theirs}"
    system = System(folder / "data", shim, points, provider, folder / "taken.jsonl", {
        **{name: value for name, value in os.environ.items() if name not in OURS_ALONE},
        **shim.environment, "SAYSO_KILL_POINTS": str(points.folder), "SAYSO_HTTP_URL": provider,
        "SAYSO_HTTP_SECRET": SECRET, "SAYSO_HTTP_LISTEN": f"127.0.0.1:{ours}",
        "PYTHONPATH": f"{ROOT / 'tests/chaos/hook'}:{ROOT}"})
    system.log.touch()
    outside = subprocess.Popen(
        [sys.executable, "-m", "tests.outside.provider", "--port", str(theirs), "--secret", SECRET, "--seed", str(seed),
         "--webhook", f"http://127.0.0.1:{ours}/events", "--log", str(system.log),
         "--clock", shim.environment["SAYSO_SHIM"]], cwd=ROOT)
    try:
        up = system.command("up", "--detach", "--data", str(system.data))
        assert up.returncode == 0, up.stdout + up.stderr
        yield system
    finally:
        keep = system.keep.exists()
        system.command("down" if keep else "reset", "--data", str(system.data), *([] if keep else ["--yes"]))
        outside.kill()
        outside.wait()
        if not keep:
            _delete(folder)


def _delete(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    folder.rmdir()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
