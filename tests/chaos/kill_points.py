"""Kill points: a process ends itself with SIGKILL between two writes of a task, at a point that has a name.

Put in from outside, by the hook beside this file: the product knows nothing of it. Within a task, each statement that
writes or locks, each COMMIT and each call over HTTP is followed by a point such as `deliver_message-07-COMMIT`; before
a call there is one too. Reads have none: dying after one is dying after the write before it. Where there is no task, as
in the process that takes webhooks, a transaction is what is counted in, under the name of the process.
"""

import os
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg
import structlog
from psycopg.sql import Composable

WRITES = re.compile(r"\b(?:INSERT|UPDATE|DELETE|jobs_\w+\s*\()", re.IGNORECASE)
ENDS = ("COMMIT", "RELEASE")
WORDS = re.compile(r"[A-Za-z_]+")


class Points:
    """The points of a run, as files in a folder: seen.txt, armed/NAME, and hit/NAME.PID once a process died there."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._noted: set[str] = set()
        self._here = threading.local()

    def make(self) -> None:
        for name in ("armed", "hit"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    def seen(self) -> set[str]:
        """The points that any process has come to. Each process notes a name once."""
        try:
            return set((self.folder / "seen.txt").read_text().split())
        except FileNotFoundError:
            return set()

    def arm(self, name: str) -> None:
        """The first process that comes to this point dies there. `TASK-NN` is any point of that number."""
        (self.folder / "armed" / name).touch()

    def disarm(self) -> None:
        for file in (self.folder / "armed").iterdir():
            file.unlink(missing_ok=True)

    def hits(self) -> list[str]:
        """Where processes have died, a name for each death."""
        return [file.name.rpartition(".")[0] for file in (self.folder / "hit").iterdir()]

    @contextmanager
    def within(self, task: str) -> Iterator[None]:
        """Inside, points are counted from 1, in this thread. Inside another task it counts on."""
        if getattr(self._here, "task", None):
            yield
            return
        self._here.task, self._here.number = task, 0
        try:
            yield
        finally:
            self._here.task = None

    def passed(self, what: str) -> None:
        """Something was just done. Never returns where this point is armed."""
        task = getattr(self._here, "task", None)
        if task is None:
            return
        self._here.number += 1
        number = f"{task}-{self._here.number:02}"
        name = "-".join([number, *WORDS.findall(what)[:3]])
        if name not in self._noted:
            self._noted.add(name)
            with (self.folder / "seen.txt").open("a") as seen:
                seen.write(name + "\n")
        for armed in (name, number):
            try:
                (self.folder / "armed" / armed).rename(self.folder / "hit" / f"{name}.{os.getpid()}")
            except FileNotFoundError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)


def install(points: Points, process: str) -> None:
    """Wrap what tasks, transactions, statements and calls go through in this process."""
    _wrap_units(points, process)
    _wrap_statements(points)
    send = httpx.Client.send

    def sending(self: Any, request: Any, **options: Any) -> Any:
        points.passed(f"before {request.method}")
        try:
            return send(self, request, **options)
        finally:
            points.passed(f"after {request.method}")

    httpx.Client.send = sending  # type: ignore[method-assign]


def _wrap_units(points: Points, process: str) -> None:
    bound, transaction = structlog.contextvars.bound_contextvars, psycopg.Connection.transaction

    @contextmanager
    def binding(**names: Any) -> Iterator[None]:
        with bound(**names):
            if "task" not in names:
                yield
                return
            with points.within(names["task"]):
                yield

    @contextmanager
    def transacting(self: Any, *args: Any, **options: Any) -> Iterator[Any]:
        with points.within(process), transaction(self, *args, **options) as begun:
            yield begun

    structlog.contextvars.bound_contextvars = binding
    psycopg.Connection.transaction = transacting  # type: ignore[method-assign]


def _wrap_statements(points: Points) -> None:
    execute, many = psycopg.Cursor.execute, psycopg.Cursor.executemany
    command = psycopg.BaseConnection._exec_command

    def executing(self: Any, query: Any, *args: Any, **options: Any) -> Any:
        done = execute(self, query, *args, **options)
        if write := WRITES.search(text := _text(query)):
            points.passed(text[write.start():])
        return done

    def executing_many(self: Any, query: Any, *args: Any, **options: Any) -> None:
        many(self, query, *args, **options)
        points.passed(_text(query))

    def commanding(self: Any, query: Any, *args: Any, **options: Any) -> Any:
        result = yield from command(self, query, *args, **options)
        if (text := _text(query)).startswith(ENDS):
            points.passed(text.split()[0])
        return result

    psycopg.Cursor.execute = executing  # type: ignore[method-assign]
    psycopg.Cursor.executemany = executing_many  # type: ignore[method-assign]
    psycopg.BaseConnection._exec_command = commanding  # type: ignore[assignment,method-assign]


def _text(query: Any) -> str:
    if isinstance(query, bytes):
        return query.decode()
    return query.as_string(None) if isinstance(query, Composable) else str(query)
