"""A supervisor with small processes of its own, for the tests to start, look at and kill.

    python tests/runtime/a_desk.py DATA up|detach NAME=beats|dies ...
"""

import sys
from pathlib import Path

from jobs.errors import SaysoError
from runtime import logs, wiring
from runtime.child import Program
from runtime.config import ROOT
from runtime.detach import CameUp, Say, detach
from runtime.folder import claim
from runtime.migrate import migrate
from runtime.supervisor import Plan, Supervisor

BEATS = "import sys; from runtime import processes, wiring; " \
        "processes.Heartbeat(sys.argv[1], lambda: wiring.connect(sys.argv[2], sys.argv[1])).run()"
DIES = "print('no such thing as a relay'); raise SystemExit(3)"


def main(data: Path, how: str, named: list[str]) -> int:
    def programs(database_url: str, broker_url: str) -> list[Program]:
        pairs = [pair.split("=") for pair in named]
        return [Program(name, (sys.executable, "-c", {"beats": BEATS, "dies": DIES}[what], name, database_url), ROOT)
                for name, what in pairs]

    plan = Plan(data, wiring.external("DATABASE_URL"), wiring.external("REDIS_URL"), None, programs,
                lambda db, say: print("migrated", migrate(db)))

    def run(say: Say, came_up: CameUp) -> None:
        Supervisor(plan, say, came_up).run()

    def say(line: str) -> None:
        print(line, flush=True)

    if how == "detach":
        claim(data)
        try:
            return 0 if detach(run, logs.folder(data) / "supervisor.out", say) else 1
        except SaysoError as error:
            say(f"error: {error}\n{error.next_step}")
            return 1
    run(say, lambda well: say("up" if well else "not up"))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
