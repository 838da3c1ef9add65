"""What leaves, and what is kept: pause, resume, backup, restore."""

import getpass
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import UUID

import click

import directory
from channels import pauses
from jobs.db import Conn, acting
from jobs.errors import SaysoError
from runtime import backup as backups
from runtime.addresses import place
from runtime.commands.output import json_option, show, yes_option
from runtime.commands.system import data_option
from runtime.wiring import wire

workspace_option = click.option("--workspace", metavar="NAME", help="Only this one, by name or id. [default: all]")
file_argument = click.argument("file", type=click.Path(path_type=Path, dir_okay=False))


class WouldOverwriteError(SaysoError):
    """The file is there already."""


@click.command()
@workspace_option
@click.option("--reason", default="paused by hand", show_default=True, help="For whoever wonders why nothing leaves.")
@data_option
@json_option
def pause(workspace: str | None, reason: str, data: Path | None, as_json: bool) -> None:
    """Stop everything that leaves. Texts are still planned, and wait; replies are still heard."""
    with wire(data).connect() as db, db.transaction(), acting(db, f"operator:{getpass.getuser()}"):
        pauses.pause(db, _workspace(db, workspace), reason)
    _report(workspace, data, as_json)


@click.command()
@workspace_option
@data_option
@json_option
def resume(workspace: str | None, data: Path | None, as_json: bool) -> None:
    """Let texts leave again, those that waited too. The pause of all and that of one workspace are ended apart."""
    with wire(data).connect() as db, db.transaction():
        if not pauses.resume(db, _workspace(db, workspace)) and not as_json:
            click.echo("There was no such pause.")
    _report(workspace, data, as_json)


@click.command()
@file_argument
@click.option("--yes", is_flag=True, help="Overwrite FILE if it is there.")
@data_option
@json_option
def backup(file: Path, yes: bool, data: Path | None, as_json: bool) -> None:
    """Write the whole database to FILE, while everything runs or while nothing does."""
    if file.exists() and not yes:
        raise WouldOverwriteError(f"{file} is there already", "Name another file, or overwrite it with --yes.")
    with backups.database(wire(data)) as url:
        backups.back_up(url, file)
    show({"file": str(file.absolute()), "bytes": file.stat().st_size}, as_json)


@click.command()
@file_argument
@yes_option
@data_option
@json_option
def restore(file: Path, yes: bool, data: Path | None, as_json: bool) -> None:
    """Replace the whole database by the backup in FILE. Outgoing is paused afterwards."""
    if not file.is_file():
        raise backups.BackupError(f"there is no file {file}", "Give a file that `sayso backup` made.")
    with backups.database(wire(data)) as url:
        backups.ready_for_restore(url)
        if not yes:
            click.confirm(f"Everything in the database {place('DATABASE_URL', url)} is replaced by {file}. Go on?",
                          abort=True, err=True)
        done = backups.restore(url, file)
    show(asdict(done), as_json)
    if not as_json:
        click.echo("Nothing leaves until you say so: what happened after the backup is not known here.\n"
                   f"- {done.texts_unknown} texts may have left since; they are looked up, and never sent again.\n"
                   f"- {done.decisions_taken_back} decisions were not carried out yet; they are asked about again.\n"
                   "Start with `sayso up`, see what waits with `sayso status`, ask the people concerned what they\n"
                   "were told, then let texts leave with `sayso resume`.")


def _report(workspace: str | None, data: Path | None, as_json: bool) -> None:
    """What is paused, and what waits by purpose."""
    with wire(data).connect() as db:
        waiting = pauses.waiting(db, _workspace(db, workspace))
        rows: list[dict[str, Any]] = [pause.model_dump() for pause in pauses.paused(db)]
    if as_json:
        show({"paused": rows, "waiting": waiting}, as_json)
        return
    for row in rows:
        click.echo(f"paused: {row['workspace_id'] or 'everything'}, by {row['paused_by']}, {row['reason']}")
    click.echo("waiting:" if waiting else "Nothing waits.")
    if waiting:
        show(waiting, as_json)


def _workspace(db: Conn, name: str | None) -> UUID | None:
    return None if name is None else directory.workspace(db, name).id


GROUPS = (pause, resume, backup, restore)
