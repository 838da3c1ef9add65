"""`sayso demo`: everything, started for one terminal, and stopped with it."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import click

from demo.terminal import Terminal
from runtime import child, config, running, wiring
from runtime.commands.system import data_option
from runtime.errors import DidNotStartError
from runtime.folder import claim
from runtime.registry import TOOLS
from runtime.screen import Changed, Screen

START_SECONDS = 120  # the first start makes a database
STOP_SECONDS = 90  # as in runtime/commands/system.py


@click.command()
@data_option
def demo(data: Path | None) -> None:
    """Play a tenant and a property manager in one terminal, and see what happens to the row, the vendor and the ledger.

    Starts everything with the demo workspace, and stops it when you leave; the data stays. Lines may come from a pipe.
    Where everything runs on the data folder already, it joins that, and leaves it running.
    """
    folder = (data or wiring.data_folder()).absolute()
    screen = Screen()
    with leaving_ends_it(), everything(folder, screen):
        try:
            Terminal(wiring.wire(folder).connect, screen, Changed, TOOLS).run()
        except KeyboardInterrupt:
            screen.say()


@contextmanager
def everything(folder: Path, screen: Screen) -> Iterator[None]:
    """All processes run inside. Raises DidNotStartError."""
    run = running.current(folder)
    if run is not None and run.ready:
        screen.say(f"Joining what runs on {folder}; it goes on when you leave.", dim=True)
        yield
        return
    screen.say("Starting everything; the first time takes a little longer.", dim=True)
    claim(folder)
    output = folder / "logs" / "demo.out"
    output.unlink(missing_ok=True)
    argv = (sys.executable, "-m", "runtime.command", "up", "--demo", "--data", str(folder))
    supervisor = child.spawn(child.Program("sayso up", argv, config.ROOT), output)  # it dies with us
    try:
        wait_until_ready(supervisor, folder, output)
        yield
    finally:
        with suppress(OSError):  # of a terminal that is gone
            screen.say("Stopping everything.", dim=True)
        child.end(supervisor, signal.SIGTERM, STOP_SECONDS)


def wait_until_ready(supervisor: "subprocess.Popen[bytes]", folder: Path, output: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while (run := running.current(folder)) is None or not run.ready:
        if supervisor.poll() is not None or time.monotonic() > until:
            raise DidNotStartError(f"it does not start: {child.last_line(output)}", f"See {output}")
        time.sleep(0.05)


@contextmanager
def leaving_ends_it() -> Iterator[None]:
    """A closed terminal and a polite kill leave as Ctrl-C does: by an exception, so that everything is stopped."""

    def leave(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, leave) for number in (signal.SIGHUP, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


GROUPS: Sequence[click.Command] = (demo,)
