"""A program that we run as a child: it starts under its own account, and dies when we die."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

Popen = subprocess.Popen[bytes]
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)
LARGEST_OUTPUT_BYTES = 10_000_000


@dataclass(frozen=True)
class Account:
    """A user without privileges."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True)
class Program:
    """What to run. `stop_signal` ends it in good order, and is also what it gets from the kernel when we die."""

    name: str
    argv: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    account: Account | None = None
    stop_signal: signal.Signals = signal.SIGTERM


def spawn(program: Program, output: Path) -> Popen:
    """Start it in a session of its own; what it prints is appended to `output`.

    Only from the main thread: on Linux the kernel ties the signal at our death to the thread that started the child.
    """
    account = program.account
    output.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with output.open("ab") as out:
        return subprocess.Popen(
            program.argv, cwd=program.folder, env={**os.environ, **program.environment}, stdin=subprocess.DEVNULL,
            stdout=out, stderr=out, start_new_session=True, preexec_fn=_die_with_parent(program.stop_signal),
            user=account.uid if account else None, group=account.gid if account else None,
            extra_groups=[] if account else None)


def _die_with_parent(last: signal.Signals) -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None  # the next start ends what is left
    parent = os.getpid()

    def follow() -> None:  # after the change of user, which would clear it
        LIBC.prctl(PR_SET_PDEATHSIG, int(last), 0, 0, 0)
        if os.getppid() != parent:  # died in between: the kernel will not tell
            os._exit(1)

    return follow


def end(process: Popen, stop: signal.Signals, seconds: float) -> None:
    """Ask it to stop, and after `seconds` end it. Returns when it is gone."""
    process.send_signal(stop)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def bound(output: Path) -> None:
    """Keep a file of printed lines small: beyond 10 MB its text becomes NAME.1. Its writer goes on, as it appends.

    Where the disk is full the text is given up.
    """
    try:
        if output.stat().st_size <= LARGEST_OUTPUT_BYTES:
            return
        with suppress(OSError):
            output.with_name(output.name + ".1").write_bytes(output.read_bytes())
        os.truncate(output, 0)
    except OSError:
        return


def last_line(output: Path) -> str:
    """The last thing it said, or an empty text."""
    try:
        with output.open("rb") as file:
            file.seek(max(0, output.stat().st_size - 4096))
            lines = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    except OSError:
        return ""
    return lines[-1] if lines else ""
