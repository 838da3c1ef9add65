"""A Celery application for `celery -A tests.runtime.a_worker worker`, whose owner and channel count in the database.

Its owner writes to the table `done`; its channel to `sent`, and it kills the worker when a text says so.
"""

import os
import signal
from contextlib import AbstractContextManager
from datetime import datetime

from celery import Celery, signals

from channels.contract import Accepted, LookedUp, Outgoing, Submitted
from conductor.actions import Done
from conductor.turn import Outcome
from jobs import Job, Owner, SettledMessage
from jobs.db import Conn
from runtime.broker import celery
from runtime.config import QUEUES
from runtime.tasks import Tick, Work, register
from runtime.wiring import connect

TABLES = "CREATE TABLE done (what uuid); CREATE TABLE sent (body text); CREATE TABLE ready (pid int)"


class Deadly:
    name = "terminal"

    def submit(self, text: Outgoing) -> Submitted:
        with database() as db:
            db.execute("INSERT INTO sent VALUES (%s)", (text.body,))
        if text.body == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        return Accepted("there")

    def look_up(self, text: Outgoing) -> LookedUp:
        return Accepted("found")


def database() -> AbstractContextManager[Conn]:
    return connect(os.environ["DATABASE_URL"], "worker")


def finish(db: Conn, job: Job, now: datetime) -> None:
    db.execute("INSERT INTO done VALUES (%s)", (job.id,))


def settled(db: Conn, message: SettledMessage, now: datetime) -> None:
    db.execute("INSERT INTO done VALUES (%s)", (message.id,))


def ready(**_: object) -> None:
    with database() as db:
        db.execute("INSERT INTO ready VALUES (%s)", (os.getpid(),))
        db.execute("NOTIFY sayso")


def application() -> Celery:
    owner = Owner("memory", (), finish, settled, lambda db, now: None)
    tick = Tick("once", 1, lambda db, now: db.execute("INSERT INTO sent VALUES ('tick')"))
    work = Work(database, {"memory": owner}, (Deadly(),), {"once": tick}, lambda *_: Outcome(0, (), Done()))
    return register(celery(lambda: os.environ["REDIS_URL"], QUEUES), work)


signals.worker_ready.connect(ready)
app = application()
