"""The log of decisions, and the tool that writes it."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from jobs.db import Conn
from ledger import Tool
from subsystems.memory.policies import sql


class LogEvent(BaseModel):
    """One decision to remember. `vendor_id` None: nobody was sent."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    job_id: UUID
    decision_no: int
    workspace_id: UUID
    trade: str
    property_id: UUID
    vendor_id: UUID | None
    decided_by: str
    decided_at: datetime


def retract(db: Conn, workspace_id: UUID, job_id: UUID, decision_no: int) -> None:
    """What this decision led to was undone: it is a precedent no more. Repeating it changes nothing."""
    sql.retract(db, workspace_id=workspace_id, job_id=job_id, decision_no=decision_no)


def _state(db: Conn, args: LogEvent) -> dict[str, Any]:
    row = sql.event(db, workspace_id=args.workspace_id, job_id=args.job_id, decision_no=args.decision_no)
    return {"logged": row is not None, "retracted": row is not None and row["retracted_at"] is not None}


def _act(db: Conn, args: LogEvent) -> None:
    sql.log_event(db, **args.model_dump())


def _undo(db: Conn, args: LogEvent, before: dict[str, Any]) -> None:
    if not before["logged"]:
        retract(db, args.workspace_id, args.job_id, args.decision_no)


LOG_EVENT = Tool(
    name="log_event",
    owner="memory",
    trust="staff",
    sensitivity="low",
    arguments=LogEvent,
    state=_state,
    act=_act,
    undo=_undo,
    told="remember a decision",
)
