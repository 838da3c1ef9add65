"""The shim: a small library in the database server alone, by which its clock moves and its disk is full."""

import os
import struct
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")


class Shim:
    """Built into `folder`, which the account that runs the server must be able to read."""

    def __init__(self, folder: Path) -> None:
        self._control = folder / "control"
        self._library = folder / "shim.so"
        self.seconds = 0
        self._full = False

    def build(self) -> None:
        """Needs a C compiler, as the README says."""
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", self._library, SOURCE, "-ldl"], check=True)
        self._control.write_bytes(bytes(16))
        for path in (self._library, self._control):
            path.chmod(0o644)

    @property
    def environment(self) -> dict[str, str]:
        """For whoever starts the server."""
        return {"LD_PRELOAD": str(self._library), "SAYSO_SHIM": str(self._control)}

    def move(self, seconds: int) -> None:
        """Move the server's clock, forward or back, from where it is."""
        self.seconds += seconds
        self._write()

    def fill_disk(self, full: bool) -> None:
        """While it is full, no file of the server can grow. What is written within a file goes on being written."""
        self._full = full
        self._write()

    def _write(self) -> None:
        with self._control.open("r+b") as file:
            file.write(struct.pack("=qq", self.seconds, self._full))
