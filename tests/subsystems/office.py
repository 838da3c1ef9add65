"""What the tests of intake and memory work with: a small workspace, a clock, and a manager who answers at once."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import directory
import jobs
import ledger
from channels import delivery, due, settling
from channels.contract import Accepted, LookedUp, Outgoing, Rejected, Submitted, Unknown
from jobs.db import Conn
from subsystems import intake, memory
from subsystems.memory.rows import PolicyRow

CHAT = "pm"
VENDORS = (  # external id, name, trades, active, insured
    ("osalpa", "Osalpa Electric", ["electrical"], True, True),
    ("bob", "Bob's Electric", ["electrical"], True, True),
    ("lapsed", "Lapsed Wiring", ["electrical"], True, False),
    ("gone", "Gone Electric", ["electrical"], False, True),
    ("delgado", "Delgado Plumbing", ["plumbing"], True, True),
)
TOOLS = {tool.name: tool for owner in (intake.OWNER, memory.OWNER) for tool in owner.tools}
SPARKS = "outlet in kitchen sparks when i plug in the toaster"


class Scripted:
    """A channel that answers as the test says: to one address, or to all. The rest it takes."""

    name = "terminal"

    def __init__(self, answer: Submitted, address: str | None = None) -> None:
        self.answer = answer
        self.address = address
        self.sent: list[tuple[str, str]] = []

    def submit(self, text: Outgoing) -> Submitted:
        self.sent.append((text.address, text.body))
        return self.answer if self.address in (None, text.address) else Accepted("there")

    def look_up(self, text: Outgoing) -> LookedUp:
        return Unknown("nobody knows")


TAKES = Scripted(Accepted("there"))
REFUSES = Scripted(Rejected("no such number"))


class Office:
    """12 Birch with a tenant in #4 and nobody in #5, five vendors, and Dana who manages it, in one session's time."""

    def __init__(self, db: Conn) -> None:
        self.db = db
        jobs.register_kinds(db, [(o.source, kind) for o in (intake.OWNER, memory.OWNER) for kind in o.kinds])
        self.ws = directory.create_workspace(db, name="Birch", manager_name="Dana", chat_guid=CHAT, hold_seconds=5).id
        self.dana = directory.manager_in(db, self.ws, CHAT).id
        self.property_id = self.insert(
            "directory_properties (workspace_id, external_id, name, address, manager_id)"
            " VALUES (%s, 'birch', '12 Birch', '12 Birch Street', %s)",
            self.dana,
        )
        units = "directory_units (workspace_id, external_id, property_id, label) VALUES (%s, %s, %s, %s)"
        self.unit = self.insert(units, "b4", self.property_id, "#4")
        self.vacant = self.insert(units, "b5", self.property_id, "#5")
        self.maya = self.insert(
            "directory_people (workspace_id, external_id, name, role, address, unit_id)"
            " VALUES (%s, 'maya', 'Maya', 'tenant', 'maya', %s)",
            self.unit,
        )
        self.vendors = {
            key: self.insert(
                "directory_vendors (workspace_id, external_id, name, trades, is_active, insured_until, address, rate)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, '$95/h')",
                key,
                name,
                trades,
                active,
                "2100-01-01" if insured else None,
                key,
            )
            for key, name, trades, active, insured in VENDORS
        }
        self.now = jobs.now(db)
        self.advance(0)

    def insert(self, what: str, *values: object) -> UUID:
        row = self.db.execute(f"INSERT INTO {what} RETURNING id".encode(), (self.ws, *values)).fetchone()
        assert row is not None
        made: UUID = row["id"]
        return made

    def rows(self, query: str, *values: object) -> list[dict[str, Any]]:
        return self.db.execute(query.encode(), values).fetchall()

    def advance(self, seconds: float) -> datetime:
        self.now += timedelta(seconds=seconds)
        self.db.execute("SELECT set_config('sayso.now', %s, false)", (self.now.isoformat(),))
        return self.now

    def state_policy(self, vendor: str = "osalpa", trade: str = "electrical", **more: Any) -> PolicyRow:
        return memory.state_policy(
            self.db, self.ws, trade=trade, vendor_id=self.vendors[vendor], stated_by=self.dana, **more
        )

    def report(self, words: str = SPARKS, external_id: str = "1", **given: Any) -> intake.Reported:
        fields = {
            "origin": "tenant",
            "unit_id": self.unit,
            "tenant_id": self.maya,
            "category": None,
            "received_at": self.now,
            **given,
        }
        return intake.report(self.db, self.ws, external_id=external_id, words=words, **fields)

    def order(self, order_id: UUID) -> dict[str, Any]:
        [row] = self.rows("SELECT * FROM intake_orders WHERE id = %s", order_id)
        return row

    def live(self, order_id: UUID) -> jobs.Job | None:
        """The question about an order that is not home."""
        rows = self.rows("SELECT * FROM jobs WHERE dedupe_key = %s AND finished_at IS NULL", f"order:{order_id}")
        return jobs.Job(**rows[0]) if rows else None

    def notices(self) -> list[str]:
        rows = self.rows("SELECT ask ->> 'draft' AS draft FROM jobs WHERE kind = 'notice' ORDER BY id")
        return [row["draft"] for row in rows]

    def shown(self, order_id: UUID) -> jobs.Job:
        """The question of an order, as after the manager has seen it."""
        job = self.live(order_id)
        assert job is not None
        with self.db.transaction():
            chat = jobs.begin_turn(self.db, self.ws, CHAT)
            assert chat is not None
            ask = jobs.claim(self.db, chat, [job])
            jobs.mark_submitted(self.db, ask.id)
            jobs.mark_shown(self.db, ask.id, "accepted")
            [job] = jobs.asked(self.db, ask.id)
        return job

    def answer(
        self,
        order_id: UUID,
        verdict: Any = "confirm",
        confirmed: bool | None = True,
        freeform: str | None = None,
        **slots: Any,
    ) -> jobs.Job:
        """The manager answers, and the hold passes: the end is due at its owner."""
        job = self.shown(order_id)
        resolution = jobs.Resolution(
            verdict, confirmed, slots, freeform, f"person:{self.dana}", self.now, [{"words": verdict}], "test"
        )
        job = jobs.resolve(self.db, job, resolution, job.ask_rev)
        self.advance(10)
        return job

    def finish(self, job_id: UUID) -> None:
        """What runtime does with an end that is due."""
        job = jobs.release(self.db, job_id, intake.OWNER.source)
        if job is None:
            return
        with self.db.transaction():
            intake.OWNER.finish(self.db, jobs.finish(self.db, job), self.now)

    def decide(self, order_id: UUID, verdict: Any = "confirm", confirmed: bool | None = True, **more: Any) -> jobs.Job:
        job = self.answer(order_id, verdict, confirmed, **more)
        self.finish(job.id)
        return jobs.get(self.db, job.id)

    def deliver(self, channel: Scripted = TAKES) -> None:
        """Send what is due, and tell intake how it ended."""
        for waiting in due.look(self.db, self.now).deliveries:
            delivery.deliver(self.db, waiting.message_id, [channel])
        for ended in due.look(self.db, self.now).settlements:
            with self.db.transaction():
                if (message := settling.settle(self.db, ended.message_id)) is not None:
                    intake.OWNER.settled(self.db, message, self.now)

    def texts(self) -> list[tuple[str, str]]:
        """Who was written to outside the chat, and how far each text got."""
        return [
            (row["who"], row["status"])
            for row in self.rows(
                "SELECT coalesce(v.external_id, p.external_id) AS who, m.status FROM channel_messages m"
                " LEFT JOIN directory_vendors v ON v.id = m.vendor_id"
                " LEFT JOIN directory_people p ON p.id = m.person_id"
                " WHERE m.chat_guid IS NULL ORDER BY m.created_at, m.id"
            )
        ]

    def calls(self) -> list[str]:
        return [row["tool"] for row in self.rows("SELECT tool FROM ledger_calls ORDER BY called_at, id")]


def dispatched(office: Office) -> tuple[UUID, jobs.Job]:
    """An order for which Osalpa was sent."""
    office.state_policy()
    order_id = office.report().order_id
    return order_id, office.decide(order_id)


def undo(office: Office, tool: str = "dispatch_vendor") -> None:
    [call] = ledger.listed(office.db, office.ws, tool=tool)
    with office.db.transaction():
        ledger.undo(office.db, TOOLS, call.id, f"person:{office.dana}", "admin")
