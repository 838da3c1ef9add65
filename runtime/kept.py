"""Kept: one program that is kept running, with longer and longer pauses when it keeps dying young."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from jobs.errors import SaysoError
from runtime import child
from runtime.child import Popen, Program
from runtime.running import ProcessReport, State, birth

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 30.0
YOUNG_SECONDS = 10  # one that worked and lived this long starts again after the first pause
FAILED_STARTS = 5  # so often in a row: failed, until it works


@dataclass
class Kept:
    """`works` says of a process id whether that process has shown that it works: then it is running, before it is only
    starting. `before` runs before every start but the first; `say` tells the person who looks on.

    Times are of the monotonic clock. Used from the main thread alone (see child.spawn).
    """

    program: Program
    output: Path
    say: Callable[[str], None]
    works: Callable[[int], bool]
    before: Callable[[], None] = lambda: None
    process: Popen | None = None
    state: State = "stopped"
    restarts: int = 0
    _began: float = 0.0
    _next_start: float = 0.0
    _pause: float = FIRST_PAUSE_SECONDS
    _failed_starts: int = 0
    _since: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def turn(self, now: float) -> bool:
        """Notice a death, start what is due; whether anything changed."""
        if self.process is None:
            if now < self._next_start:
                return False
            self._start(now)
            return True
        if self.process.poll() is not None:
            self._died(now)
            return True
        if self.state != "running" and self.works(self.process.pid):
            self._enter("running")
            self._failed_starts = 0
            return True
        child.bound(self.output)
        return False

    def adopt(self, process: Popen) -> None:
        """Keep one that was started, and found well, elsewhere."""
        self.process, self._began = process, time.monotonic()
        self._enter("running")

    def due(self, now: float) -> float:
        """Seconds until a turn may have something to do, if nothing dies before."""
        if self.process is None:
            return max(0.0, self._next_start - now)
        return 5.0

    def ask_to_stop(self) -> None:
        if self.process and self.runs:
            self.process.send_signal(self.program.stop_signal)

    def end(self) -> None:
        """End it, if it has not stopped."""
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None
        self._enter("stopped")

    def report(self) -> ProcessReport:
        return ProcessReport(
            name=self.program.name, state=self.state, restarts=self.restarts, since=self._since,
            birth=birth(self.process.pid) if self.process else None,
            said=child.last_line(self.output) if self.state == "failed" else None)

    def _start(self, now: float) -> None:
        again = self.state != "stopped"
        self.restarts += again
        try:
            if again:
                self.before()
            self.process, self._began = child.spawn(self.program, self.output), now
        except (SaysoError, OSError) as error:
            if self.state != "failed":
                self.say(f"{self.program.name} cannot start: {error}")
            self._next_start = now + LONGEST_PAUSE_SECONDS
            self._enter("failed")
            return
        if self.state != "failed":
            self._enter("starting")

    def _died(self, now: float) -> None:
        assert self.process is not None
        code, lived = self.process.returncode, now - self._began
        self.process = None
        worked = self.state == "running"
        self._failed_starts += not worked
        young = not worked or lived < YOUNG_SECONDS
        if not young:
            self._pause = FIRST_PAUSE_SECONDS
        if self._failed_starts >= FAILED_STARTS:
            if self.state != "failed":
                self.say(f"{self.program.name} cannot start: {child.last_line(self.output)} (see {self.output})")
            self._pause = LONGEST_PAUSE_SECONDS
            self._enter("failed")
        else:
            self.say(f"{self.program.name} ended with {code} after {lived:.0f} s; "
                     f"it starts again in {self._pause:.0f} s")
            self._enter("waiting")
        self._next_start = now + self._pause
        if young:
            self._pause = min(LONGEST_PAUSE_SECONDS, self._pause * 2)

    def _enter(self, state: State) -> None:
        self.state, self._since = state, datetime.now(UTC)
