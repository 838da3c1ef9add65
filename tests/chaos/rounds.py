"""One round: orders come in, people answer, things are killed, and then all comes to rest."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import psycopg

from tests.chaos import office
from tests.chaos.judge import Evidence
from tests.chaos.system import KILLED, System
from tests.outside.people import People

HURT_SECONDS = 8.0  # the part of a round in which things are killed
REST_SECONDS = 150.0  # by then all must be at rest
POINTS, KILLS, OTHERS = 4, 2, 1  # of each sort in a round
RELEASE_SECONDS = (10, 45)  # the clock is moved so far, now and then, or holds would last for real
MOVES_EVERY = 1.5


@dataclass
class Round:
    """One round of a run. `hurt` says what was done to the system."""

    system: System
    workspace_id: UUID
    people: People
    number: int
    orders: int
    dice: random.Random
    hurt: list[str] = field(default_factory=list)

    def play(self, gently: bool = False) -> float:
        """Play it until all is at rest; the seconds it took. Raises StuckError. `gently`: nothing is hurt."""
        began = time.monotonic()
        references = office.references(self.number, self.orders, self.dice)
        giver = threading.Thread(target=office.give, args=(
            self.system, self.workspace_id, references, random.Random(self.dice.random())), daemon=True)
        giver.start()
        faults = [] if gently else sorted(self._faults(), key=lambda fault: fault[0])
        next_move = began + MOVES_EVERY
        while True:
            now = time.monotonic()
            if not self.people.turn():
                time.sleep(0.03)
            while faults and now - began >= faults[0][0]:
                self._hurt(*faults.pop(0)[1:])
            if now >= next_move:
                next_move = now + MOVES_EVERY
                self.system.shim.move(self.dice.randint(*RELEASE_SECONDS))
                if not faults:
                    self.system.points.disarm()
                    if not giver.is_alive() and not (moving := self._moving()):
                        return time.monotonic() - began
                    if now - began > REST_SECONDS:
                        raise StuckError(self, moving if not giver.is_alive() else {"orders": "not yet in"})

    def _faults(self) -> Iterator[tuple[float, str, Callable[[], object]]]:
        def when() -> float:
            return self.dice.uniform(0.5, HURT_SECONDS)

        seen, hits = sorted(self.system.points.seen()), self.system.points.hits()
        least = sorted(seen, key=lambda point: (hits.count(point), self.dice.random()))
        for point in least[:POINTS]:
            yield when(), f"point {point}", lambda point=point: self.system.points.arm(point)  # type: ignore[misc]
        for _ in range(KILLS):
            name = self.dice.choice(KILLED)
            yield when(), f"kill {name}", lambda name=name: self.system.kill(name)  # type: ignore[misc]
        others: dict[str, Callable[[], object]] = {
            "flush the broker": self.system.flush_broker,
            "lose the broker's disk": self.system.lose_broker_disk,
            "clock forward": lambda: self.system.shim.move(self.dice.randint(60, 900)),
            "clock back": lambda: self.system.shim.move(-self.dice.randint(5, 60))}
        for name in self.dice.sample(sorted(others), OTHERS):
            yield when(), name, others[name]

    def _hurt(self, name: str, act: Callable[[], object]) -> None:
        act()
        self.hurt.append(name)

    def _moving(self) -> dict[str, Any]:
        """What is not at rest yet."""
        try:
            with self.system.connect() as db:
                row = db.execute(MOVING, {"events": [said.event_id for said in self.people.said[-2000:]]}).fetchone()
        except psycopg.OperationalError:
            return {"database": "away"}
        return {name: number for name, number in (row or {}).items() if number}

    def evidence(self) -> Evidence:
        """All that there is about this round."""
        with self.system.connect() as db:
            like = {"like": f"_{self.number}-%"}
            found = {name: db.execute(query, like).fetchall() for name, query in EVIDENCE.items()}
        texts = {str(row["id"]) for row in found["texts"]}
        every = {str(row["id"]) for row in found.pop("every_text")}
        vendors = {str(row["id"]): str(row["name"]) for row in found.pop("vendors")}
        return Evidence(
            **found, vendors=vendors,
            taken=[entry for entry in self.system.taken() if entry["id"] in texts or entry["id"] not in every],
            said=[said for said in self.people.said if said.ref[1:].startswith(f"{self.number}-")])


class StuckError(Exception):
    """A round did not come to rest."""

    def __init__(self, played: Round, moving: dict[str, Any]) -> None:
        super().__init__(f"not at rest after {REST_SECONDS:.0f} s: {moving}")
        self.moving = moving


MOVING = """
SELECT (SELECT count(*) FROM jobs WHERE finished_at IS NULL) AS jobs_not_home,
       (SELECT count(*) FROM channel_messages WHERE ended_at IS NULL) AS texts_not_ended,
       (SELECT count(*) FROM channel_messages WHERE ended_at IS NOT NULL AND source IS NOT NULL AND settled_at IS NULL)
         AS texts_not_settled,
       (SELECT count(*) FROM channel_inbound i
         WHERE NOT EXISTS (SELECT FROM conductor_readings r WHERE r.inbound_id = i.id)) AS unread,
       (SELECT count(*) FROM unnest(%(events)s::text[]) AS said (id)
         WHERE NOT EXISTS (SELECT FROM channel_inbound i WHERE i.provider_id = said.id)) AS said_and_not_stored
"""
OF_ROUND = "(SELECT id::text FROM intake_orders WHERE external_id LIKE %(like)s)"
JOBS = f"(SELECT id FROM jobs WHERE issue_id IN {OF_ROUND})"
ASKS = f"(SELECT ask_id FROM ask_items WHERE job_id IN {JOBS})"
EVIDENCE = {
    "orders": "SELECT * FROM intake_orders WHERE external_id LIKE %(like)s",
    "jobs": f"SELECT * FROM jobs WHERE issue_id IN {OF_ROUND}",
    "events": f"SELECT * FROM job_events WHERE job_id IN {JOBS} ORDER BY id",
    "asks": "SELECT * FROM asks ORDER BY opened_turn",
    "items": f"SELECT * FROM ask_items WHERE job_id IN {JOBS}",
    "texts": f"SELECT * FROM channel_messages WHERE job_id IN {JOBS} OR ask_id IN {ASKS}",
    "calls": f"SELECT * FROM ledger_calls WHERE job_id IN {JOBS}"
             f" OR undoes IN (SELECT id FROM ledger_calls WHERE job_id IN {JOBS})",
    "heard": "SELECT i.provider_id, EXISTS (SELECT FROM conductor_readings r WHERE r.inbound_id = i.id) AS was_read"
             " FROM channel_inbound i",
    "every_text": "SELECT id FROM channel_messages",
    "vendors": "SELECT id, name FROM directory_vendors",
}
