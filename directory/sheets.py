"""A sheet: a CSV file as lines with named cells, whatever its separator, and under whatever names its columns stand."""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from directory.errors import BadSheet

SEPARATORS = (",", ";", "\t")


@dataclass(frozen=True)
class Line:
    """One line of a sheet: where it begins in the file, and its cells by our names. `wrong`: why it cannot be read."""

    number: int
    cells: Mapping[str, str]
    wrong: str = ""


@dataclass(frozen=True)
class Sheet:
    """The columns that were found, by our names, and the lines under them; empty lines are left out."""

    columns: frozenset[str]
    lines: tuple[Line, ...]


def read(file: Path, known: tuple[str, ...], names: Mapping[str, str]) -> Sheet:
    """Read UTF-8 with or without a byte order mark; a quoted cell may have line ends in it.

    `known` are the columns we use, `names` says under which heading one of them stands when not under its own. Capitals
    in headings do not matter, other columns are left out. Raises BadSheet.
    """
    text = _text(file)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    try:
        heading = next(rows, [])
        at = _columns(heading, known, names)
        lines, begins = [], rows.line_num + 1
        for row in rows:
            if any(cell.strip() for cell in row):
                wrong = "" if len(row) == len(heading) else \
                    f"the line has {len(row)} cells, and the heading {len(heading)}: quote cells that hold a separator"
                lines.append(Line(begins, {} if wrong else {name: row[i].strip() for name, i in at.items()}, wrong))
            begins = rows.line_num + 1
    except csv.Error as error:
        raise BadSheet(f"{file}, line {rows.line_num}: {error}",
                       "Close every quote, and double the quotes inside a cell.",
                       field="file", value=str(file)) from error
    return Sheet(frozenset(at), tuple(lines))


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadSheet(f"{file} cannot be read: {error.strerror}", "Give a CSV file.",
                       field="file", value=str(file)) from error
    except UnicodeDecodeError as error:
        raise BadSheet(f"{file} is not UTF-8: byte {error.start} is 0x{error.object[error.start]:02X}",
                       "Save it as CSV UTF-8.", field="file", value=str(file)) from error


def _separator(text: str) -> str:
    heading = re.sub(r'"[^"]*"', "", text.lstrip()).partition("\n")[0]
    return max(SEPARATORS, key=heading.count)


def _columns(heading: list[str], known: tuple[str, ...], names: Mapping[str, str]) -> dict[str, int]:
    found = [cell.strip().casefold() for cell in heading]
    at = {}
    for ours in known:
        theirs = names.get(ours, ours).strip().casefold()
        if found.count(theirs) > 1:
            raise BadSheet(f"the heading has {theirs!r} {found.count(theirs)} times", "Rename all but one.",
                           field=ours, value=theirs)
        if theirs in found:
            at[ours] = found.index(theirs)
        elif ours in names:
            raise BadSheet(f"the heading has no {names[ours]!r}", f"It has: {', '.join(heading)}",
                           field=ours, value=names[ours])
    return at
