"""The table of this folder, as a class."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel


class CallRow(SQLModel, table=True):
    """One call of one tool, or the undo of one."""

    __tablename__ = "ledger_calls"

    id: UUID = Field(primary_key=True)
    workspace_id: UUID
    tool: str
    idempotency_key: str
    job_id: UUID | None = None
    arguments: dict[str, Any] = Field(sa_type=JSONB)
    before: dict[str, Any] = Field(sa_type=JSONB)
    after: dict[str, Any] = Field(sa_type=JSONB)
    rationale: str
    decided_by: str
    trust: str
    confidence: float | None = None
    actor: str
    undoes: UUID | None = None
    called_at: datetime
