"""The jobs of every chat: `sayso jobs list|show|why|watch|enqueue|retry|cancel|snooze`."""

import getpass
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, get_args
from uuid import UUID

import click

import jobs
from jobs.db import Conn
from jobs.deciding import Cancelled
from jobs.enqueueing import Priority
from jobs.states import STATUSES
from runtime import wiring
from runtime.commands.output import json_option, plain, show, yes_option
from runtime.commands.system import data_option

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
job_argument = click.argument("job", metavar="JOB")


@click.group(name="jobs")
def jobs_group() -> None:
    """What waits for a manager, and what they decided.

    JOB is the id of a job, its first 6 or more characters as long as only one begins so, or its dedupe key.
    """


GROUPS = (jobs_group,)


@contextmanager
def database(data: Path | None) -> Iterator[Conn]:
    """A connection on which history says which operator acts."""
    with wiring.wire(data).connect() as db:
        db.execute("SELECT set_config('sayso.actor', %s, false)", (f"operator:{getpass.getuser()}",))
        yield db


@jobs_group.command(name="list")
@click.option("--status", multiple=True, type=click.Choice(STATUSES), help="May be given several times.")
@click.option("--source", help="Only those that this subsystem finishes.")
@click.option("--kind", help="Only those of this kind.")
@click.option("--chat", "chat_guid", help="Only those of this chat.")
@click.option("--text", help="Only those with this in their question or key.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="The newest.")
@data_option
@json_option
def list_jobs(status: tuple[jobs.Status, ...], source: str | None, kind: str | None, chat_guid: str | None,
              text: str | None, limit: int, data: Path | None, as_json: bool) -> None:
    """Jobs, the newest first."""
    with database(data) as db:
        found = jobs.find(db, status=status, source=source, kind=kind, chat_guid=chat_guid, text=text, limit=limit)
    if as_json:
        show([job.model_dump() for job in found], as_json)
    else:
        show([{"id": str(job.id), "status": _state(job), "priority": job.priority, "kind": job.kind,
               "chat_guid": job.chat_guid, "question": _line(job)} for job in found], as_json)


@jobs_group.command(name="show")
@job_argument
@data_option
@json_option
def show_job(job: str, data: Path | None, as_json: bool) -> None:
    """One job: what it asks, and its story from the beginning."""
    with database(data) as db:
        it = jobs.get(db, jobs.look_up(db, job))
        story = jobs.timeline(db, it.id)
    if as_json:
        show({**it.model_dump(), "timeline": story}, as_json)
        return
    show({"id": it.id, "key": it.dedupe_key, "status": _state(it), "kind": f"{it.kind} of {it.source}",
          "chat": it.chat_guid, "priority": it.priority, "question": it.ask["question"], "facts": it.ask.get("facts"),
          "resolution": it.resolution, "finish_error": it.finish_error}, as_json)
    click.echo()
    for move in story:
        turn = f" (turn {move['turn_no']})" if move["turn_no"] is not None else ""
        words = " · ".join(filter(None, (move["detail"], move["actor"])))
        click.echo(f"{move['at']:%Y-%m-%d %H:%M:%S}  {move['what']:<28}{words}{turn}".rstrip())


@jobs_group.command(name="why")
@job_argument
@data_option
@json_option
def why_job(job: str, data: Path | None, as_json: bool) -> None:
    """Why a job is where it is, and what would move it."""
    with database(data) as db:
        job_id = jobs.look_up(db, job)
        said = jobs.why(db, job_id, jobs.now(db))
    if as_json:
        show({"id": job_id, "why": said}, as_json)
    else:
        click.echo("\n".join(said))


@jobs_group.command()
@click.option("--chat", "chat_guid", help="Only those of this chat.")
@data_option
@json_option
def watch(chat_guid: str | None, data: Path | None, as_json: bool) -> None:
    """Print what changes, as it changes, until Ctrl-C. With --json one object a line."""
    with database(data) as db:
        db.execute("LISTEN sayso")
        watching = Watch(db, chat_guid)
        watching.turn()
        click.echo(f"Watching {len(watching.seen)} jobs. Stop: Ctrl-C", err=True)
        try:
            watching.run(as_json)
        except KeyboardInterrupt:
            click.echo(err=True)


class Watch:
    """Re-reads the jobs that are not over, and knows how they were before."""

    def __init__(self, db: Conn, chat_guid: str | None) -> None:
        self._db = db
        self._chat_guid = chat_guid
        self.seen: dict[UUID, jobs.Job] = {}

    def turn(self) -> list[tuple[jobs.Job | None, jobs.Job]]:
        """One look: what was and what is, for each job that changed since the last."""
        now = jobs.live(self._db, self.seen.keys(), self._chat_guid)
        changed = [(self.seen.get(job.id), job) for job in reversed(now)
                   if job.id not in self.seen or self.seen[job.id].version != job.version]
        self.seen = {job.id: job for job in now if job.finished_at is None}
        return changed

    def run(self, as_json: bool, stop: threading.Event | None = None) -> None:
        """Look after each notification, and at least once in a while."""
        while stop is None or not stop.is_set():
            for _ in self._db.notifies(timeout=1, stop_after=1):
                pass
            for old, new in self.turn():
                if as_json:
                    click.echo(json.dumps({**new.model_dump(), "was": old.status if old else None}, default=plain))
                else:
                    was = "" if old is None or old.status == new.status else f"{old.status} → "
                    click.echo(f"{new.updated_at:%H:%M:%S}  {new.chat_guid}  {new.dedupe_key}  {was}{_state(new)}  "
                               f"{_line(new)}")


@jobs_group.command()
@click.argument("file", type=click.File("rb"), required=False)
@click.option("--source", help="The subsystem that finishes it.")
@click.option("--kind", help="One of that subsystem's kinds.")
@click.option("--chat", "chat_guid", help="The chat it is asked in.")
@click.option("--key", "dedupe_key", help="One job lives under a key at a time.")
@click.option("--question", help="What is asked, to be answered with yes or no.")
@click.option("--priority", type=click.Choice(get_args(Priority)), default="normal", show_default=True,
              help="Which is asked first.")
@click.option("--not-before", metavar="WHEN", help="now, 10m, 2h, 1d, or a time with its zone.")
@data_option
@json_option
def enqueue(file: BinaryIO | None, source: str | None, kind: str | None, chat_guid: str | None, dedupe_key: str | None,
            question: str | None, priority: Priority, not_before: str | None, data: Path | None,
            as_json: bool) -> None:
    """Put jobs into the table, from FILE or from options.

    FILE (- for standard input) is a JSON object, or an array of them. The object's keys are the columns: source, kind,
    chat_guid, dedupe_key, ask, and if wanted resume, priority, not_before, issue_id, batch_key. All of FILE or nothing
    is enqueued.
    """
    with database(data) as db:
        if file is not None:
            new = [_new_job(db, each) for each in _read(file)]
        else:
            ask: dict[str, Any] = {"question": question, "draft": question, "answer": {}}
            given = {"source": source, "kind": kind, "chat_guid": chat_guid, "dedupe_key": dedupe_key, "ask": ask}
            when = _when(not_before, jobs.now(db)) if not_before else None
            new = [_new_job(db, {**given, "priority": priority, "not_before": when})]
        with db.transaction():
            told = jobs.enqueue_many(db, new)
    rows = [asdict(each) for each in told]
    show(rows if file is not None else rows[0], as_json)


@jobs_group.command()
@job_argument
@data_option
@json_option
def retry(job: str, data: Path | None, as_json: bool) -> None:
    """Set going again what stands still. A decision that was made is finished again, never asked again."""
    with database(data) as db:
        show(asdict(jobs.retry(db, jobs.look_up(db, job))), as_json)


@jobs_group.command()
@job_argument
@click.option("--reason", type=click.Choice(get_args(Cancelled)), default="withdrawn", show_default=True,
              help="For whoever wonders why it ended.")
@yes_option
@data_option
@json_option
def cancel(job: str, reason: Cancelled, yes: bool, data: Path | None, as_json: bool) -> None:
    """End a job without an answer. Its subsystem is told, as of any other end."""
    with database(data) as db:
        it = jobs.get(db, jobs.look_up(db, job))
        if not yes:
            click.confirm(f"Cancel {it.dedupe_key} ({_state(it)}): {_line(it)}?", abort=True, err=True)
        _show_moved(jobs.cancel(db, it.id, reason, by_owner=False), as_json)


@jobs_group.command()
@job_argument
@click.argument("until", metavar="WHEN")
@data_option
@json_option
def snooze(job: str, until: str, data: Path | None, as_json: bool) -> None:
    """Ask a job not before WHEN. One that was asked leaves its ask.

    WHEN is now, 10m, 2h, 1d, or a time with its zone.
    """
    with database(data) as db:
        _show_moved(jobs.snooze(db, jobs.look_up(db, job), _when(until, jobs.now(db))), as_json)


def _new_job(db: Conn, given: object) -> jobs.NewJob:
    """The workspace follows from the chat, unless it is given."""
    if isinstance(given, dict) and "workspace_id" not in given:
        chat_guid = given.get("chat_guid")
        if not isinstance(chat_guid, str):
            raise jobs.BadValue(f"chat_guid is {chat_guid!r}", "Name the chat that it is asked in.",
                                field="chat_guid", value=chat_guid)
        given = {**given, "workspace_id": jobs.workspace_of(db, chat_guid)}
    return jobs.NewJob.read(given)


def _read(file: BinaryIO) -> list[object]:
    try:
        data = json.loads(file.read())
    except (ValueError, RecursionError) as error:  # not UTF-8 is a ValueError too
        raise jobs.BadValue(f"FILE is not JSON: {error}", "Give an object, or an array of objects.",
                            field="FILE") from error
    return data if isinstance(data, list) else [data]


def _when(text: str, now: datetime) -> datetime:
    if text == "now":
        return now
    if match := re.fullmatch(r"(\d{1,6})([smhd])", text):
        return now + timedelta(seconds=int(match[1]) * UNITS[match[2]])
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise jobs.BadValue(f"WHEN is {text!r}", "Use now, 10m, 2h, 1d, or a time like 2026-01-31T09:00-05:00.",
                            field="WHEN", value=text) from error


def _show_moved(job: jobs.Job, as_json: bool) -> None:
    if as_json:
        show(job.model_dump(), as_json)
    else:
        click.echo(f"{job.dedupe_key} is {_state(job)} now.")


def _state(job: jobs.Job) -> str:
    return f"{job.status}, home" if job.finished_at else job.status


def _line(job: jobs.Job) -> str:
    question = " ".join(str(job.ask["question"]).split())
    return question if len(question) <= 60 else question[:59] + "…"
