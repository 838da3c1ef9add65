"""The conductor's own table, as classes."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import JSON
from sqlmodel import Field, SQLModel


class ReadingRow(SQLModel, table=True):
    """What the reader of that day made of one message: a claim about it, never the decision."""

    __tablename__ = "conductor_readings"

    inbound_id: UUID = Field(primary_key=True)
    workspace_id: UUID
    chat_guid: str
    seq: int
    turn_no: int
    ask_id: UUID | None = None
    verdicts: list[dict[str, Any]] = Field(sa_type=JSON)
    asked_back: dict[str, Any] | None = Field(default=None, sa_type=JSON)
    reader: str
    read_at: datetime
