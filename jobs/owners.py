"""What a subsystem gives the runtime so that its jobs come home."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from jobs.db import Conn
from jobs.rows import Job


@dataclass(frozen=True)
class SettledMessage:
    """A text that its source planned, and how it ended: accepted, assumed, rejected or cancelled."""

    id: UUID
    workspace_id: UUID
    key: str
    purpose: str
    source: str
    job_id: UUID | None
    person_id: UUID | None
    vendor_id: UUID | None
    body: str
    outcome: str
    last_error: str | None


@dataclass(frozen=True)
class Owner:
    """A subsystem as the runtime sees it.

    `finish` runs inside the transaction in which the job was already marked finished: both commit, or neither. It calls
    no network; what leaves is planned as texts. `settled` likewise, once for each text that ended. `sweep` heals what a
    lost hint left behind, and may run at any time, twice at once too.
    """

    source: str
    kinds: tuple[str, ...]
    finish: Callable[[Conn, Job, datetime], None]
    settled: Callable[[Conn, SettledMessage, datetime], None]
    sweep: Callable[[Conn, datetime], None]
    tools: tuple[Any, ...] = ()
