"""One program kept running: the pauses between its starts, and when it counts as failed. Time is passed in."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runtime.child import Program
from runtime.kept import Kept

Make = Callable[..., Kept]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Kept] = []

    def kept(code: str, works: bool = False) -> Kept:
        program = Program("relay", (sys.executable, "-S", "-c", code), tmp_path)
        made.append(Kept(program, tmp_path / "relay.out", said.append, lambda _: works))
        return made[-1]

    said.clear()
    yield kept
    for each in made:
        each.end()


said: list[str] = []


def dies(kept: Kept, started: float, lived: float) -> float:
    """Start it, wait for its death, let it be noticed after so many seconds; seconds until the next start."""
    if kept.process is None:
        kept.turn(started)
    assert kept.process
    kept.process.wait(10)
    kept.turn(started + lived)
    return kept.due(started + lived)


def worked(kept: Kept, started: float, lived: float) -> float:
    """The same for one that has shown that it works."""
    kept.turn(started)
    kept.state = "running"
    return dies(kept, started, lived)


def test_the_pause_doubles_with_each_death_within_ten_seconds_up_to_thirty_seconds(make: Make) -> None:
    kept, now, pauses = make("", works=True), 0.0, []
    for _ in range(7):
        pauses.append(worked(kept, now, 9))
        now += 9 + pauses[-1]
    assert pauses == [1, 2, 4, 8, 16, 30, 30]


def test_one_that_worked_for_ten_seconds_starts_again_after_one_however_often_it_dies(make: Make) -> None:
    kept = make("", works=True)
    assert [worked(kept, started, 5) for started in (0, 10)] == [1, 2]
    assert [worked(kept, started, 10) for started in (20, 40, 60)] == [1, 1, 1]
    assert worked(kept, 80, 5) == 1


def test_one_that_never_worked_waits_ever_longer_however_long_it_lived(make: Make) -> None:
    kept = make("")
    assert [dies(kept, started, 60) for started in (0, 100, 200)] == [1, 2, 4]


def test_after_five_failed_starts_it_says_why_once_and_is_tried_every_thirty_seconds(make: Make) -> None:
    kept, now = make("print('no such queue')"), 0.0
    for _ in range(6):
        now += 1 + dies(kept, now, 1)
    assert kept.state == "failed"
    assert kept.report().said == "no such queue"
    assert [line for line in said if "cannot start" in line] == [
        f"relay cannot start: no such queue (see {kept.output})"]
    assert kept.due(now) <= 30


def test_one_that_failed_is_running_again_when_it_shows_that_it_works(make: Make) -> None:
    kept = make("import time; time.sleep(60)", works=True)
    kept.state = "failed"
    for now in (0, 1):
        kept.turn(now)
    assert kept.report().state == "running"


def test_one_that_cannot_even_be_begun_is_tried_again_and_ends_nobody_else(make: Make, tmp_path: Path) -> None:
    kept = make("import time; time.sleep(60)", works=True)
    (tmp_path / "logs").write_text("in the way")
    kept.output = tmp_path / "logs" / "relay.out"
    kept.turn(0)
    assert (kept.state, kept.due(0)) == ("failed", 30)
    assert said[0].startswith("relay cannot start: ")
    (tmp_path / "logs").unlink()
    for now in (30, 31):
        kept.turn(now)
    assert kept.report().state == "running"


def test_a_program_that_prints_without_end_fills_no_disk(make: Make, tmp_path: Path) -> None:
    kept = make("import time; time.sleep(60)", works=True)
    kept.turn(0)
    kept.turn(1)
    kept.output.write_bytes(b"x" * 10_000_001)
    kept.turn(2)
    assert kept.output.stat().st_size == 0
    assert (tmp_path / "relay.out.1").stat().st_size == 10_000_001
