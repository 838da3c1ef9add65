"""Calls: a tool is called once per key, leaves a row, and is undone only while the state is what it left."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb
from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python

from jobs.ask import sound_json
from jobs.db import Conn, statements
from ledger.errors import AlreadyUndone, BadArguments, CannotUndo, Drifted, KeyTaken, NoSuchCall, TooLittleTrust
from ledger.rows import CallRow
from ledger.tools import Authority, Tool, Trust, may

sql = statements(Path(__file__).with_suffix(".sql"))


@dataclass(frozen=True)
class Called:
    """What became of a call. `repeated`: the key had been used for this very call, and nothing was done now."""

    call_id: UUID
    repeated: bool


def call(db: Conn, workspace_id: UUID, tool: Tool, arguments: BaseModel | Mapping[str, Any],
         authority: Authority) -> Called:
    """Do what the tool does, once per (workspace, key), and leave a row, in the caller's transaction.

    A second call with the key, also one that races the first, does nothing and returns the first; with another tool
    or other arguments it raises KeyTaken. Also raises BadArguments, BadValue, TooLittleTrust and what the tool raises;
    then nothing is done, and the caller's transaction stays usable. Locks the key, then the row that the tool changes.
    """
    args = _arguments(tool, arguments, workspace_id)
    _trusted(tool, authority.trust)
    given = args.model_dump(mode="json")
    sound_json(tool.name, given)
    with db.transaction():
        sql.lock_key(db, workspace_id=workspace_id, key=authority.key)
        if (row := sql.with_key(db, workspace_id=workspace_id, key=authority.key)) is not None:
            if (row["tool"], row["arguments"]) != (tool.name, given):
                raise KeyTaken(authority.key, row["id"], f"{row['tool']} {row['arguments']}")
            return Called(row["id"], repeated=True)
        before = _state(db, tool, args)
        tool.act(db, args)
        return Called(_record(db, workspace_id, tool, given, before, _state(db, tool, args), authority), repeated=False)


def undo(db: Conn, tools: Mapping[str, Tool], call_id: UUID, decided_by: str, trust: Trust,
         why: str = "undone") -> UUID:
    """Put back what a call changed, in the caller's transaction; returns the id of the undo's own row.

    Compares the fields that the call touched, under the row's lock. Raises NoSuchCall, CannotUndo, TooLittleTrust,
    AlreadyUndone, and Drifted when a field is no longer what the call left: then nothing is done.
    """
    row = get(db, call_id)
    tool = tools.get(row.tool)
    if row.undoes is not None:
        raise CannotUndo(call_id, "it is an undo itself")
    if tool is None or tool.undo is None:
        raise CannotUndo(call_id, f"{row.tool} has no way back" if tool else f"there is no tool {row.tool!r} any more")
    _trusted(tool, trust)
    authority = Authority(f"undo:{call_id}", row.job_id, decided_by, trust, why)
    with db.transaction():
        sql.lock_key(db, workspace_id=row.workspace_id, key=authority.key)
        if (done := undone_by(db, call_id)) is not None:
            raise AlreadyUndone(call_id, done.id)
        args = _arguments(tool, row.arguments, row.workspace_id)
        now = _state(db, tool, args)
        if drift := {field: (row.after.get(field), now.get(field)) for field in sorted({*row.after, *now})
                     if row.after.get(field) != now.get(field)}:
            raise Drifted(call_id, drift, _later(db, tool, call_id, list(drift)))
        tool.undo(db, args, row.before)
        then = _state(db, tool, args)
        return _record(db, row.workspace_id, tool, row.arguments, now, then, authority, undoes=call_id)


def get(db: Conn, call_id: UUID) -> CallRow:
    """Raises NoSuchCall."""
    row = sql.get(db, id=call_id)
    if row is None:
        raise NoSuchCall(call_id)
    return CallRow(**row)


def undone_by(db: Conn, call_id: UUID) -> CallRow | None:
    """The undo of a call."""
    row = sql.undone_by(db, id=call_id)
    return None if row is None else CallRow(**row)


def listed(db: Conn, workspace_id: UUID | None = None, *, job_id: UUID | None = None, tool: str | None = None,
           limit: int = 50) -> list[CallRow]:
    """The latest `limit` calls and undos for which all that is given holds, latest first."""
    return [CallRow(**row) for row in sql.listed(db, workspace_id=workspace_id, job_id=job_id, tool=tool, limit=limit)]


def _arguments(tool: Tool, given: BaseModel | Mapping[str, Any], workspace_id: UUID) -> BaseModel:
    try:
        args = tool.arguments.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "arguments"
        raise BadArguments(f"{tool.name}.{field}", first["input"], first["msg"]) from error
    if (theirs := getattr(args, "workspace_id", workspace_id)) != workspace_id:
        raise BadArguments(f"{tool.name}.workspace_id", str(theirs), f"the call is for workspace {workspace_id}")
    return args


def _trusted(tool: Tool, trust: Trust) -> None:
    if not may(trust, tool):
        raise TooLittleTrust(tool.name, trust, tool.trust)


def _state(db: Conn, tool: Tool, args: BaseModel) -> dict[str, Any]:
    """As JSON has it. Times in UTC: the same instant must read the same in whatever zone a session is."""
    state = {field: value.astimezone(UTC) if isinstance(value, datetime) else value
             for field, value in tool.state(db, args).items()}
    plain: dict[str, Any] = to_jsonable_python(state)
    return plain


def _record(db: Conn, workspace_id: UUID, tool: Tool, arguments: dict[str, Any], before: dict[str, Any],
            after: dict[str, Any], authority: Authority, undoes: UUID | None = None) -> UUID:
    row = sql.insert(
        db, workspace_id=workspace_id, tool=tool.name, key=authority.key, job_id=authority.job_id,
        arguments=Jsonb(arguments), before=Jsonb(before), after=Jsonb(after), rationale=authority.rationale,
        decided_by=authority.decided_by, trust=authority.trust, confidence=authority.confidence, undoes=undoes)
    call_id: UUID = row["id"]
    return call_id


def _later(db: Conn, tool: Tool, call_id: UUID, fields: list[str]) -> str | None:
    row = sql.later(db, id=call_id, target=tool.target, fields=fields)
    return None if row is None else f"{row['tool']} in call {row['id']}, decided by {row['decided_by']}"
