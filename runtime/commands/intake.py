"""Requests coming in: `sayso intake import FILE`, `sayso tenant send UNIT TEXT`."""

from dataclasses import asdict
from pathlib import Path
from uuid import uuid4

import click

import directory
import jobs
from jobs.db import acting
from runtime import wiring
from runtime.commands.output import json_option, show
from runtime.commands.system import data_option
from subsystems import intake

FAILED = 1  # exit code
LINES_BETWEEN_NEWS = 200

workspace_option = click.option(
    "--workspace", metavar="NAME", help="Of this workspace, by name or id. [default: the only one]")


@click.group(name="intake")
def requests() -> None:
    """Read requests of tenants from a file."""


@requests.command(name="import")
@click.argument("file", type=click.Path(path_type=Path))
@workspace_option
@data_option
@json_option
def import_file(file: Path, workspace: str | None, data: Path | None, as_json: bool) -> None:
    """Read the requests in FILE. Importing twice adds nothing.

    FILE has JSON lines with id and text, or is Buildium's resident requests as JSON. Lines may also have unit (your id,
    or "12 Birch #4"), tenant (your id, or a name) and category; nothing else in them is read. A bad line is reported,
    the good ones are kept; then the exit code is 1.
    """
    with wiring.wire(data).connect() as db:  # each request commits: the manager is asked while a long file is read
        into = directory.workspace(db, workspace).id
        done = intake.import_file(db, into, file, seen=_tell)
    if as_json:
        show(asdict(done), as_json)
    else:
        for error in done.errors:
            where = f"line {error.line}" + (f", {error.field}" if error.field else "")
            click.echo(f"{where}{f' {error.value!r}' if error.value else ''}: {error.why}", err=True)
        click.echo(f"requests: {done.added} added, {done.repeated} were there, {done.over} over already, "
                   f"{len(done.errors)} errors")
    if done.errors:
        raise click.exceptions.Exit(FAILED)


@click.group(name="tenant")
def tenant() -> None:
    """Write as a tenant."""


@tenant.command()
@click.argument("unit")
@click.argument("text")
@click.option("--id", "external_id", metavar="ID", help="The same ID twice is one report. [default: a new one]")
@workspace_option
@data_option
@json_option
def send(unit: str, text: str, external_id: str | None, workspace: str | None, data: Path | None,
         as_json: bool) -> None:
    """Report TEXT as the tenant of UNIT.

    UNIT is your id of it, "12 Birch #4", or less when that fits one alone ("birch 4").
    """
    with wiring.wire(data).connect() as db, db.transaction(), acting(db, "tenant"):
        into = directory.workspace(db, workspace).id
        place = directory.unit(db, into, unit)
        lives_there = directory.tenant_of(db, into, place.id)
        reported = intake.report(
            db, into, origin="tenant", external_id=str(uuid4()) if external_id is None else external_id, words=text,
            unit_id=place.id, tenant_id=lives_there.id if lives_there else None, category=None,
            received_at=jobs.now(db))
    who = lives_there.name if lives_there else "nobody on file"
    if as_json:
        show({**asdict(reported), "unit": place.name, "tenant": who}, as_json)
    else:
        was = "was reported before" if reported.repeated else "is reported"
        click.echo(f"It {was}: order {reported.order_id}, {place.name}, {who}.")


GROUPS: tuple[click.Command, ...] = (requests, tenant)


def _tell(done: int, of: int) -> None:
    if done % LINES_BETWEEN_NEWS == 0 and done < of:
        click.echo(f"{done} of {of} requests", err=True)
