"""The rows of the table: each thing done by ours, by hand and by the peers, in turns, so that noise meets all alike."""

import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import jobs
from bench import hand, server
from bench.hand import Hand
from bench.ours import Ours
from bench.peers import PgQueuer, Procrastinate

Tell = Callable[[str], None]
RESOLUTION = jobs.Resolution(
    "confirm",
    True,
    {},
    None,
    "person:bench",
    datetime(2026, 1, 1, tzinfo=UTC),
    [{"words": "yes", "span": [0, 3]}],
    "bench",
)


@dataclass
class Row:
    """One thing, in how many a second each does it; the median of the repeats, with the spread of ours."""

    name: str
    what: str
    rates: dict[str, list[float]] = field(default_factory=dict)

    def rate(self, who: str) -> float | None:
        return statistics.median(self.rates[who]) if who in self.rates else None

    @property
    def ratio(self) -> float | None:
        """Ours to hand-written: the median of the ratios of each repeat."""
        ours, by_hand = self.rates.get(Ours.name), self.rates.get(Hand.name)
        if not ours or not by_hand:
            return None
        return statistics.median(a / b for a, b in zip(ours, by_hand, strict=True))


@dataclass
class Bench:
    """All who are compared, on one server. `repeats` of each row; `count` things in one timing."""

    url: str
    workspace_id: UUID
    ours: Ours
    hand: Hand
    peers: Sequence[Any]
    repeats: int
    count: int
    keys: int = 0

    @property
    def all(self) -> Sequence[Any]:
        return (self.hand, self.ours, *self.peers)

    def fresh(self, who: Any, count: int) -> list[Any]:
        """So many new jobs, as that one wants them."""
        self.keys += count
        return [who.job(server.chat(n), f"{who.name}:{self.keys}:{n}") for n in range(count)]


def bench(url: str, repeats: int, count: int) -> Bench:
    ours = server.database(url, "ours")
    db = server.connect(ours)
    workspace_id = server.prepare(db)
    hand.make(db)
    db.execute("INSERT INTO hand.chats SELECT * FROM chats")
    peers = (Procrastinate(server.database(url, "procrastinate")), PgQueuer(server.database(url, "pgqueuer")))
    return Bench(ours, workspace_id, Ours(db, workspace_id), Hand(db, workspace_id), peers, repeats, count)


def timed(count: int, do: Callable[[], object]) -> float:
    """How many a second."""
    began = time.perf_counter()
    do()
    return count / (time.perf_counter() - began)


def compare(bench: Bench, row: Row, whom: Sequence[Any], once: Callable[[Any], float]) -> Row:
    """One repeat of each, then the next; the first is for warming up."""
    for repeat in range(bench.repeats + 1):
        for who in whom if repeat % 2 else reversed(whom):
            rate = once(who)
            if repeat:
                row.rates.setdefault(who.name, []).append(rate)
    return row


def enqueue_single(bench: Bench) -> Row:
    def once(who: Any) -> float:
        new = bench.fresh(who, bench.count)
        return timed(len(new), lambda: [who.enqueue(job) for job in new])

    return compare(bench, Row("enqueue, single", "one job, committed by itself"), bench.all, once)


def enqueue_duplicate(bench: Bench) -> Row:
    known = {who.name: bench.fresh(who, bench.count) for who in bench.all}
    for who in bench.all:
        for job in known[who.name]:
            who.enqueue(job)

    def once(who: Any) -> float:
        return timed(bench.count, lambda: [who.enqueue(job) for job in known[who.name]])

    return compare(bench, Row("enqueue, duplicate", "its key lives already"), bench.all, once)


def enqueue_in_a_transaction(bench: Bench) -> Row:
    bench.ours.db.execute("CREATE TABLE IF NOT EXISTS hand.business (words text)")

    def once(who: Any) -> float:
        new = bench.fresh(who, bench.count)

        def do() -> None:
            for job in new:
                with who.db.transaction():
                    who.db.execute("INSERT INTO hand.business VALUES ('an order')")
                    who.enqueue(job)

        return timed(len(new), do)

    return compare(
        bench, Row("enqueue, in a transaction", "beside a row of the caller's"), (bench.hand, bench.ours), once
    )


def enqueue_bulk(bench: Bench) -> Row:
    def once(who: Any) -> float:
        new = bench.fresh(who, 1000)
        return timed(len(new), lambda: who.enqueue_many(new))

    return compare(bench, Row("enqueue, bulk", "1,000 in one call"), bench.all, once)


def live(who: Any, chat: str) -> bool:
    resolution = RESOLUTION if isinstance(who, Ours) else RESOLUTION.as_json()
    alive: bool = who.live(chat, resolution)
    return alive


def claim_to_resolve(bench: Bench) -> Row:
    def once(who: Any) -> float:
        count = bench.count // 3
        who.enqueue_many(bench.fresh(who, count))
        if who in bench.peers:
            return timed(count, lambda: who.drain(count))
        return timed(count, lambda: [live(who, server.chat(n)) for n in range(count)])

    what = "a job's whole life: asked, shown, answered, finished; of the peers: claimed and done"
    return compare(bench, Row("claim to resolve", what), bench.all, once)


def many_at_once(
    bench: Bench, row: Row, threads: int, give: Callable[[Any, int], Any], work: Callable[[Any, int, Any], int]
) -> Row:
    """Each thread has a connection; `give` is not timed. `work` says how many it did."""

    def once(who: Any) -> float:
        mine = [type(who)(server.connect(bench.url), bench.workspace_id) for _ in range(threads)]
        given = [give(each, number) for number, each in enumerate(mine)]
        did = [0] * threads

        def run(number: int) -> None:
            did[number] = work(mine[number], number, given[number])

        running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
        rate = timed(1, lambda: run_all(running))
        for each in mine:
            each.db.close()
        return sum(did) * rate

    return compare(bench, row, (bench.hand, bench.ours), once)


def run_all(threads: Sequence[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def drain(bench: Bench, threads: int) -> Row:
    each = bench.count // 3

    def give(who: Any, number: int) -> None:
        who.enqueue_many([who.job(server.chat(number), f"{uuid4()}") for _ in range(each)])

    def work(who: Any, number: int, _: None) -> int:
        return sum(live(who, server.chat(number)) for _ in range(each))

    return many_at_once(
        bench, Row(f"drain, {threads} at once", f"lives of jobs, {threads} threads, a chat each"), threads, give, work
    )


def ten_writers(bench: Bench) -> Row:
    def give(who: Any, number: int) -> list[Any]:
        return [who.job(server.chat(number), f"{uuid4()}") for _ in range(bench.count // 4)]

    def work(who: Any, number: int, new: list[Any]) -> int:
        for job in new:
            who.enqueue(job)
        return len(new)

    return many_at_once(bench, Row("10 writers", "enqueue, single, over 10 connections"), 10, give, work)


ROWS: tuple[Callable[[Bench], Row], ...] = (
    enqueue_single,
    enqueue_duplicate,
    enqueue_in_a_transaction,
    enqueue_bulk,
    claim_to_resolve,
    lambda bench: drain(bench, 1),
    lambda bench: drain(bench, 10),
    ten_writers,
)
