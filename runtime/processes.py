"""Heartbeats: each process says every five seconds, in its row of runtime_processes, that it is alive."""

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import psycopg
import structlog

from jobs.db import Conn, statements
from runtime.errors import UnreachableError
from runtime.rows import ProcessRow

SECONDS = 5
sql = statements(Path(__file__).with_suffix(".sql"))


def beat(db: Conn, name: str) -> None:
    sql.beat(db, name=name, host=socket.gethostname(), pid=os.getpid())


def of_this_host(db: Conn) -> dict[str, ProcessRow]:
    """By name, what the processes of this machine last said, those that are gone included."""
    return {row["name"]: ProcessRow(**row) for row in sql.of_host(db, host=socket.gethostname())}


def forget_this_host(db: Conn) -> None:
    """Remove their rows. Only while none of them runs."""
    sql.forget(db, host=socket.gethostname())


def runs(db: Conn, name: str) -> bool:
    """Whether any machine's supervisor has started a process of this name, and it got as far as to say so."""
    there: bool = sql.runs(db, name=name)["runs"]
    return there


def late(db: Conn) -> int:
    count: int = sql.late(db)["late"]
    return count


class Heartbeat:
    """Beats from a thread of its own until the process ends, over a connection of its own that is made again when lost.

    That it beats says that the process is alive, not that its work gets on.
    """

    def __init__(self, name: str, connect: Callable[[], Conn]) -> None:
        self._name = name
        self._connect = connect
        self._db: Conn | None = None
        self._stop = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self.run, name="heartbeat", daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    def run(self) -> None:
        while not self._stop.wait(self.turn()):
            pass

    def turn(self) -> float:
        """One beat; seconds until the next."""
        try:
            self._db = self._db or self._connect()
            beat(self._db, self._name)
        except (psycopg.Error, UnreachableError) as error:
            structlog.get_logger().warning("heartbeat failed", reason=str(error))
            if self._db:
                self._db.close()
            self._db = None
            return 1
        return SECONDS
