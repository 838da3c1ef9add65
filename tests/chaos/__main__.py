"""`python -m tests.chaos --help`: rounds of orders while everything is killed, each judged from the outside."""

import argparse
import json
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import jobs
from jobs.db import Conn
from tests.chaos import office
from tests.chaos.judge import Fault, faults
from tests.chaos.rounds import Round, StuckError
from tests.chaos.system import System, running_system
from tests.outside.people import People


@dataclass
class Tally:
    """What a run did, for its report."""

    seed: int
    orders: int = 0
    rounds: int = 0
    seconds: float = 0
    hurt: Counter[str] = field(default_factory=Counter)
    counts: dict[str, int] = field(default_factory=dict)  # the provider's own
    statuses: Counter[str] = field(default_factory=Counter)  # of all texts
    points_seen: int = 0
    points_hit: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        kills = Counter(what for what in self.hurt.elements() if not what.startswith("point"))
        return {"seed": self.seed, "rounds": self.rounds, "orders": self.orders, "minutes": round(self.seconds / 60, 1),
                "done to it": dict(sorted(kills.items())), "points seen": self.points_seen,
                "points died at": len(self.points_hit), "deaths at points": self.points_hit.total(),
                "provider": dict(sorted(self.counts.items())), "texts": dict(sorted(self.statuses.items())),
                "wrong": self.wrong}


def run(system: System, seed: int, rounds: int, orders: int, tell: Any) -> Tally:
    """Play the rounds; stops at the first in which something is wrong."""
    dice, tally, began = random.Random(seed), Tally(seed), time.monotonic()
    workspace_id = office.make(system)
    people = People(system.provider, office.VENDORS, random.Random(dice.random()))
    for number in range(rounds + 1):  # the first is gentle: it shows where the points are
        played = Round(system, workspace_id, people, number, orders, random.Random(dice.random()))
        try:
            seconds = played.play(gently=number == 0)
            tally.wrong = told(system, faults(played.evidence()))
        except StuckError as stuck:
            seconds, tally.wrong = time.monotonic() - began, [str(stuck), *why_stuck(system)]
        tally.rounds, tally.orders, tally.seconds = number, tally.orders + orders, time.monotonic() - began
        tally.hurt.update(played.hurt)
        left = tally.seconds / (number + 1) * (rounds - number) / 60
        tell(f"round {number:3} of {rounds}: {seconds:5.1f} s, {', '.join(played.hurt) or 'gently'}; "
             f"{left:.0f} min left{'' if not tally.wrong else '  WRONG'}")
        if tally.wrong:
            break
    tally.counts, tally.points_seen = system.counts(), len(system.points.seen())
    tally.points_hit.update(system.points.hits())
    with system.connect() as db:
        tally.statuses.update({row["status"]: row["n"] for row in db.execute(
            "SELECT status, count(*) AS n FROM channel_messages GROUP BY 1")})
    return tally


def told(system: System, found: list[Fault]) -> list[str]:
    """Each fault, with the stories of its jobs."""
    with system.connect() as db:
        return ["\n  ".join([f"{fault.rule}: {fault.what}", *(line for job in fault.jobs for line in story(db, job))])
                for fault in found]


def story(db: Conn, job_id: UUID) -> list[str]:
    return [f"{line['at']:%H:%M:%S.%f} {line['what']} {line['detail'] or ''} ({line['actor']}, turn {line['turn_no']})"
            for line in jobs.timeline(db, job_id)]


def why_stuck(system: System) -> list[str]:
    with system.connect() as db:
        live = db.execute("SELECT id FROM jobs WHERE finished_at IS NULL ORDER BY id LIMIT 5").fetchall()
        texts = db.execute("SELECT id, status, purpose, attempts, due_at, last_error FROM channel_messages"
                           " WHERE ended_at IS NULL LIMIT 5").fetchall()
        return [*(f"{row['id']}: {' '.join(jobs.why(db, row['id'], jobs.now(db)))}" for row in live),
                *(str(dict(text)) for text in texts), str(system.status())]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None, help="the same script again; not to the millisecond")
    parser.add_argument("--orders", type=int, default=60, help="in each round, over 12 chats")
    parser.add_argument("--keep", action="store_true", help="keep the data folder; a faulty one is kept anyway")
    parser.add_argument("--out", type=Path, help="write the result there too, as Markdown")
    parser.add_argument("--json", action="store_true", dest="as_json")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.randrange(10**6)
    with running_system(seed) as system:
        tally = run(system, seed, given.rounds, given.orders, lambda line: print(line, file=sys.stderr, flush=True))
        if tally.wrong or given.keep:
            system.keep.touch()
            print(f"kept: {system.data.parent}", file=sys.stderr)
    print(json.dumps(tally.as_json(), indent=1) if given.as_json else as_markdown(tally))
    if given.out:
        given.out.write_text(as_markdown(tally))
    return 1 if tally.wrong else 0


def as_markdown(tally: Tally) -> str:
    told = tally.as_json()
    rows = [(name, ", ".join(f"{key} {value}" for key, value in what.items()) if isinstance(what, dict) else what)
            for name, what in told.items() if name != "wrong"]
    lines = ["# Kill test", "", "| | |", "|---|---|", *(f"| {name} | {what} |" for name, what in rows), "",
             "Nothing was wrong." if not tally.wrong else "WRONG:", *(f"- {fault}" for fault in tally.wrong)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
