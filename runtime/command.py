"""The `sayso` command: which command lives where, and how a refusal is printed."""

import json
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn

import click
import psycopg

from jobs.errors import SaysoError
from runtime.commands.output import WANTS_JSON


@dataclass(frozen=True)
class Entry:
    """A command. Its module is imported when it is called, not before: `sayso --help` stays quick."""

    name: str
    module: str
    help: str


COMMANDS = (
    Entry("demo", "runtime.commands.demo", "Play a tenant and a manager in this terminal."),
    Entry("up", "runtime.commands.system", "Start everything."),
    Entry("down", "runtime.commands.system", "Stop everything; the data stays."),
    Entry("status", "runtime.commands.system", "What runs, and whether something is stuck."),
    Entry("workspace", "runtime.commands.directory", "Make a workspace, and see which there are."),
    Entry("import", "runtime.commands.directory", "Read properties, units, people and vendors from a CSV file."),
    Entry("intake", "runtime.commands.intake", "Read requests of tenants from a file."),
    Entry("tenant", "runtime.commands.intake", "Write as a tenant."),
    Entry("chat", "runtime.commands.chat", "Write and read as the manager."),
    Entry("jobs", "runtime.commands.jobs", "What waits for a manager, and what they decided."),
    Entry("ledger", "runtime.commands.ledger", "What was done, by whose decision; undo it."),
    Entry("pause", "runtime.commands.outgoing", "Stop all that goes out."),
    Entry("resume", "runtime.commands.outgoing", "Let it go out again."),
    Entry("backup", "runtime.commands.outgoing", "Write everything to a file."),
    Entry("restore", "runtime.commands.outgoing", "Read it back from a file."),
    Entry("reset", "runtime.commands.system", "Stop, and delete the data."),
    Entry("config", "runtime.commands.system", "Check workers.toml and the environment."),
)


class Sayso(click.Group):
    """Finds a command in COMMANDS. Its module has GROUPS, a tuple of click commands, in which it stands by its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [entry.name for entry in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for entry in COMMANDS:
            if entry.name == cmd_name:
                commands: tuple[click.Command, ...] = import_module(entry.module).GROUPS
                return next(command for command in commands if command.name == cmd_name)
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(entry.name, entry.help) for entry in COMMANDS])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[WANTS_JSON] = "--json" in args  # so that what fails before the option is read is printed so too
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # whoever read has heard enough: click ends in silence, with 1
            raise
        except click.ClickException as error:
            if not ctx.meta.get(WANTS_JSON):
                raise
            refuse(ctx, error.format_message(), "See --help.", error.exit_code)
        except (SaysoError, psycopg.Error, OSError, UnicodeEncodeError) as error:
            refuse(ctx, *in_words(error))


def refuse(ctx: click.Context, error: str, next_step: str, exit_code: int = 1) -> NoReturn:
    """Print why, and what to do, and end."""
    if ctx.meta.get(WANTS_JSON):
        click.echo(json.dumps({"error": error, "next": next_step}, ensure_ascii=False), err=True)
    else:
        click.echo(f"error: {error}", err=True)
        if next_step:
            click.echo(next_step, err=True)
    ctx.exit(exit_code)


def in_words(error: Exception) -> tuple[str, str]:
    """What went wrong, and what to do about it."""
    match error:
        case SaysoError():
            return str(error), error.next_step
        case psycopg.Error():
            return f"the database: {str(error).strip().partition(chr(10))[0] or repr(error)}", "See: sayso status"
        case OSError():
            where = f": {error.filename}" if error.filename is not None else ""
            return f"{error.strerror or error}{where}", "Is it yours, is it where you said, and is there room?"
        case UnicodeEncodeError():
            return (f"{error.object[error.start]!a} cannot be printed in {error.encoding}",
                    "Set PYTHONIOENCODING=utf-8")
        case _:
            return repr(error), ""


@click.group(cls=Sayso, context_settings={"help_option_names": ["-h", "--help"]})
def sayso() -> None:
    """An operations desk for property managers that does nothing that matters without the manager's say-so."""


def main() -> None:
    sayso()


if __name__ == "__main__":
    main()
