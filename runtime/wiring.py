"""The one place that reads the environment and workers.toml; everything else is passed what it needs."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from jobs.db import Conn
from runtime import bridge as bridges
from runtime import config, running
from runtime.addresses import check, place
from runtime.child import Program
from runtime.errors import BadConfigurationError, NothingRunsError, UnreachableError

CONNECT_SECONDS = 5
IDLE_SECONDS = 60  # in a transaction: a process that is frozen there must not keep its locks until it thaws


@dataclass(frozen=True)
class Wiring:
    """What a process or a command works with. `process` is its name; 'deliveries-2' is the second copy of one."""

    data: Path
    workers: config.Workers
    process: str
    given_database_url: str | None
    given_broker_url: str | None

    @property
    def database_url(self) -> str:
        """Raises NothingRunsError when nothing says where the database is."""
        if self.given_database_url is None:
            raise NothingRunsError(self.data, "DATABASE_URL")
        return self.given_database_url

    @property
    def broker_url(self) -> str:
        """Raises NothingRunsError when nothing says where the broker is."""
        if self.given_broker_url is None:
            raise NothingRunsError(self.data, "REDIS_URL")
        return self.given_broker_url

    def connect(self) -> Conn:
        """A connection of the caller's own, in autocommit. Raises UnreachableError."""
        return connect(self.database_url, self.process)

    def pool(self, most: int) -> ConnectionPool[Conn]:
        """An open pool of up to `most` connections like `connect`, tried before it is lent; the caller closes it.

        None that can only read gets in: it would stay so when the database can be written to again. One that cannot be
        made is given up soon and asked for anew, as psycopg's own tries come ever more rarely.
        """
        return ConnectionPool(
            self.database_url, min_size=0, max_size=most, open=True, timeout=CONNECT_SECONDS, name=self.process,
            connection_class=psycopg.Connection[dict[str, Any]], check=ConnectionPool.check_connection,
            configure=_bound_idling, reconnect_timeout=CONNECT_SECONDS,
            kwargs={"autocommit": True, "row_factory": dict_row, "application_name": f"sayso {self.process}",
                    "connect_timeout": CONNECT_SECONDS, "target_session_attrs": "read-write"})


def wire(data: Path | None = None) -> Wiring:
    """Build everything from the environment; an address it does not give is that of the folder's supervisor.

    The data folder is `data`, else SAYSO_DATA, else `.data` in the checkout. Raises BadConfigurationError, also when
    the environment gives one address and the folder's supervisor works with another.
    """
    folder = (data or data_folder()).absolute()
    run = running.current(folder)
    return Wiring(
        data=folder, workers=config.load(), process=os.environ.get("SAYSO_PROCESS", "command"),
        given_database_url=_one("DATABASE_URL", run.database_url if run else None, folder),
        given_broker_url=_one("REDIS_URL", run.broker_url if run else None, folder))


def _one(variable: str, running_url: str | None, folder: Path) -> str | None:
    given = external(variable)
    if given and running_url and (asked := place(variable, given)) != (runs := place(variable, running_url)):
        raise BadConfigurationError(f"{variable} says {asked}, but what runs on {folder} works with {runs}",
                                    f"Unset {variable}, or give another --data.")
    return given or running_url


def data_folder() -> Path:
    given = os.environ.get("SAYSO_DATA")
    return Path(given) if given else config.ROOT / ".data"


def external(variable: str) -> str | None:
    """The address of a server of the user's own, or None. Raises BadConfigurationError."""
    url = os.environ.get(variable)
    return check(variable, url) if url else None


def bridge() -> bridges.Bridge | None:
    """The bridge of the http channel, or None. Raises BadConfigurationError."""
    return bridges.read(os.environ)


def programs(workers: config.Workers, data: Path, database_url: str, broker_url: str,
             with_bridge: bool) -> list[Program]:
    """The processes of workers.toml as they are started, each copy under a name of its own; webhooks for a bridge."""
    return [_program(name if copy == 1 else f"{name}-{copy}", name, process,
                     {"SAYSO_DATA": str(data), "DATABASE_URL": database_url, "REDIS_URL": broker_url})
            for name, process in workers.processes.items() if with_bridge or name != "webhooks"
            for copy in range(1, process.copies + 1)]


def _program(name: str, kind: str, process: config.Process, addresses: dict[str, str]) -> Program:
    argv: tuple[str, ...] = (sys.executable, "-m", f"runtime.{kind}")
    if process.queues:
        argv = (sys.executable, "-m", "celery", "-A", "runtime.celery_app", "worker", "-P", "threads", "-c",
                str(process.threads), "-Q", ",".join(process.queues), "--without-gossip", "--without-mingle",
                "-n", f"{name}@%h")
    return Program(name, argv, config.ROOT, {**addresses, "SAYSO_PROCESS": name})


def connect(url: str, process: str) -> Conn:
    """A connection in autocommit, owned by the caller. Raises UnreachableError."""
    try:
        db = psycopg.connect(url, autocommit=True, row_factory=dict_row, connect_timeout=CONNECT_SECONDS,
                             application_name=f"sayso {process}")
        _bound_idling(db)
        return db
    except psycopg.OperationalError as error:
        raise UnreachableError(f"the database {place('DATABASE_URL', url)} does not answer: {_reason(error)}",
                               "See: sayso status") from error


def _bound_idling(db: Conn) -> None:
    db.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, false)", (f"{IDLE_SECONDS}s",))


def _reason(error: psycopg.OperationalError) -> str:
    """The line that says why: the first, but for the heading of several attempts."""
    lines = [line.strip(" -\t").removeprefix("connection failed: ") for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith("Multiple connection attempts")), repr(error))
