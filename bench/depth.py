"""The cost of the next ask, with ever more jobs waiting behind an open ask, and ever more finished ones."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from psycopg.types.json import Jsonb

import jobs
from bench import server
from bench.hand import ASK, RESUME
from bench.ours import Ours
from jobs.db import Conn

TURNS = 200
BUSY = 2  # chats that all the waiting jobs are in


@dataclass(frozen=True)
class Depth:
    """Milliseconds at the median: a turn that looks for what is next in a busy chat, a look for all that is due, an
    enqueue elsewhere."""

    waiting: int
    finished: int
    turn_ms: float
    sweep_ms: float
    enqueue_ms: float


def measure(url: str, sizes: Sequence[int], tell: Callable[[str], None]) -> list[Depth]:
    """One database that is filled up, first with waiting jobs, then with finished ones too."""
    db = server.connect(server.database(url, "depth"))
    workspace_id = server.prepare(db)
    ours, found, there = Ours(db, workspace_id), [], {"waiting": 0, "finished": 0}
    for kind, size in [("waiting", size) for size in sizes] + [("finished", size) for size in sizes]:
        tell(f"next ask: {size:,} {kind}")
        fill(db, workspace_id, kind, there[kind], size)
        there[kind] = size
        new = [ours.job(server.chat(9), f"{kind}:{size}:{n}") for n in range(TURNS)]
        found.append(
            Depth(
                there["waiting"],
                there["finished"],
                median_ms([partial(ours.next_ask, server.chat(n % BUSY)) for n in range(TURNS)]),
                median_ms([lambda: jobs.due(db, jobs.now(db))] * 20),
                median_ms([partial(ours.enqueue, job) for job in new]),
            )
        )
        for number in range(server.CHATS):  # what is due was looked at, as a conductor would
            ours.next_ask(server.chat(number))
    db.close()
    return found


def median_ms(do: Sequence[Callable[[], object]]) -> float:
    took = []
    for each in do:
        began = time.perf_counter()
        each()
        took.append(time.perf_counter() - began)
    return statistics.median(took) * 1000


def fill(db: Conn, workspace_id: UUID, kind: str, above: int, size: int) -> None:
    """Rows as they would have become, written without the triggers that would take a minute for it."""
    with db.transaction():
        db.execute("SET LOCAL session_replication_role = replica")
        db.execute(
            FILL[kind],
            {
                "ws": workspace_id,
                "above": above,
                "size": size,
                "ask": Jsonb(ASK),
                "resume": Jsonb(RESUME),
                "said": Jsonb(
                    {
                        "verdict": "confirm",
                        "confirmed": True,
                        "decided_by": "person:bench",
                        "decided_at": "2026-01-01T00:00:00Z",
                        "evidence": [{"words": "yes"}],
                    }
                ),
            },
        )
    db.execute("VACUUM ANALYZE jobs")


FILL = {
    "waiting": f"""
        INSERT INTO jobs (workspace_id, source, kind, chat_guid, dedupe_key, ask, resume)
        SELECT %(ws)s, 'memory', 'question', 'chat-' || n %% {BUSY}, 'waiting:' || n, %(ask)s, %(resume)s
          FROM generate_series(%(above)s::int + 1, %(size)s::int) AS n""",
    "finished": f"""
        INSERT INTO jobs (workspace_id, source, kind, chat_guid, dedupe_key, ask, resume, status, resolution,
                          answered_rev, decision_no, release_at, ended_at, finish_after, finished_at)
        SELECT %(ws)s, 'memory', 'question', 'chat-' || n %% {server.CHATS}, 'finished:' || n, %(ask)s, %(resume)s,
               'resolved', %(said)s, 1, 1, now(), now(), now(), now()
          FROM generate_series(%(above)s::int + 1, %(size)s::int) AS n""",
}
