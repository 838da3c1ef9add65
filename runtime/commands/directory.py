"""Setting up a workspace: `sayso workspace init|list`, `sayso import KIND FILE`."""

import re
from dataclasses import asdict
from pathlib import Path

import click

import directory
from directory.cells import CHANNELS
from directory.records import KINDS
from runtime import wiring
from runtime.commands.output import json_option, show
from runtime.commands.system import data_option

FAILED = 1  # exit code
ROWS_BETWEEN_NEWS = 1000


@click.group(name="workspace")
def workspaces() -> None:
    """Make a workspace, and see which there are."""


@workspaces.command()
@click.argument("name")
@click.option("--manager", required=True, metavar="NAME", help="Who decides: the property manager.")
@click.option("--chat", "chat_guid", metavar="CHAT",
              help="What the manager's chat is called. [default: made from the manager's name]")
@click.option("--channel", type=click.Choice(CHANNELS), default=CHANNELS[0], show_default=True,
              help="How the manager is reached; http is by the bridge of docs/http-channel.md.")
@click.option("--address", help="Where, in that channel: for http what the bridge calls them. [default: the chat]")
@click.option("--hold-seconds", type=click.IntRange(0, 3600), default=60, show_default=True,
              help="How long a decision can be taken back before it is carried out.")
@data_option
@json_option
def init(name: str, manager: str, chat_guid: str | None, channel: str, address: str | None, hold_seconds: int,
         data: Path | None, as_json: bool) -> None:
    """Make a workspace, its manager and their chat, all or nothing. One that is there is shown, and stays as it is."""
    chat = chat_guid if chat_guid is not None else "-".join(re.findall(r"\w+", manager.casefold()))
    with wiring.wire(data).connect() as db, db.transaction():
        there = any(row["name"] == name for row in directory.overview(db))
        made = directory.create_workspace(db, name=name, manager_name=manager, chat_guid=chat,
                                          hold_seconds=hold_seconds, channel=channel, address=address)
        row = next(row for row in directory.overview(db) if row["id"] == made.id)
    if as_json:
        show({**row, "was_there": there}, as_json)
        return
    show(row, as_json)
    click.echo("It was there already: nothing was changed." if there else
               "Next: sayso import properties FILE, then units, people and vendors.")


@workspaces.command(name="list")
@data_option
@json_option
def list_workspaces(data: Path | None, as_json: bool) -> None:
    """Every workspace, its managers, and how much is in it."""
    with wiring.wire(data).connect() as db:
        show(directory.overview(db), as_json)


@click.command(name="import")
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--workspace", metavar="NAME", help="Into this one, by name or id. [default: the only one]")
@click.option("--key", "key_column", metavar="COLUMN",
              help="The heading of your own ids: importing an id again changes its row. [default: id]")
@click.option("--map", "pairs", multiple=True, metavar="OURS=THEIRS",
              help="Our column OURS stands under the heading THEIRS; may be given several times.")
@data_option
@json_option
def import_file(kind: str, file: Path, workspace: str | None, key_column: str | None, pairs: tuple[str, ...],
                data: Path | None, as_json: bool) -> None:
    """Add or change properties, units, people or vendors from a CSV file, in this order.

    \b
    properties  id, name, address; manager (id or name)
    units       id, property (id or name), label
    people      id, name, address or phone or email; role (tenant), unit, chat (of a new manager), channel
    vendors     id, name, trades (electrical|hvac), address or phone or email;
                aliases (Bob|Bobby), active (yes), insured_until (YYYY-MM-DD), rate, channel

    Columns after a semicolon may be left out; a channel that is left out is terminal, and http is by a bridge.
    A bad line is reported, the good ones are kept; then the exit code is 1.
    """
    with wiring.wire(data).connect() as db:  # each line commits: nobody waits for the end of a long file
        into = directory.workspace(db, workspace).id
        done = directory.import_rows(db, into, kind, file, key_column, names=_names(pairs), seen=_tell)
    if as_json:
        show(asdict(done), as_json)
    else:
        for error in done.errors:
            where = f"line {error.line}" + (f", {error.field}" if error.field else "")
            click.echo(f"{where}{f' {error.value!r}' if error.value else ''}: {error.why}", err=True)
        click.echo(f"{kind}: {done.added} added, {done.changed} changed, {done.same} same, {len(done.errors)} errors")
    if done.errors:
        raise click.exceptions.Exit(FAILED)


GROUPS: tuple[click.Command, ...] = (workspaces, import_file)


def _names(pairs: tuple[str, ...]) -> dict[str, str]:
    for pair in pairs:
        if "=" not in pair.strip("="):
            raise click.BadParameter(f"{pair!r} is not OURS=THEIRS, as in name='Full Name'", param_hint="--map")
    return {ours.strip(): theirs.strip() for ours, _, theirs in (pair.partition("=") for pair in pairs)}


def _tell(done: int, of: int) -> None:
    if done % ROWS_BETWEEN_NEWS == 0 and done < of:
        click.echo(f"{done} of {of} lines", err=True)
