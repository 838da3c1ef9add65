"""The data folder: what is not ours is left alone, and whoever holds it is known."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runtime.commands.system import stop
from runtime.config import ROOT
from runtime.folder import DataFolderTakenError, NotOursError, claim, hold

HOLDS = "import sys, pathlib; from runtime.folder import hold\n" \
        "with hold(pathlib.Path(sys.argv[1]), sys.argv[2]): print(flush=True), sys.stdin.read()"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    claim(tmp_path / "data")
    return tmp_path / "data"


@contextmanager
def held(data: Path, what: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Another process holds it, and has written no run.json."""
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(data), what], cwd=ROOT, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def test_a_folder_with_the_files_of_others_under_our_names_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    with pytest.raises(NotOursError, match="logs"):
        claim(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]


def test_a_folder_that_does_not_exist_or_is_not_marked_is_not_held(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(NotOursError), hold(folder, "backup"):
            pass
    assert list(tmp_path.iterdir()) == []


def test_a_supervisor_without_run_json_is_stopped_by_what_it_wrote_into_the_lock(data: Path) -> None:
    with held(data, "supervisor") as process:
        assert stop(data)
        assert process.wait(5) == -15
    assert not stop(data)


def test_down_does_not_stop_a_backup_and_says_who_holds_the_folder(data: Path) -> None:
    with held(data, "backup") as process:
        with pytest.raises(DataFolderTakenError, match=f"the backup, process {process.pid}"):
            stop(data)
        assert process.poll() is None


def test_a_lock_that_names_nobody_is_no_reason_to_signal_anybody(data: Path) -> None:
    with held(data, "supervisor") as process:
        (data / "lock").write_text("process 1")
        with pytest.raises(DataFolderTakenError, match="has not said which"):
            stop(data)
        assert process.poll() is None
