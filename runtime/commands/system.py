"""Starting, stopping and looking at the whole: up, down, status, reset, config."""

import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import click
import psycopg

from channels import pauses
from jobs.db import Conn
from runtime import child, config, embedded, health, logs, migrate, processes, running, trouble, wiring
from runtime.bridge import VARIABLES
from runtime.commands.output import json_option, show, yes_option
from runtime.detach import CameUp, Say, detach
from runtime.errors import DidNotStartError, DidNotStopError, UnreachableError
from runtime.folder import MARKER, OURS, NotOursError, claim, hold, is_ours
from runtime.folder import supervisor as holding_supervisor
from runtime.supervisor import Plan, Supervisor

STOP_SECONDS = 90  # longer than the supervisor takes at worst: three groups of 25 s
STUCK = 1  # exit code


class DataFolder(click.Path):
    """'' would be the folder that one happens to be in, so it is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("it is empty; name a folder, or leave --data out", param, ctx)
        return super().convert(value, param, ctx)


data_option = click.option("--data", type=DataFolder(path_type=Path),
                           help="The data folder; without it $SAYSO_DATA, without that .data in the checkout.")


@click.command()
@data_option
@click.option("--port", type=click.IntRange(1, 65535), help="The port of the web page, for when there is one.")
@click.option("--demo", is_flag=True, help="With the demo workspace: made-up properties, tenants and vendors.")
@click.option("--detach", "in_background", is_flag=True, help="In the background; returns when everything is ready.")
@json_option
def up(data: Path | None, port: int | None, demo: bool, in_background: bool, as_json: bool) -> None:
    """Start the servers and every process, and keep them running.

    DATABASE_URL and REDIS_URL name servers of your own; then ours are not started. Ctrl-C stops everything and keeps
    the data. With --detach it returns 0 when everything is ready, and 1 with the reason when something cannot start.
    """
    folder = (data or wiring.data_folder()).absolute()
    plan = _plan(folder, port, demo)

    def say(line: str) -> None:
        if not as_json:
            click.echo(line)

    def started(well: bool) -> None:
        if as_json:
            show(status_of(folder), as_json)
        elif well:
            click.echo(f"Everything runs. See: sayso status. {'Stop: sayso down' if in_background else 'Stop: Ctrl-C'}")

    def run(say: Say, came_up: CameUp) -> None:
        Supervisor(plan, say, came_up).run()

    if not in_background:
        run(say, started)
        return
    claim(folder)
    if not detach(run, logs.folder(folder) / "supervisor.out", say):
        raise DidNotStartError(not_ready(folder), f"It is tried again and again: see {folder / 'logs'}, sayso status. "
                                                  "Stop: sayso down")
    started(True)


def not_ready(folder: Path) -> str:
    """Which processes have not come up, each with the last thing it said."""
    run = running.current(folder)
    lines = [f"{each.name}: {child.last_line(folder / 'logs' / f'{each.name}.out') or each.state}"
             for each in (run.processes if run else []) if each.state != "running"]
    return f"not everything runs: {'; '.join(lines)}"


def _plan(folder: Path, port: int | None, demo: bool) -> Plan:
    workers, bridge = config.load(), wiring.bridge()

    def prepare(db: Conn, say: Say) -> None:
        from runtime import startup  # only a start needs every owner: the other commands stay quick

        startup.prepare(db, say, demo)

    return Plan(data=folder, database_url=wiring.external("DATABASE_URL"), broker_url=wiring.external("REDIS_URL"),
                page_port=port, prepare=prepare,
                programs=lambda database, broker: wiring.programs(workers, folder, database, broker,
                                                                 with_bridge=bridge is not None))


@click.command()
@data_option
@json_option
def down(data: Path | None, as_json: bool) -> None:
    """Stop everything and wait until it has stopped. The data stays."""
    folder = (data or wiring.data_folder()).absolute()
    stopped = stop(folder)
    if as_json:
        show({"data": folder, "was_running": stopped}, as_json)
    else:
        click.echo("Stopped." if stopped else f"Nothing runs on {folder}.")


@click.command()
@data_option
@json_option
def status(data: Path | None, as_json: bool) -> None:
    """What runs, where, and whether something is stuck; exits with 1 when something is, or when nothing runs."""
    folder = (data or wiring.data_folder()).absolute()
    now = status_of(folder)
    if as_json:
        show(now, as_json)
    else:
        show({key: value for key, value in now.items() if not isinstance(value, list)}, as_json)
        for rows in (now["processes"], now["health"]):
            if rows:
                click.echo()
                show(rows, as_json)
    if not now["well"]:
        raise click.exceptions.Exit(STUCK)


def status_of(folder: Path) -> dict[str, Any]:
    """What `sayso status --json` prints. `well` is whether everything runs and nothing is stuck."""
    run = running.current(folder)
    wired = wiring.wire(folder)
    found = trouble.of_disks(folder)
    beats, checks, paused = {}, [], None
    if wired.given_database_url:
        try:
            with wired.connect() as db:
                found += trouble.of_database(db)
                if not migrate.behind(db):
                    beats, checks = processes.of_this_host(db), health.look(db)
                    paused = pauses.told(db)
        except (UnreachableError, psycopg.Error) as error:
            found.append(str(error))
    if run and run.broker_url:
        from runtime import broker  # Celery's libraries take a while to load

        try:
            broker.ping(run.broker_url)
        except UnreachableError as error:
            found.append(str(error))
    listed = [{"name": process.name, "state": process.state, "restarts": process.restarts,
               "last_heartbeat": beats[process.name].beat_at if process.name in beats else None,
               "pid": process.birth.pid if process.birth else None, "said": process.said}
              for process in (run.processes if run else [])]
    well = (run is not None and run.ready and not found and not any(check["stuck"] for check in checks)
            and all(process["state"] == "running" for process in listed))
    return {"well": well, "running": run is not None, "supervisor_pid": run.supervisor.pid if run else None,
            "data": folder, "database_url": wired.given_database_url, "broker_url": wired.given_broker_url,
            "page_url": None, "trouble": "; ".join(found) or None, "paused": paused,
            "processes": listed, "health": checks}


@click.command()
@data_option
@yes_option
@json_option
def reset(data: Path | None, yes: bool, as_json: bool) -> None:
    """Stop, and delete all that Sayso keeps in the data folder: the embedded database, every job in it, the logs.

    A database of your own (DATABASE_URL) is not touched.
    """
    folder = (data or wiring.data_folder()).absolute()
    there = folder.exists()
    if there and not is_ours(folder):
        raise NotOursError(f"{folder} is no data folder of Sayso", "Nothing was deleted. Give the --data of sayso up.")
    if there:
        if not yes:
            click.confirm(f"Delete the database and the logs of {folder}?", abort=True, err=as_json)
        stop(folder)
        with hold(folder, "reset"):
            delete(folder)
    if as_json:
        show({"deleted": folder if there else None}, as_json)
    else:
        click.echo(f"Deleted what was in {folder}." if there else f"There is no {folder}: nothing was deleted.")


def delete(folder: Path) -> None:
    """Delete what is ours in a data folder on which nothing runs, and the folder if it is empty then."""
    embedded.delete(folder)
    for name in OURS:
        if (folder / name).is_dir():
            shutil.rmtree(folder / name)
        else:
            (folder / name).unlink(missing_ok=True)
    for name in (MARKER, "lock"):  # last: what is left of an interrupted one can be deleted by the next
        (folder / name).unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()


def stop(folder: Path) -> bool:
    """Stop the supervisor of a data folder and wait for it; whether there was one.

    Raises DataFolderTakenError when something else holds the folder, DidNotStopError.
    """
    run = running.current(folder)
    supervisor = run.supervisor if run else holding_supervisor(folder)
    if supervisor is None:
        return False
    pid = supervisor.pid
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return True
    except PermissionError:
        raise DidNotStopError(f"the supervisor, process {pid}, belongs to another user",
                              "Stop it as that user, or as root.") from None
    until = time.monotonic() + STOP_SECONDS
    while supervisor.alive:
        if time.monotonic() > until:
            raise DidNotStopError(f"the supervisor, process {pid}, does not stop", f"End it: kill -9 {pid}")
        time.sleep(0.02)
    return True


@click.group(name="config")
def configuration() -> None:
    """Check workers.toml and the environment."""


@configuration.command()
@json_option
def check(as_json: bool) -> None:
    """Read workers.toml and the environment as `sayso up` would. Says what it makes of them, or what is wrong."""
    workers, bridge = config.load(), wiring.bridge()
    rows = [{"process": name, **process.model_dump()} for name, process in workers.processes.items()]
    place = {"url": bridge.url, "listen": bridge.listen} if bridge else None
    if as_json:
        show({"file": config.FILE, "processes": rows, "bridge": place}, as_json)
        return
    show(rows, as_json)
    click.echo(f"\nbridge: {place['url']}, events to {place['listen']}" if place else
               f"\nbridge: none; {', '.join(VARIABLES)} would name one (docs/http-channel.md)")


GROUPS: tuple[click.Command, ...] = (up, down, status, reset, configuration)
