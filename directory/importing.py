"""Importing: the lines of a sheet become rows of the directory; a bad line is reported, and the good ones are kept."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from uuid import UUID

import psycopg

from directory import cells, sheets
from directory.errors import BadSheet
from directory.records import KINDS, Kind, values
from jobs.db import Conn, statements
from jobs.errors import Refused

sql = statements(Path(__file__).with_suffix(".sql"))
Outcome = Literal["added", "changed", "same"]


@dataclass(frozen=True)
class LineError:
    """What is wrong with one line, and in `why` also what to do. `line` is where it begins in the file."""

    line: int
    field: str
    value: str
    why: str


@dataclass(frozen=True)
class Imported:
    """What became of the lines of a sheet."""

    added: int
    changed: int
    same: int
    errors: tuple[LineError, ...]


def import_rows(db: Conn, workspace_id: UUID, kind: str, file: Path, key_column: str | None = None, *,
                names: Mapping[str, str] | None = None, seen: Callable[[int, int], None] = lambda *_: None) -> Imported:
    """Add or change a row for each line of a CSV file: each in a savepoint of the caller's transaction.

    Outside of one each line is a transaction of its own, so that nobody waits for a long file.
    Idempotent by `key_column`, the heading of the user's own ids (by default 'id'). `names`: our column -> the heading
    it stands under. `seen(done, all)` is called after each line. Raises BadSheet for a file that cannot be read at all.
    """
    if kind not in KINDS:
        raise BadSheet(f"there is no kind {kind!r}", f"Use one of {', '.join(KINDS)}.", field="kind", value=kind)
    needs = KINDS[kind]
    called = {**(names or {}), **({"id": key_column} if key_column else {})}
    if strange := [name for name in called if name not in needs.known]:
        raise BadSheet(f"{kind} have no column {strange[0]!r}", f"They have: {', '.join(needs.known)}",
                       field="map", value=strange[0])
    sheet = sheets.read(file, needs.known, called)
    if missing := _missing(needs, sheet.columns):
        return Imported(0, 0, 0, missing)
    counts: dict[Outcome, int] = {"added": 0, "changed": 0, "same": 0}
    errors: list[LineError] = []
    at: dict[str, int] = {}
    for done, line in enumerate(sheet.lines, 1):
        outcome = _one(db, workspace_id, kind, line, at)
        if isinstance(outcome, LineError):
            errors.append(outcome)
        else:
            counts[outcome] += 1
        seen(done, len(sheet.lines))
    return Imported(**counts, errors=tuple(errors))


def _missing(needs: Kind, columns: frozenset[str]) -> tuple[LineError, ...]:
    why = "there is no such column. Add it, or say which one it is: --map {0}=HEADING"
    missing = [LineError(1, name, "", why.format(name)) for name in needs.needed if name not in columns]
    if needs.contact and not columns & {"address", "phone", "email"}:
        missing.append(LineError(1, "address", "", why.format("address") + " (phone or email will do)"))
    return tuple(missing)


def _one(db: Conn, workspace_id: UUID, kind: str, line: sheets.Line, at: dict[str, int]) -> Outcome | LineError:
    """`at`: on which line each id stood."""
    if line.wrong:
        return LineError(line.number, "", "", line.wrong)
    try:
        key = cells.line("id", line.cells["id"])
        if (first := at.setdefault(key, line.number)) != line.number:
            return LineError(line.number, "id", key, f"line {first} has this id already. Give each line its own.")
        with db.transaction():
            return _put(db, workspace_id, kind, key, line.cells)
    except Refused as error:
        return LineError(line.number, error.field, str(error.value), f"{error}. {error.next_step}".strip())
    except (psycopg.errors.IntegrityError, psycopg.DataError) as error:
        return LineError(line.number, error.diag.column_name or "", "", str(error.diag.message_primary))


def _put(db: Conn, workspace_id: UUID, kind: str, key: str, given: Mapping[str, str]) -> Outcome:
    there = getattr(sql, f"find_{kind}")(db, workspace_id=workspace_id, key=key)
    row = values(db, workspace_id, KINDS[kind], given, there)
    if there == row:
        return "same"
    getattr(sql, f"put_{kind}")(db, workspace_id=workspace_id, key=key, **row)
    return "added" if there is None else "changed"
