"""The tables that verbs give rows of, as classes. They are read with these, and written by statements."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import String
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

from jobs.ask import Ask
from jobs.states import Status


class Chat(SQLModel, table=True):
    """The pacing side of a conversation."""
    __tablename__ = "chats"
    workspace_id: UUID = Field(primary_key=True)
    chat_guid: str = Field(primary_key=True)
    next_look_at: datetime | None = None
    turn_no: int
    turn_failures: int
    last_error: str | None = None
    unheard_since: datetime | None = None


class AskRow(SQLModel, table=True):
    """One question or bundle put to a person, or the carrier of a notice."""
    __tablename__ = "asks"
    id: UUID = Field(primary_key=True)
    workspace_id: UUID
    chat_guid: str
    expects_reply: bool
    opened_turn: int
    opened_at: datetime
    withdrawn_at: datetime | None = None
    submitted_at: datetime | None = None
    rejected_at: datetime | None = None
    shown_at: datetime | None = None
    shown_by: str | None = None
    closed_at: datetime | None = None
    closed_turn: int | None = None
    closed_why: str | None = None
    open_id: UUID | None = None


class Job(SQLModel, table=True):
    """Something that a subsystem needs the property manager for, or tells them."""
    __tablename__ = "jobs"
    id: UUID = Field(primary_key=True)
    workspace_id: UUID
    source: str
    kind: str
    status: Status = Field(sa_type=String)
    priority: str
    issue_id: str | None = None
    chat_guid: str
    ask: dict[str, Any] = Field(sa_type=JSONB)
    resume: dict[str, Any] = Field(sa_type=JSONB)
    ask_rev: int
    waiting: dict[str, Any] | None = Field(default=None, sa_type=JSONB)
    resolution: dict[str, Any] | None = Field(default=None, sa_type=JSONB)
    answered_rev: int | None = None
    decision_no: int
    not_before: datetime
    dedupe_key: str
    batch_key: str | None = None
    ask_id: UUID | None = None
    ask_attempts: int
    release_at: datetime | None = None
    finish_after: datetime | None = None
    finish_attempts: int
    finish_lease_until: datetime | None = None
    finish_error: str | None = None
    finished_at: datetime | None = None
    end_reason: str | None = None
    last_error: str | None = None
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None = None
    version: int
    rank: int
    open_ask_id: UUID | None = None
    needs_reply: bool

    @property
    def the_ask(self) -> Ask:
        """The ask as a value. A row that other languages wrote is checked here: raises BadValue."""
        return Ask.read(self.ask)
