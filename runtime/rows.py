"""The rows of runtime's tables."""

from datetime import datetime

from sqlmodel import Field, SQLModel


class ProcessRow(SQLModel, table=True):
    __tablename__ = "runtime_processes"

    host: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    pid: int
    started_at: datetime
    beat_at: datetime
