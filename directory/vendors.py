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


def vendors(db: Conn, workspace_id: UUID) -> list[Vendor]:
    """All of them, by name: also who is not active, or not insured."""
    rows = db.execute("SELECT * FROM directory_vendors WHERE workspace_id = %s ORDER BY name, external_id",
                      (workspace_id,))
    return [Vendor(**row) for row in rows]
