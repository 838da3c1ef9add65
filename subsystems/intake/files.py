"""Requests from a file: one a line, or Buildium's resident requests. Good ones are kept, bad ones reported by line."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

import directory
import jobs
from directory import LineError
from jobs.db import Conn
from subsystems.intake.errors import BadFile
from subsystems.intake.reports import Origin, check, report

LONGEST_NAME = 300  # characters
OVER = ("Completed", "Closed")  # resident requests that need nobody any more


class _Given(BaseModel):
    """What is read; anything else in the file is not looked at."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)


class Request(_Given):
    id: str
    text: str
    unit: str | None = None
    tenant: str | None = None
    category: str | None = None


class _Named(_Given):
    name: str | None = Field(None, alias="Name")


class _Entity(_Given):
    id: str | None = Field(None, alias="Id")
    type: str | None = Field(None, alias="Type")


class ResidentRequest(_Given):
    """A task of Buildium's GET /v1/tasks/residentrequests."""

    id: str = Field(alias="Id")
    title: str | None = Field(None, alias="Title")
    description: str | None = Field(None, alias="Description")
    category: _Named | None = Field(None, alias="Category")
    unit: str | None = Field(None, alias="UnitId")
    requested_by: _Entity | None = Field(None, alias="RequestedByUserEntity")
    status: str | None = Field(None, alias="TaskStatus")
    created: AwareDatetime | None = Field(None, alias="CreatedDateTime")


@dataclass(frozen=True)
class ImportedRequests:
    """What became of a file. `over`: resident requests that were completed or closed already."""

    added: int
    repeated: int
    over: int
    errors: tuple[LineError, ...]


@dataclass(frozen=True)
class _Incoming:
    origin: Origin
    external_id: str
    words: str
    unit: str | None
    tenant: str | None
    category: str | None
    received_at: datetime | None


def import_file(
    db: Conn, workspace_id: UUID, file: Path, seen: Callable[[int, int], None] = lambda *_: None
) -> ImportedRequests:
    """Report every request of a file, each in a transaction of its own. Twice adds nothing.

    `seen(done, all)` is called after each. Takes a connection outside any transaction. Raises BadFile for a file that
    cannot be read at all.
    """
    entries = list(_entries(file))
    pick = _units_to_pick(db, workspace_id)
    added = repeated = over = 0
    errors: list[LineError] = []
    for done, (line, raw) in enumerate(entries, 1):
        try:
            incoming = _incoming(raw)
            if incoming is None:
                over += 1
            elif _take(db, workspace_id, incoming, pick):
                added += 1
            else:
                repeated += 1
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, first["loc"]))
            errors.append(
                LineError(line, field, _shown(first["input"]), f"{first['msg']}. Correct it and import again.")
            )
        except jobs.Refused as error:
            errors.append(LineError(line, error.field, _shown(error.value), f"{error}. {error.next_step}".strip()))
        seen(done, len(entries))
    return ImportedRequests(added, repeated, over, tuple(errors))


def _entries(file: Path) -> Iterator[tuple[int, Any]]:
    """Each request with its number: the entries of a list, or the lines. A line that is no JSON comes as its text."""
    try:
        text = file.read_bytes().decode("utf-8-sig", "surrogateescape")  # a bad byte costs its own line, not the file
    except OSError as error:
        raise BadFile(str(file), str(error)) from error
    try:
        whole = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        whole = None
    if isinstance(whole, dict) and "text" not in whole:
        whole = max((value for value in whole.values() if isinstance(value, list)), key=len, default=None)
        if whole is None:
            raise BadFile(str(file), "is an object with no list in it")
    if isinstance(whole, list):
        yield from enumerate(whole, 1)
        return
    for number, line in enumerate(text.split("\n") if whole is None else [text], 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (json.JSONDecodeError, RecursionError):
                yield number, line


def _incoming(raw: Any) -> _Incoming | None:
    """None: it is over. Raises ValidationError."""
    if isinstance(raw, dict) and "Id" in raw:
        task = ResidentRequest.model_validate(raw)
        if task.status in OVER:
            return None
        words = "\n".join(part for part in (task.title, task.description) if part)
        by = task.requested_by
        tenant = by.id if by and by.type in (None, "Tenant") else None  # an owner or one of the staff may ask for one
        category = task.category.name if task.category else None
        return _Incoming("buildium", task.id, words, task.unit, tenant, category, task.created)
    request = Request.model_validate(raw)
    return _Incoming("file", request.id, request.text, request.unit, request.tenant, request.category, None)


def _take(db: Conn, workspace_id: UUID, incoming: _Incoming, pick: list[UUID]) -> bool:
    """Report one request; False: it had come in before."""
    with db.transaction():
        unit_id, tenant_id = _whereabouts(db, workspace_id, incoming, pick)
        received_at = jobs.now(db) if incoming.received_at is None else incoming.received_at
        return not report(
            db,
            workspace_id,
            origin=incoming.origin,
            external_id=incoming.external_id,
            words=incoming.words,
            unit_id=unit_id,
            tenant_id=tenant_id,
            category=incoming.category,
            received_at=received_at,
        ).repeated


def _whereabouts(
    db: Conn, workspace_id: UUID, incoming: _Incoming, pick: list[UUID]
) -> tuple[UUID | None, UUID | None]:
    """Unit and tenant: as given, else each from the other, else as picked. Raises Refused for what is not known."""
    for field, text in (("unit", incoming.unit), ("tenant", incoming.tenant)):
        if text:
            check(field, text, LONGEST_NAME)
    tenant = directory.tenant(db, workspace_id, incoming.tenant) if incoming.tenant else None
    if incoming.unit:
        unit_id: UUID | None = directory.unit(db, workspace_id, incoming.unit).id
    else:
        unit_id = tenant.unit_id if tenant and tenant.unit_id else _picked(pick, incoming.external_id)
    if tenant is None and unit_id is not None:
        tenant = directory.tenant_of(db, workspace_id, unit_id)
    return unit_id, tenant.id if tenant else None


def _units_to_pick(db: Conn, workspace_id: UUID) -> list[UUID]:
    """In a demo a request without a unit is of the one that its id picks; elsewhere the manager is asked."""
    return directory.unit_ids(db, workspace_id) if directory.workspace(db, workspace_id).is_demo else []


def _picked(units: list[UUID], external_id: str) -> UUID | None:
    if not units:
        return None
    return units[int.from_bytes(hashlib.sha256(external_id.encode()).digest()[:8]) % len(units)]


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:80]}…"
