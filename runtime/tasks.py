"""The five tasks that a hint can start. Each reads its row again; one that fails loses nothing."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from celery import Celery

import jobs
from channels.contract import Channel
from channels.delivery import deliver
from conductor.turn import Outcome
from jobs.db import Conn
from jobs.errors import Busy
from jobs.owners import Owner
from runtime.finishing import again, finish_job, settle_message

log = structlog.get_logger()


@dataclass(frozen=True)
class Tick:
    """Something that is done every so many seconds, in one transaction. Sets of rows at once, and safe to repeat."""

    name: str
    seconds: int
    do: Callable[[Conn, datetime], object]


@dataclass(frozen=True)
class Work:
    """All that the tasks need. `connection` lends one in autocommit for the length of a task."""

    connection: Callable[[], AbstractContextManager[Conn]]
    owners: Mapping[str, Owner]
    channels: Sequence[Channel]
    ticks: Mapping[str, Tick]
    turn: Callable[[Conn, UUID, str], Outcome]

    def turn_chat(self, workspace_id: str, chat_guid: str) -> None:
        """One turn of one chat. A turn that raises is counted on its chat, which backs off."""
        with self.connection() as db:
            try:
                done = again(lambda: self.turn(db, UUID(workspace_id), chat_guid))
            except Busy:
                return  # another turn has the chat; the wake stays, and is hinted again
            except Exception as error:
                jobs.turn_failed(db, UUID(workspace_id), chat_guid, repr(error), jobs.now(db))
                raise
            log.info("turn", **asdict(done))

    def finish_job(self, source: str, job_id: str) -> None:
        with self.connection() as db:
            log.info("finish", outcome=finish_job(db, self.owners[source], UUID(job_id)).value)

    def settle_message(self, source: str, message_id: str) -> None:
        with self.connection() as db:
            log.info("settle", outcome=settle_message(db, self.owners[source], UUID(message_id)).value)

    def deliver_message(self, message_id: str) -> None:
        with self.connection() as db:
            outcome = deliver(db, UUID(message_id), self.channels)
            log.info("deliver", outcome=type(outcome).__name__, **asdict(outcome))

    def tick(self, name: str) -> None:
        with self.connection() as db:

            def once() -> object:
                with db.transaction():
                    return self.ticks[name].do(db, jobs.now(db))

            again(once)


NAMES = ("turn_chat", "finish_job", "settle_message", "deliver_message", "tick")
ARGUMENTS: dict[str, tuple[str, ...]] = {  # how the log names what a hint carries
    "turn_chat": ("workspace_id", "chat_guid"), "finish_job": ("source", "job_id"),
    "settle_message": ("source", "message_id"), "deliver_message": ("message_id",), "tick": ("tick",)}


def register(app: Celery, work: Work) -> Celery:
    """Give a worker's application its tasks."""
    for name in NAMES:
        app.task(_guarded(name, getattr(work, name)), name=name, ignore_result=True)
    return app


def _guarded(name: str, run: Callable[..., None]) -> Callable[..., None]:
    """A failing task is logged and over: the row still says what is due, and the relay hints it again."""

    def task(*args: Any) -> None:
        with structlog.contextvars.bound_contextvars(task=name, **dict(zip(ARGUMENTS[name], args, strict=False))):
            try:
                run(*args)
            except Exception:
                log.exception("task failed")

    return task
