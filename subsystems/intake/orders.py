"""Orders as they are stored: where one stands, and who is sent."""

from datetime import datetime
from pathlib import Path
from typing import Literal
from uuid import UUID

from jobs.db import Conn, statements
from subsystems.intake.rows import OrderRow

sql = statements(Path(__file__).with_suffix(".sql"))

Status = Literal["new", "waiting", "dispatched", "with_manager", "closed"]


def store(
    db: Conn,
    workspace_id: UUID,
    *,
    origin: str,
    external_id: str,
    unit_id: UUID | None,
    tenant_id: UUID | None,
    words: str,
    category: str | None,
    trade: str | None,
    urgency: str,
    received_at: datetime,
) -> tuple[OrderRow, bool]:
    """The order of this report, and whether it is new. Waits for a twin that another open transaction is storing."""
    row = sql.insert(
        db,
        workspace_id=workspace_id,
        origin=origin,
        external_id=external_id,
        unit_id=unit_id,
        tenant_id=tenant_id,
        words=words,
        category=category,
        trade=trade,
        urgency=urgency,
        received_at=received_at,
    )
    if row is not None:
        return OrderRow(**row), True
    return OrderRow(**sql.reported(db, workspace_id=workspace_id, origin=origin, external_id=external_id)), False


def locked(db: Conn, workspace_id: UUID, order_id: UUID) -> OrderRow:
    """The order, kept from changing until the caller's transaction ends. Orders are never deleted."""
    return OrderRow(**sql.lock(db, workspace_id=workspace_id, id=order_id))


def unasked(db: Conn, most: int) -> list[OrderRow]:
    """Up to `most` orders that nobody was asked about, locked; those that another transaction has are passed over."""
    return [OrderRow(**row) for row in sql.unasked(db, most=most)]


def move(db: Conn, workspace_id: UUID, order_id: UUID, status: Status, vendor_id: UUID | None = None) -> OrderRow:
    """Where the order stands from now on; `vendor_id` exactly when it is dispatched."""
    return OrderRow(**sql.move(db, workspace_id=workspace_id, id=order_id, status=status, vendor_id=vendor_id))


def complete(
    db: Conn, workspace_id: UUID, order_id: UUID, *, trade: str | None, unit_id: UUID | None, tenant_id: UUID | None
) -> OrderRow:
    """Fill in what the report did not say."""
    return OrderRow(
        **sql.complete(db, workspace_id=workspace_id, id=order_id, trade=trade, unit_id=unit_id, tenant_id=tenant_id)
    )
