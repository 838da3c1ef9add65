"""Running in the background: the terminal gets its prompt back when everything is ready."""

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from jobs.errors import SaysoError

Say = Callable[[str], None]
CameUp = Callable[[bool], None]
READY = "\0ready"


def detach(run: Callable[[Say, CameUp], None], output: Path, show: Say) -> bool:
    """Call `run(say, came_up)` in a process in a session of its own; return what it gives to `came_up`.

    Until then what it says is shown here, afterwards it is appended to `output`. False also when it ends before.
    Only where no other thread runs, as it forks.
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
            if line.startswith(READY):
                return True
            show(line.rstrip("\n"))
    return False


def _leave(run: Callable[[Say, CameUp], None], output: Path, writer: int) -> None:
    """The process in the background; it does not return."""
    code = 1
    try:
        os.setsid()
        _redirect(output)
        pipe = os.fdopen(writer, "w", buffering=1, encoding="utf-8")

        def say(line: str) -> None:
            print(line, file=sys.stdout if pipe.closed else pipe, flush=True)

        def came_up(well: bool) -> None:
            if well:
                say(READY)
            pipe.close()

        try:
            run(say, came_up)
            code = 0
        except SaysoError as error:
            say(f"error: {error}\n{error.next_step}")
        except Exception as error:
            say(f"error: {error!r}\nThis is a bug; see {output}")
            raise
    except Exception:  # noqa: BLE001  # a fork must not go on as its parent
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _redirect(output: Path) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    out = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(nothing, 0)
    os.dup2(out, 1)
    os.dup2(out, 2)
