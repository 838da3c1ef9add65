"""Vendors: whom an order can be given to."""

from uuid import UUID

from directory.errors import NoSuch
from directory.rows import Vendor
from jobs.db import Conn


def vendor(db: Conn, workspace_id: UUID, vendor_id: UUID) -> Vendor:
    """Raises NoSuch."""
    row = db.execute("SELECT * FROM directory_vendors WHERE workspace_id = %s AND id = %s",
                     (workspace_id, vendor_id)).fetchone()
    if row is None:
        raise NoSuch("vendor", vendor_id, "Import vendors with: sayso import vendors FILE")
    return Vendor(**row)


def vendors(db: Conn, workspace_id: UUID, trade: str | None = None, active: bool | None = True) -> list[Vendor]:
    """By name: those of a trade, or all; the active ones, the others, or with None both. Insurance is not looked at."""
    rows = db.execute("SELECT * FROM directory_vendors WHERE workspace_id = %(workspace_id)s"
                      " AND (%(trade)s::text IS NULL OR %(trade)s = ANY (trades))"
                      " AND (%(active)s::boolean IS NULL OR is_active = %(active)s) ORDER BY name, external_id",
                      {"workspace_id": workspace_id, "trade": trade, "active": active})
    return [Vendor(**row) for row in rows]
