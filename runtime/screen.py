"""The terminal as it is shared: lines appear above what is being typed. In a pipe they are plain lines in and out."""

import signal
import sys
import threading
from types import FrameType

import click

try:
    import readline
except ImportError:  # a Python built without it: what is being typed is not drawn again under a new line
    readline = None  # type: ignore[assignment]

CLEAR_LINE = "\r\x1b[2K"


class Changed(Exception):  # noqa: N818  # not an error: whoever waits for a line should look again
    """The prompt is out of date, and nothing has been typed at it."""


class Screen:
    """`is_live`: a person sits before it. Made and heard in the main thread; any thread may say."""

    def __init__(self) -> None:
        self.is_live = sys.stdin.isatty() and sys.stdout.isatty()
        self._lock = threading.RLock()
        self._prompt = ""
        self._waits = False
        if self.is_live:
            signal.signal(signal.SIGUSR1, self._changed)

    def say(self, text: str = "", *, dim: bool = False) -> None:
        """Print it, above the line that is being typed."""
        styled = click.style(text, dim=True) if dim else text
        with self._lock:
            if self._waits:
                typed = readline.get_line_buffer() if readline else ""
                sys.stdout.write(f"{CLEAR_LINE}{styled}\n{self._prompt}{typed}")
                sys.stdout.flush()
            else:
                click.echo(styled)

    def hear(self, prompt: str) -> str | None:
        """The next line; None at the end of input. Raises Changed when nudged before anything was typed."""
        if not self.is_live:
            line = sys.stdin.readline()
            if prompt and line.strip():
                click.echo(f"{prompt}{line.rstrip()}")
            return line.rstrip("\n") if line else None
        try:
            with self._lock:
                self._prompt, self._waits = prompt, True
            return input(prompt)
        except EOFError:
            click.echo()
            return None
        except Changed:
            sys.stdout.write(CLEAR_LINE)
            raise
        finally:
            self._waits = False

    def nudge(self) -> None:
        """Make whoever waits for a line look again, unless something is typed already."""
        with self._lock:
            if self._waits and not (readline and readline.get_line_buffer()):
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    def _changed(self, number: int, frame: FrameType | None) -> None:
        if self._waits:
            self._waits = False
            raise Changed
