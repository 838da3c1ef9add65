"""The tables of this folder, as classes."""

from datetime import datetime
from uuid import UUID

from sqlmodel import Field, SQLModel


class PolicyRow(SQLModel, table=True):
    """A standing wish of a manager; over once `ended_at` is set."""

    __tablename__ = "memory_policies"

    workspace_id: UUID = Field(primary_key=True)
    id: UUID = Field(primary_key=True)
    trade: str
    property_id: UUID | None = None
    vendor_id: UUID
    stated_by: UUID
    stated_at: datetime
    ended_at: datetime | None = None


class EventRow(SQLModel, table=True):
    """One decision: who was sent for what, on whose word."""

    __tablename__ = "memory_events"

    workspace_id: UUID = Field(primary_key=True)
    id: UUID = Field(primary_key=True)
    job_id: UUID
    decision_no: int
    trade: str
    property_id: UUID
    vendor_id: UUID | None = None
    decided_by: str
    decided_at: datetime
    retracted_at: datetime | None = None
