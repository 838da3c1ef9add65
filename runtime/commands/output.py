"""How every command prints: rows as a table for people, or as JSON for programs."""

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

Row = Mapping[str, Any]
WANTS_JSON = "sayso.json"


def _remember(context: click.Context, _: click.Parameter, value: bool) -> bool:
    context.meta[WANTS_JSON] = value  # shared by the whole command line: errors are printed in the same form
    return value


json_option = click.option("--json", "as_json", is_flag=True, callback=_remember,
                           help="Print JSON whose keys are the column names.")
yes_option = click.option("--yes", is_flag=True, help="Do not ask, do it.")


def show(what: Row | Sequence[Row], as_json: bool) -> None:
    """Print one row as keys and values, or several as a table; with `as_json` an object or an array."""
    if as_json:
        rows: Any = dict(what) if isinstance(what, Mapping) else [dict(row) for row in what]
        click.echo(json.dumps(rows, default=plain, indent=2, ensure_ascii=False))
    elif isinstance(what, Mapping):
        width = max((len(key) for key in what), default=0)
        for key, value in what.items():
            click.echo(f"{key:{width}}  {words(value)}")
    elif not what:
        click.echo("none")
    else:
        table = Table(*what[0].keys(), box=None, pad_edge=False)
        for row in what:
            table.add_row(*(Text(words(value)) for value in row.values()))
        _print(table)


def plain(value: Any) -> Any:
    """A value that JSON has no word for, in the form programs expect: ISO times, ids as text, amounts as numbers."""
    match value:
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case Mapping():
            return dict(value)
        case _:
            return str(value)


def words(value: Any) -> str:
    """A value as a person reads it in a table."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case datetime():
            return value.isoformat(" ", "seconds")
        case Mapping() | list() | tuple():
            return json.dumps(value, default=plain, ensure_ascii=False)
        case _:
            return str(value)


def _print(table: Table) -> None:
    terminal = Console(highlight=False)
    if not terminal.is_terminal:  # nothing is cut for a pipe or a file
        terminal = Console(highlight=False, width=10_000)
    terminal.print(table)
