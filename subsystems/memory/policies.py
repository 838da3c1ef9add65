"""What a suggestion may rest on: a manager's standing wish, else what was decided before."""

from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from jobs.db import Conn, statements
from subsystems.memory.rows import EventRow, PolicyRow

sql = statements(Path(__file__).with_name("memory.sql"))

SHOWN = 3  # past decisions that come along with what they support


@dataclass(frozen=True)
class Policy:
    """A standing wish, with the latest decisions that followed it."""

    row: PolicyRow
    decisions: tuple[EventRow, ...]

    @property
    def vendor_id(self) -> UUID:
        return self.row.vendor_id


@dataclass(frozen=True)
class Precedent:
    """The last decision for a trade, with the latest ones for the same vendor, itself included."""

    last: EventRow
    decisions: tuple[EventRow, ...]

    @property
    def vendor_id(self) -> UUID:
        assert self.last.vendor_id is not None, "only decisions that sent somebody are precedents"
        return self.last.vendor_id


def find_policy(db: Conn, workspace_id: UUID, trade: str, property_id: UUID) -> Policy | Precedent | None:
    """The policy for this trade at this property, else the last decision there, else anywhere. Reads only."""
    place = {"workspace_id": workspace_id, "trade": trade, "property_id": property_id}
    if (row := sql.policy(db, **place)) is not None:
        policy = PolicyRow(**row)
        return Policy(policy, _sent(db, workspace_id, trade, policy.vendor_id))
    if (row := sql.precedent(db, **place)) is not None:
        last = EventRow(**row)
        return Precedent(last, _sent(db, workspace_id, trade, row["vendor_id"]))
    return None


def state_policy(
    db: Conn, workspace_id: UUID, *, trade: str, vendor_id: UUID, stated_by: UUID, property_id: UUID | None = None
) -> PolicyRow:
    """From now on suggest this vendor for this trade, at one property or everywhere, in the name of who said so.

    The policy that stood there before ends. Stating what stands already changes nothing. In the caller's transaction.
    """
    place = {"workspace_id": workspace_id, "trade": trade, "property_id": property_id}
    with db.transaction():
        sql.lock_policy(db, workspace_id=workspace_id, trade=trade)
        standing = sql.standing(db, **place)
        if standing is not None and standing["vendor_id"] == vendor_id:
            return PolicyRow(**standing)
        if standing is not None:
            sql.end_policy(db, workspace_id=workspace_id, id=standing["id"])
        return PolicyRow(**sql.state_policy(db, **place, vendor_id=vendor_id, stated_by=stated_by))


def _sent(db: Conn, workspace_id: UUID, trade: str, vendor_id: UUID) -> tuple[EventRow, ...]:
    rows = sql.sent(db, workspace_id=workspace_id, trade=trade, vendor_id=vendor_id, most=SHOWN)
    return tuple(EventRow(**row) for row in rows)
