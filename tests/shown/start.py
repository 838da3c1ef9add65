"""Shown: start, kill -9 the supervisor, start again, stop; with seconds, and proof that no process is left.

As the user who runs it; when that is root, as an ordinary user as well.
"""

import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
SAYSO = [sys.executable, "-m", "runtime.command"]
ORDINARY = "nobody"
PROMISED_SECONDS = 5  # for a second start


def main() -> None:
    who = pwd.getpwuid(os.geteuid()).pw_name
    with tempfile.TemporaryDirectory(prefix="sayso shown ") as folder:
        start_kill_start_stop(who, [], Path(folder) / "data")
    if os.geteuid() == 0:
        with as_an_ordinary_user() as (prefix, ordinary_folder):
            start_kill_start_stop(ORDINARY, prefix, ordinary_folder / "data")


def start_kill_start_stop(who: str, prefix: list[str], data: Path) -> None:
    """The four steps on a new data folder, which is deleted at the end. Raises AssertionError when one fails."""
    print(f"\nAs {who}, in {data}")

    def sayso(*words: str) -> "subprocess.CompletedProcess[str]":
        environment = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")}
        return subprocess.run([*prefix, *SAYSO, *words, "--data", str(data)], cwd=ROOT, capture_output=True, text=True,
                              check=False, env={**environment, "HOME": str(data.parent)})

    def start() -> dict[str, Any]:
        began = time.monotonic()
        up = sayso("up", "--detach")
        assert up.returncode == 0, up.stdout + up.stderr
        seconds = time.monotonic() - began
        status: dict[str, Any] = json.loads(sayso("status", "--json").stdout)
        print(f"  started: {len(status['processes'])} processes, all ready after {seconds:.1f} s")
        return {**status, "seconds": seconds}

    try:
        first = start()
        home = str((data / "postgres").resolve())
        print("  kill -9 of the supervisor")
        os.kill(first["supervisor_pid"], signal.SIGKILL)
        second = start()
        if second["seconds"] >= PROMISED_SECONDS:
            load = os.getloadavg()[0]
            print(f"  slower than the {PROMISED_SECONDS} s promised for two idle cores; the load is {load:.1f}")
        assert second["supervisor_pid"] != first["supervisor_pid"]
        began = time.monotonic()
        down = sayso("down")
        assert down.returncode == 0, down.stdout + down.stderr
        print(f"  stopped after {time.monotonic() - began:.1f} s")
        left = [*processes_with(home), *processes_with(str(data))]
        assert not left, f"left running: {left}"
        print("  no process is left that has the data folder in its command line or environment")
    finally:
        sayso("reset", "--yes")


def processes_with(text: str) -> list[str]:
    """The command lines of the processes that have it in their command line or environment, but for our own."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
        except OSError:
            continue
        if int(process.name) != os.getpid() and any(text.encode() in word for word in words):
            found.append(words[0].replace(b"\0", b" ").decode())
    return found


@contextmanager
def as_an_ordinary_user() -> Iterator[tuple[list[str], Path]]:
    """For root: what to put before a command so that an ordinary user runs it, and a folder of that user's.

    Where that user cannot reach the interpreter or the checkout, as they lie in a private folder, the command keeps
    the one capability of reading them.
    """
    entry = pwd.getpwnam(ORDINARY)
    prefix = ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]
    same = "import sys, runtime.commands.system; sys.exit(sys.version != sys.argv[1])"
    reaches = subprocess.run([*prefix, sys.executable, "-c", same, sys.version], cwd="/", check=False,
                             capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    if reaches.returncode:
        prefix += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    folder = Path(tempfile.mkdtemp(prefix="sayso ordinary "))
    try:
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        yield prefix, folder
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
