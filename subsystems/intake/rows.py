"""The table of this folder, as a class."""

from datetime import datetime
from uuid import UUID

from sqlmodel import Field, SQLModel


class OrderRow(SQLModel, table=True):
    """A request for work: what was reported, what it was taken for, and where it stands."""

    __tablename__ = "intake_orders"

    workspace_id: UUID = Field(primary_key=True)
    id: UUID = Field(primary_key=True)
    origin: str
    external_id: str
    unit_id: UUID | None = None
    tenant_id: UUID | None = None
    words: str
    category: str | None = None
    trade: str | None = None
    urgency: str
    status: str
    vendor_id: UUID | None = None
    received_at: datetime
