"""The tables of this folder, as classes."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import ARRAY, Column, String
from sqlmodel import Field, SQLModel


class Workspace(SQLModel, table=True):
    """One customer's world."""

    __tablename__ = "directory_workspaces"

    id: UUID = Field(primary_key=True)
    name: str
    hold_seconds: int
    is_demo: bool
    created_at: datetime


class Person(SQLModel, table=True):
    """A manager, one of the staff, or a tenant."""

    __tablename__ = "directory_people"

    workspace_id: UUID = Field(primary_key=True)
    id: UUID = Field(primary_key=True)
    external_id: str
    name: str
    role: str
    chat_guid: str | None = None
    channel: str
    address: str
    opted_out_at: datetime | None = None
    unit_id: UUID | None = None


class Vendor(SQLModel, table=True):
    """Somebody who can be sent."""

    __tablename__ = "directory_vendors"

    workspace_id: UUID = Field(primary_key=True)
    id: UUID = Field(primary_key=True)
    external_id: str
    name: str
    aliases: list[str] = Field(sa_column=Column(ARRAY(String), nullable=False))
    trades: list[str] = Field(sa_column=Column(ARRAY(String), nullable=False))
    is_active: bool
    insured_until: date | None = None
    rate: str | None = None
    channel: str
    address: str
