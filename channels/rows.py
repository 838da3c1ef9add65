"""The tables of this folder, as classes."""

from datetime import datetime
from uuid import UUID

from sqlmodel import Field, SQLModel


class MessageRow(SQLModel, table=True):
    """One text to one recipient: the outbox."""

    __tablename__ = "channel_messages"

    id: UUID = Field(primary_key=True)
    workspace_id: UUID
    idempotency_key: str
    purpose: str
    chat_guid: str | None = None
    person_id: UUID | None = None
    vendor_id: UUID | None = None
    channel: str
    address: str
    body: str
    ask_id: UUID | None = None
    source: str | None = None
    job_id: UUID | None = None
    status: str
    due_at: datetime
    attempts: int
    lease_until: datetime | None = None
    provider_id: str | None = None
    last_error: str | None = None
    created_at: datetime
    submitted_at: datetime | None = None
    ended_at: datetime | None = None
    settled_at: datetime | None = None


class PauseRow(SQLModel, table=True):
    """Nothing leaves a workspace while its row is here; nothing leaves at all while one without workspace is."""

    __tablename__ = "channel_pauses"

    workspace_id: UUID | None = Field(default=None, primary_key=True, nullable=True)  # SQLModel wants a key
    paused_at: datetime
    paused_by: str
    reason: str


class HistoryRow(SQLModel, table=True):
    """How far the history of a bridge has been read."""

    __tablename__ = "channel_histories"

    channel: str = Field(primary_key=True)
    cursor: str
    read_at: datetime
