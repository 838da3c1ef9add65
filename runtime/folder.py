"""The data folder: marked as ours when it is made, and held by one process at a time."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pydantic import BaseModel

from jobs.errors import SaysoError
from runtime.running import Birth, birth

MARKER = "sayso.txt"
OURS = ("postgres", "postgres.new", "valkey", "servers.json", "servers.json.new", "logs", "run.json", "run.json.new")
SUPERVISOR = "supervisor"


class NotOursError(SaysoError):
    """A folder that Sayso did not make: nothing is written into it, and nothing in it is deleted."""


class DataFolderTakenError(SaysoError):
    """Another process holds the data folder."""


class Holder(BaseModel):
    """What a process writes into the lock that it holds."""

    what: str
    host: str
    process: Birth

    def __str__(self) -> str:
        return f"the {self.what}, process {self.process.pid} on {self.host}"


def claim(data: Path) -> None:
    """Make the folder if it is missing, and mark it as ours. Idempotent.

    Raises NotOursError when somebody else has files in it under the names that Sayso uses, and later deletes.
    """
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    taken = [name for name in OURS if os.path.lexists(data / name)]
    if is_ours(data):  # looked at last: two may start at once
        return
    if taken:
        raise NotOursError(f"{data} is no data folder of Sayso, and has {', '.join(taken)} in it",
                           "Give another --data.")
    (data / MARKER).write_text("A data folder of Sayso. `sayso reset` deletes what Sayso keeps in it.\n")


def is_ours(data: Path) -> bool:
    return (data / MARKER).is_file()


@contextmanager
def hold(data: Path, what: str) -> Iterator[None]:
    """Ours alone meanwhile; the kernel frees it when we die. Raises NotOursError, DataFolderTakenError."""
    if not is_ours(data):
        raise NotOursError(f"{data} is no data folder of Sayso", "Give the --data with which `sayso up` was started.")
    me = birth(os.getpid())
    assert me is not None
    with (data / "lock").open("a+") as file:
        if not _lock(file):
            raise _taken(data, _read(file))
        file.truncate(0)
        file.write(Holder(what=what, host=socket.gethostname(), process=me).model_dump_json())
        file.flush()
        yield


def supervisor(data: Path) -> Birth | None:
    """The supervisor that holds the folder, though run.json may be lost or not be written yet; None when nobody does.

    Raises DataFolderTakenError when it is held by something that is not to be stopped, or not from here.
    """
    try:
        file = (data / "lock").open("r+")
    except (FileNotFoundError, NotADirectoryError):
        return None
    with file:
        if _lock(file):
            return None
        holder = _read(file)
    if holder and (holder.what, holder.host) == (SUPERVISOR, socket.gethostname()) and holder.process.alive:
        return holder.process
    raise _taken(data, holder)


def _lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(file: IO[str]) -> Holder | None:
    file.seek(0)
    try:
        return Holder.model_validate_json(file.read())
    except ValueError:
        return None


def _taken(data: Path, holder: Holder | None) -> DataFolderTakenError:
    if holder and holder.what != SUPERVISOR:
        what_to_do = "Wait until it is over."
    else:
        what_to_do = f"Stop that one with: sayso down --data '{data}', or give this one another --data"
    return DataFolderTakenError(
        f"the data folder {data} is held by {holder or 'a process that has not said which it is'}", what_to_do)
