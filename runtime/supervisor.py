"""The supervisor: starts the servers and every process of workers.toml, restarts what dies, stops all in order."""

import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
import structlog

from jobs.db import Conn
from jobs.errors import SaysoError
from runtime import embedded, logs, postgres, processes, running, valkey, wiring
from runtime.child import Program, bound, last_line
from runtime.embedded import Server
from runtime.errors import UnreachableError
from runtime.folder import SUPERVISOR, claim, hold
from runtime.kept import Kept

STOP_SECONDS = 25  # what a process may take to end what it is at; its own time-outs are shorter
START_SECONDS = 60  # within which heartbeats are looked for often


@dataclass(frozen=True)
class Plan:
    """What a supervisor is to run. An address that is given is a server of the user's own, which we do not start.

    `programs` makes the processes when the addresses are known; `prepare` brings the database up before they start,
    and says what it waits for.
    """

    data: Path
    database_url: str | None
    broker_url: str | None
    page_port: int | None
    programs: Callable[[str, str], list[Program]]
    prepare: Callable[[Conn, Callable[[str], None]], None]


class Supervisor:
    """`say` prints a line to whoever started it. `came_up` is called once: with True when every process has shown that
    it works, with False when one cannot start (the others go on, and it is tried again)."""

    def __init__(self, plan: Plan, say: Callable[[str], None], came_up: Callable[[bool], None]) -> None:
        self.plan = plan
        self._tell = say
        self._came_up = came_up
        self._announced = False
        self._written = True
        self._beats: dict[str, int] = {}
        self._ready = False
        self._servers: list[Kept] = []  # in the order in which they start
        self._processes: list[Kept] = []
        self._database_url = plan.database_url
        self._broker_url = plan.broker_url
        self._signals = 0
        self._looping = False
        self._began = time.monotonic()

    def run(self) -> None:
        """Run until SIGINT or SIGTERM, then stop everything; the data stays. Only from the main thread.

        Raises NotOursError, DataFolderTakenError, UnreachableError, DidNotStartError and what `prepare` raises, with
        nothing left running.
        """
        data = self.plan.data
        claim(data)
        with hold(data, SUPERVISOR), self._listen() as wake:
            logs.setup("supervisor", data)
            try:
                end_leftovers(data, self._say)
                self._write()
                self._start()
                self._looping = True
                while not self._signals:
                    select.select([wake], [], [], self.turn(time.monotonic()))
                    while wake in select.select([wake], [], [], 0)[0]:
                        wake.recv(4096)
            except KeyboardInterrupt:
                pass
            finally:
                self._looping = True
                self._stop()
                with suppress(OSError):
                    running.remove(data)

    def turn(self, now: float) -> float:
        """One look at every child; seconds until the next one is worth it."""
        children = [*self._servers, *self._processes]
        if any(child.state != "running" for child in self._processes):
            self._listen_for_beats()
        changed = [child.turn(now) for child in children]  # all of them, not only up to the first that changed
        well = all(child.state == "running" for child in children)
        if well and not self._ready:
            self._ready = True
            self._say(f"ready after {time.monotonic() - self._began:.1f} s")
        if any(changed) or not self._written or not running.path(self.plan.data).exists():
            self._write()
        bound(self.plan.data / "logs" / "supervisor.out")
        late = now - self._began > START_SECONDS
        if not self._announced and (well or late or any(child.state == "failed" for child in children)):
            self._announce(well)
        return min([5.0 if well else 1.0 if late else 0.1, *(child.due(now) for child in children)])

    def _announce(self, well: bool) -> None:
        self._announced = True
        for child in [*self._servers, *self._processes]:
            if child.state not in ("running", "failed"):  # of one that failed it has been said
                self._say(f"{child.program.name} is not ready: {last_line(child.output) or 'it has said nothing'}")
        with suppress(OSError):  # whoever waited for it has gone
            self._came_up(well)

    def _start(self) -> None:
        if self._database_url is None or self._broker_url is None:
            home = embedded.home(self.plan.data)
            if self._database_url is None:
                self._database_url = self._bring_up("postgres", lambda: postgres.embedded(home))
            if self._broker_url is None:
                self._broker_url = self._bring_up("valkey", lambda: valkey.embedded(home))
        from runtime import broker  # only a start needs Celery: the other commands stay quick

        broker.ping(self._broker_url)
        with wiring.connect(self._database_url, "supervisor") as db:
            self.plan.prepare(db, self._say)
            processes.forget_this_host(db)
        for program in self.plan.programs(self._database_url, self._broker_url):
            self._say(f"starting {program.name}")
            self._processes.append(Kept(program, self._output(program.name), self._say, self._beats_as(program.name)))

    def _bring_up(self, name: str, make: Callable[[], Server]) -> str:
        self._say(f"starting {name}")
        server = make()
        kept = Kept(server.program, self._output(name), self._say, lambda _: _answers(server),
                    before=server.prepare)
        kept.adopt(embedded.bring_up(server, kept.output))
        self._servers.append(kept)
        self._write()
        return server.url

    def _stop(self) -> None:
        """Processes first, for they need the servers. A second signal gives up waiting for the processes."""
        self._say("stopping")
        for group in (self._processes, self._servers[1:], self._servers[:1]):
            for child in group:
                child.ask_to_stop()
            until = time.monotonic() + STOP_SECONDS
            for child in group:
                while child.runs and time.monotonic() < until and (self._signals < 2 or child in self._servers):
                    time.sleep(0.01)
                child.end()
        self._say("stopped")

    def _beats_as(self, name: str) -> Callable[[int], bool]:
        return lambda pid: self._beats.get(name) == pid

    def _listen_for_beats(self) -> None:
        """The process ids that last had a heartbeat, under the name of each."""
        assert self._database_url is not None
        try:
            with wiring.connect(self._database_url, "supervisor") as db:
                self._beats = {name: row.pid for name, row in processes.of_this_host(db).items()}
        except (UnreachableError, psycopg.Error):
            self._beats = {}

    def _write(self) -> None:
        """Say in run.json how it stands. Where that fails, as on a full disk, everything goes on: it is tried again."""
        me = running.birth(os.getpid())
        assert me is not None
        try:
            running.write(self.plan.data, running.Run(
                supervisor=me, database_url=self._database_url, broker_url=self._broker_url,
                page_port=self.plan.page_port, ready=self._ready,
                processes=[child.report() for child in (*self._servers, *self._processes)]))
            self._written = True
        except OSError as error:
            if self._written:
                self._say(f"what runs is not in run.json, which cannot be written: {error}")
            self._written = False

    def _say(self, line: str) -> None:
        structlog.get_logger().info(line)
        with suppress(OSError, UnicodeEncodeError):  # a terminal that is gone, a full disk
            self._tell(line)

    def _output(self, name: str) -> Path:
        return logs.folder(self.plan.data) / f"{name}.out"

    @contextmanager
    def _listen(self) -> Iterator[socket.socket]:
        """Signals wake the loop. While the servers still start, a first one ends the start."""
        reader, writer = socket.socketpair()
        writer.setblocking(False)

        def stop(number: int, frame: object) -> None:
            self._signals += 1
            if not self._looping:
                raise KeyboardInterrupt

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(writer.fileno())
        try:
            yield reader
        finally:
            signal.set_wakeup_fd(-1)
            for number, handler in before.items():
                signal.signal(number, handler)
            reader.close()
            writer.close()


def _answers(server: Server) -> bool:
    try:
        return server.answers()
    except SaysoError:
        return False


def end_leftovers(data: Path, say: Callable[[str], None]) -> None:
    """End what a killed supervisor left: its children get a signal when it dies, but some take their time."""
    last = running.read(data)
    if last is None:
        return
    left = [process for process in last.processes if process.birth and process.birth.alive]
    for process in left:
        say(f"ending {process.name}, left by the supervisor before")
        _signal(process.birth, signal.SIGINT if process.name == "postgres" else signal.SIGTERM)
    until = time.monotonic() + 5
    for process in left:
        while process.birth and process.birth.alive and time.monotonic() < until:
            time.sleep(0.02)
        if process.name != "postgres":  # that one is waited for where its pid file is looked at
            _signal(process.birth, signal.SIGKILL)
    running.remove(data)


def _signal(birth: running.Birth | None, number: signal.Signals) -> None:
    if birth and birth.alive:
        try:
            os.kill(birth.pid, number)
        except ProcessLookupError:
            return
