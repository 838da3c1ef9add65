"""Running in the background: the terminal gets its prompt back when everything is ready."""

import json
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from jobs.errors import SaysoError
from runtime.errors import DidNotStartError

Say = Callable[[str], None]
CameUp = Callable[[bool], None]
READY = "\0ready"
NOT_READY = "\0not ready"
FAILED = "\0failed"


def detach(run: Callable[[Say, CameUp], None], output: Path, show: Say) -> bool:
    """Call `run(say, came_up)` in a process in a session of its own; return what it gives to `came_up`.

    Until then what it says is shown here, afterwards it is appended to `output`. Raises DidNotStartError with its
    reason when it ends before. Only where no other thread runs, as it forks.
    """
    reader, writer = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    if os.fork() == 0:
        os.close(reader)
        _leave(run, output, writer)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith(FAILED):
                error, next_step = json.loads(line.removeprefix(FAILED))
                raise DidNotStartError(error, next_step)
            if line.startswith((READY, NOT_READY)):
                return line.startswith(READY)
            show(line.rstrip("\n"))
    raise DidNotStartError("it was stopped before everything was ready", f"See {output}")


class Starter:
    """The pipe to whoever started it, who may be gone: then it goes on without."""

    def __init__(self, writer: int) -> None:
        self._pipe = os.fdopen(writer, "w", buffering=1, encoding="utf-8", errors="backslashreplace")

    def tell(self, line: str) -> bool:
        """Whether the line has got there."""
        if self._pipe.closed:
            return False
        try:
            print(line, file=self._pipe, flush=True)
        except OSError:
            self.leave()
            return False
        return True

    def leave(self) -> None:
        with suppress(OSError):
            self._pipe.close()


def _leave(run: Callable[[Say, CameUp], None], output: Path, writer: int) -> None:
    """The process in the background; it does not return."""
    code = 1
    try:
        os.setsid()
        _redirect(output)
        starter = Starter(writer)

        def say(line: str) -> None:
            if not starter.tell(line):
                print(line, flush=True)

        def came_up(well: bool) -> None:
            starter.tell(READY if well else NOT_READY)
            starter.leave()

        try:
            run(say, came_up)
            code = 0
        except SaysoError as error:
            print(f"error: {error}\n{error.next_step}", flush=True)
            starter.tell(FAILED + json.dumps([str(error), error.next_step]))
        except Exception as error:
            starter.tell(FAILED + json.dumps([repr(error), f"This is a bug; see {output}"]))
            raise
    except Exception:  # noqa: BLE001  # a fork must not go on as its parent
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _redirect(output: Path) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    out = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(nothing, 0)
    os.dup2(out, 1)
    os.dup2(out, 2)
