"""The office that a chaos run works in: twelve managers, each with a property, and vendors, all reached over HTTP."""

import csv
import random
import time
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import psycopg

from subsystems import intake
from tests.chaos.system import System

CHATS = 12
UNITS = 5  # in each property
HOLD_SECONDS = 30
VENDORS = {"E": ("Osalpa", "Reyes", "Marlow"), "P": ("Delgado", "Quimby", "Torvald")}
TRADES = {"E": "electrical", "P": "plumbing"}
WORDS = {"E": ("the outlet in the kitchen is dead", "the breaker keeps tripping", "the hallway light switch is broken"),
         "P": ("the toilet keeps running", "the kitchen sink wont drain", "bathroom faucet drips all night")}


def make(system: System) -> UUID:
    """By the commands that anybody would use. Returns the workspace's id."""
    _run(system, "workspace", "init", "Chaos & Co", "--manager", "Manager 0", "--chat", "chat-0", "--channel", "http",
         "--address", "pm-0", "--hold-seconds", str(HOLD_SECONDS))
    every = range(CHATS)
    _sheet(system, "people", ("id", "name", "role", "chat", "channel", "address"),
           [(f"m{n}", f"Manager {n}", "manager", f"chat-{n}", "http", f"pm-{n}") for n in every[1:]])
    _sheet(system, "properties", ("id", "name", "address", "manager"),
           [(f"p{n}", f"{n} Birch", f"{n} Birch Street", f"m{n}" if n else "chat-0") for n in every])
    units = [(n, u) for n in every for u in range(UNITS)]
    _sheet(system, "units", ("id", "property", "label"), [(f"u{n}-{u}", f"p{n}", f"#{u}") for n, u in units])
    _sheet(system, "people", ("id", "name", "unit", "channel", "address"),
           [(f"t{n}-{u}", f"Tenant {n} {u}", f"u{n}-{u}", "http", f"t-{n}-{u}") for n, u in units])
    _sheet(system, "vendors", ("id", "name", "trades", "insured_until", "channel", "address"),
           [(name.lower(), name, TRADES[letter], "2099-01-01", "http", f"v-{name}")
            for letter, names in VENDORS.items() for name in names])
    with system.connect() as db:
        row = db.execute("SELECT id FROM directory_workspaces").fetchone()
        assert row is not None
        found: UUID = row["id"]
        return found


def references(round_no: int, orders: int, dice: random.Random) -> list[tuple[str, str]]:
    """The orders of a round: for each its reference, and the unit it is about; as many in each chat."""
    return [(f"{dice.choice('EP')}{round_no}-{n:03}", f"u{n % CHATS}-{n // CHATS % UNITS}") for n in range(orders)]


def give(system: System, workspace_id: UUID, orders: Sequence[tuple[str, str]], dice: random.Random) -> None:
    """Report each order, again and again with the same id until it is certainly in."""
    for ref, unit in orders:
        words = f"{dice.choice(WORDS[ref[0]])}, ref {ref}"
        while not _reported(system, workspace_id, ref, unit, words):
            time.sleep(0.3)


def _reported(system: System, workspace_id: UUID, ref: str, unit: str, words: str) -> bool:
    try:
        with system.connect() as db, db.transaction():
            place = db.execute("SELECT id FROM directory_units WHERE external_id = %s", (unit,)).fetchone()
            tenant = db.execute("SELECT id, app_now() AS now FROM directory_people WHERE unit_id = %s",
                                (place["id"] if place else None,)).fetchone()
            assert place is not None
            assert tenant is not None
            intake.report(db, workspace_id, origin="tenant", external_id=ref, words=words, unit_id=place["id"],
                          tenant_id=tenant["id"], category=None, received_at=tenant["now"])
    except psycopg.OperationalError:
        return False  # it may be in or not: the next try finds out
    return True


def _sheet(system: System, kind: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    file = Path(system.log.parent) / f"{kind}.csv"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([heads, *rows])
    _run(system, "import", kind, str(file))


def _run(system: System, *words: str) -> None:
    done = system.command(*words, "--data", str(system.data))
    assert done.returncode == 0, done.stdout + done.stderr
