"""What `sayso demo` promises: one terminal, both parts, and everything stops with it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime import running
from runtime.commands.system import delete
from runtime.config import ROOT

SECONDS = 120


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder on which servers of its own will run."""
    folder = tmp_path / "demo data"
    yield folder
    if folder.exists():
        delete(folder)


def demo(data: Path) -> "subprocess.Popen[str]":
    env = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")}
    return subprocess.Popen([sys.executable, "-m", "runtime.command", "demo", "--data", str(data)], cwd=ROOT, env=env,
                            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test_from_a_pipe_a_tenant_is_heard_a_manager_corrects_and_the_dispatch_is_undone(data: Path) -> None:
    typed = ("outlet in kitchen sparks when i plug in the toaster", "no use bob", "electric", "/undo", "/nonsense")
    out, _ = demo(data).communicate("\n".join(typed), timeout=SECONDS)
    told = iter(out.splitlines())
    for expected in (
        "tenant of 12 Birch #4> outlet", "pending → asking", "Sending Osalpa Electric", "manager> no use bob",
        "Which one?", "manager> electric", "OK, Bob's Electric", "resolved → home", "ledger  dispatch_vendor",
        "vendor  text to Bob's Electric", "tenant of 12 Birch #4> /undo", "undone: dispatch_vendor",
        "There is no /nonsense",
    ):
        assert any(expected in line for line in told), f"{expected!r} is not there, in that order:\n{out}"
    assert out.count("ledger  dispatch_vendor") == 1
    assert running.current(data) is None


def test_when_its_terminal_hangs_up_everything_stops_with_it(data: Path) -> None:
    process = demo(data)
    assert process.stdout is not None
    assert any("Try: outlet" in line for line in process.stdout)
    run = running.current(data)
    assert run is not None
    process.send_signal(signal.SIGHUP)
    process.stdout.read()
    process.wait(SECONDS)
    assert [process.name for process in run.processes if process.birth and process.birth.alive] == []
