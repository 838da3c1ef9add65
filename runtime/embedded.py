"""What the two embedded servers share: where they live, under which account, at which address, and how they come up."""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from runtime import child
from runtime.child import Account, Popen, Program
from runtime.errors import DidNotStartError

SYSTEM_FOLDER = Path("/var/lib/sayso")  # for root alone
ACCOUNT = "sayso-postgres"
READY_SECONDS = 60  # replaying the log after a crash took 3.5 s when measured; slow disks are slower


@dataclass(frozen=True)
class Home:
    """The folder of the servers of one data folder; `account` runs them, or we do when it is None."""

    folder: Path
    account: Account | None

    @property
    def servers(self) -> Path:
        """The file of their ports and passwords."""
        return self.folder / "servers.json"

    @property
    def has_database(self) -> bool:
        return (self.folder / "postgres" / "PG_VERSION").exists()

    def own(self, path: Path) -> None:
        """Give a file or a folder in the home to the account."""
        if self.account:
            os.chown(path, self.account.uid, self.account.gid)


class PasswordLostError(DidNotStartError):
    """The database is there, and the file that has its password is lost or says another one."""

    def __init__(self, file: Path) -> None:
        super().__init__(f"the password of the database is not in {file}",
                         "Put that file back; or set a new password, as docs/operations.md says. "
                         "`sayso reset` starts anew and loses the data.")


class Address(BaseModel):
    model_config = ConfigDict(frozen=True)
    port: int = Field(ge=0, le=65535)
    password: str = Field(min_length=1)


ADDRESSES = TypeAdapter(dict[str, Address])


class Server(Protocol):
    """One embedded server."""

    @property
    def program(self) -> Program: ...

    @property
    def url(self) -> str: ...

    def prepare(self) -> None:
        """Make its files where they are missing, and clear away what a crash left. Repeating it is harmless."""
        ...

    def answers(self) -> bool: ...


def home(data: Path) -> Home:
    """The home of a data folder, made if it is missing: the folder itself.

    For root it is a folder under /var/lib/sayso, to which DATA/postgres is a link, because PostgreSQL refuses to run
    as root and the account that runs it may not reach the data folder. The link is what counts: a data folder that
    was moved keeps its servers, one that was deleted begins anew.
    """
    link = data / "postgres"
    if os.geteuid() != 0:
        if link.is_symlink():
            raise DidNotStartError(f"the database of {data} was made by root", "Run as root, or give another --data.")
        return Home(data, None)
    if link.exists() and not link.is_symlink():
        raise DidNotStartError(f"the database of {data} was made by {link.owner()}, not by root",
                               f"Run it as {link.owner()}, or give another --data.")
    account = _account()
    if link.is_symlink() and link.exists():
        return Home(link.resolve().parent, account)
    _make_system_folder()
    folder = Path(tempfile.mkdtemp(prefix=sha256(bytes(data)).hexdigest()[:8] + "-", dir=SYSTEM_FOLDER))
    made = Home(folder, account)
    made.own(folder)
    (folder / "postgres").mkdir(mode=0o700)
    made.own(folder / "postgres")
    link.unlink(missing_ok=True)
    link.symlink_to(folder / "postgres")
    return made


def _make_system_folder() -> None:
    if not SYSTEM_FOLDER.exists():
        SYSTEM_FOLDER.mkdir(parents=True, exist_ok=True)
        SYSTEM_FOLDER.chmod(0o755)  # whatever the umask


def delete(data: Path) -> None:
    """Delete the home of a data folder and all that is in it. Nothing may run on it."""
    link = data / "postgres"
    if link.is_symlink():
        place = link.resolve().parent
        if place.parent == SYSTEM_FOLDER and place.exists():
            shutil.rmtree(place)
        link.unlink()


def _account() -> Account:
    try:
        entry = pwd.getpwnam(ACCOUNT)
    except KeyError:
        try:
            subprocess.run(["useradd", "--system", "--no-create-home", "--home-dir", "/nonexistent",
                            "--shell", "/usr/sbin/nologin", ACCOUNT], check=True, capture_output=True, text=True)
            entry = pwd.getpwnam(ACCOUNT)
        except (OSError, subprocess.CalledProcessError, KeyError) as error:
            raise DidNotStartError(f"PostgreSQL does not run as root, and user {ACCOUNT} could not be made: {error}",
                                   f"Make a system user named {ACCOUNT}, or start as an ordinary user.") from error
    return Account(ACCOUNT, entry.pw_uid, entry.pw_gid)


def reachable(source: Path, parts: tuple[Path, ...], name: str, account: Account | None) -> Path:
    """`source`, or for an account of its own a copy of its `parts` under /var/lib/sayso, made once a version."""
    if account is None:
        return source
    target = SYSTEM_FOLDER / name
    if not target.exists():
        _make_system_folder()
        fresh = Path(tempfile.mkdtemp(prefix=f"{name}.", dir=SYSTEM_FOLDER))
        for part in parts:
            if (source / part).is_dir():
                shutil.copytree(source / part, fresh / part, symlinks=True)
            else:
                (fresh / part).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source / part, fresh / part)
        for path in (fresh, *fresh.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or os.access(source / path.relative_to(fresh), os.X_OK) else 0o644)
        try:
            fresh.rename(target)
        except OSError:  # another start was quicker
            shutil.rmtree(fresh)
    return target


def address(home: Home, server: str) -> Address:
    """Port and password of a server: those of last time, but for a port that somebody else took meanwhile.

    Raises PasswordLostError rather than make a new password for a database that exists.
    """
    try:
        known = ADDRESSES.validate_json(home.servers.read_bytes())
    except (FileNotFoundError, ValidationError):
        known = {}
    if "postgres" not in known and home.has_database:
        raise PasswordLostError(home.servers)
    mine = known.get(server) or Address(port=0, password=secrets.token_urlsafe(24))
    if not _free(mine.port):
        mine = Address(port=_free_port(), password=mine.password)
        _write(home.servers, {**known, server: mine})
    return mine


def _write(file: Path, known: dict[str, Address]) -> None:
    fresh = file.with_name("servers.json.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        out.write(ADDRESSES.dump_json(known))
        out.flush()
        os.fsync(out.fileno())  # a crash of the machine must not leave an empty file: the password is nowhere else
    fresh.replace(file)


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the servers do
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return port != 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def bring_up(server: Server, output: Path, seconds: float = READY_SECONDS, tries_seconds: float = 10) -> Popen:
    """Prepare a server, start it and wait until it answers.

    One that ends at once is started again for some seconds: after a crash the helpers of the one before may still hold
    its memory. Raises DidNotStartError with the last line it printed.
    """
    server.prepare()
    began = time.monotonic()
    process = child.spawn(server.program, output)
    try:
        while not server.answers():
            waited = time.monotonic() - began
            if process.poll() is not None and waited < tries_seconds:
                time.sleep(0.2)
                process = child.spawn(server.program, output)
            elif process.poll() is not None or waited > seconds:
                raise DidNotStartError(f"{server.program.name} does not answer: {child.last_line(output)}",
                                       f"See {output}")
            time.sleep(0.02)
    except BaseException:
        child.end(process, server.program.stop_signal, seconds=10)
        raise
    return process
