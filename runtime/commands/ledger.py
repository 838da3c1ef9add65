"""What was done, on whose word, and taking it back: `sayso ledger list|show|undo`."""

import getpass
import json
from pathlib import Path
from uuid import UUID

import click

import directory
import ledger
from jobs.db import acting
from runtime import wiring
from runtime.commands.output import json_option, show, yes_option
from runtime.commands.system import data_option

call_argument = click.argument("call_id", metavar="CALL", type=click.UUID)


@click.group(name="ledger")
def ledger_group() -> None:
    """What was done, by whose decision; undo it."""


GROUPS = (ledger_group,)


@ledger_group.command(name="list")
@click.option("--workspace", metavar="NAME", help="Only this one, by name or id.")
@click.option("--job", "job_id", type=click.UUID, help="Only what the decision of this job caused.")
@click.option("--tool", help="Only calls of this tool.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="The latest.")
@data_option
@json_option
def list_calls(workspace: str | None, job_id: UUID | None, tool: str | None, limit: int, data: Path | None,
               as_json: bool) -> None:
    """Calls and undos, the latest first."""
    with wiring.wire(data).connect() as db:
        within = directory.workspace(db, workspace).id if workspace is not None else None
        calls = ledger.listed(db, within, job_id=job_id, tool=tool, limit=limit)
    if as_json:
        show([call.model_dump() for call in calls], as_json)
    else:
        show([{"id": str(call.id), "called_at": call.called_at,
               "tool": f"undo {call.tool}" if call.undoes else call.tool,
               "decided_by": call.decided_by, "changed": "; ".join(changes(call))} for call in calls], as_json)


@ledger_group.command(name="show")
@call_argument
@data_option
@json_option
def show_call(call_id: UUID, data: Path | None, as_json: bool) -> None:
    """One call: what it changed, who decided it and why, and its undo."""
    with wiring.wire(data).connect() as db:
        call, undo = ledger.get(db, call_id), ledger.undone_by(db, call_id)
    show({**call.model_dump(), "undone_by": undo.id if undo else None}, as_json)


@ledger_group.command()
@call_argument
@click.option("--reason", default="undone by hand", show_default=True, help="For whoever reads the ledger.")
@yes_option
@data_option
@json_option
def undo(call_id: UUID, reason: str, yes: bool, data: Path | None, as_json: bool) -> None:
    """Put back what a call changed. Refused, with the difference, when it has been changed again since."""
    from runtime.registry import TOOLS  # here, because it brings every subsystem along

    who = f"operator:{getpass.getuser()}"
    with wiring.wire(data).connect() as db:
        call = ledger.get(db, call_id)
        if not yes:
            told = TOOLS[call.tool].told if call.tool in TOOLS else call.tool
            click.echo("\n".join([f"{call.tool}: {told}", *changes(call)]), err=True)
            click.confirm("Undo it?", abort=True, err=True)
        with acting(db, actor=who, reason=reason):
            by = ledger.get(db, ledger.undo(db, TOOLS, call_id, who, "admin", reason))
    if as_json:
        show(by.model_dump(), as_json)
    else:
        click.echo("\n".join([f"Undone, by call {by.id}.", *changes(by)]))


def changes(call: ledger.CallRow) -> list[str]:
    """Each field that a call changed, as a person reads it."""
    return [f"{field}: {_short(call.before.get(field))} → {_short(call.after.get(field))}"
            for field in sorted({*call.before, *call.after}) if call.before.get(field) != call.after.get(field)]


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"
