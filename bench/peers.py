"""Two other Postgres queues, by their documented calls: what of our rows they can do. They have no person to ask."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4

import procrastinate
import psycopg
from pgqueuer.db import PsycopgDriver, SyncPsycopgDriver
from pgqueuer.queries import Queries, SyncQueries
from procrastinate import exceptions
from procrastinate.jobs import Status
from psycopg.rows import dict_row

from bench.hand import ASK, RESUME

PAYLOAD = {"ask": ASK, "resume": RESUME}


class Procrastinate:
    """`queueing_lock` is the key, `lock` the chat. A duplicate raises."""

    name = "procrastinate"

    def __init__(self, url: str) -> None:
        self._url = url
        self._app = procrastinate.App(
            connector=procrastinate.SyncPsycopgConnector(conninfo=url, min_size=1, max_size=1)
        )
        self._app.open()
        self._app.schema_manager.apply_schema()

    def job(self, chat: str, key: str) -> dict[str, Any]:
        return {"lock": chat, "queueing_lock": key}

    def enqueue(self, job: dict[str, Any]) -> None:
        try:
            self._app.configure_task("question", **job).defer(**PAYLOAD)
        except exceptions.AlreadyEnqueued:
            return

    def enqueue_many(self, jobs: Sequence[dict[str, Any]]) -> None:
        self._app.configure_task("question").batch_defer(*[PAYLOAD for _ in jobs])

    def drain(self, jobs: int) -> None:
        """Claim and finish so many, one after the other."""
        asyncio.run(self._drain(jobs))

    async def _drain(self, jobs: int) -> None:
        app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=self._url, min_size=1, max_size=1))
        async with app.open_async():
            worker = await app.job_manager.register_worker()
            for _ in range(jobs):
                job = await app.job_manager.fetch_job(queues=None, worker_id=worker)
                assert job is not None, "there are enough"
                await app.job_manager.finish_job(job, status=Status.SUCCEEDED, delete_job=False)

    def close(self) -> None:
        self._app.close()


class PgQueuer:
    """`dedupe_key` is the key; a duplicate is skipped."""

    name = "pgqueuer"

    def __init__(self, url: str) -> None:
        self._url = url
        asyncio.run(self._install())
        self._connection = psycopg.connect(url, autocommit=True, row_factory=dict_row)
        self._queries = SyncQueries(SyncPsycopgDriver(self._connection))

    async def _install(self) -> None:
        async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
            await Queries(PsycopgDriver(connection)).install()

    def job(self, chat: str, key: str) -> str:
        return key

    def enqueue(self, job: str) -> None:
        self._queries.enqueue("question", b'{"ask": 1}', dedupe_key=job, on_conflict="skip")

    def enqueue_many(self, jobs: Sequence[str]) -> None:
        count = len(jobs)
        self._queries.enqueue(["question"] * count, [b'{"ask": 1}'] * count, [0] * count, dedupe_key=list(jobs))

    def drain(self, jobs: int) -> None:
        asyncio.run(self._drain(jobs))

    async def _drain(self, jobs: int) -> None:
        from pgqueuer.ports.repository import EntrypointExecutionParameter

        async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
            queries, manager = Queries(PsycopgDriver(connection)), uuid4()
            entrypoints = {"question": EntrypointExecutionParameter(0)}
            for _ in range(jobs):
                [job] = await queries.dequeue(1, entrypoints, manager, None, timedelta(seconds=30))
                await queries.log_jobs([(job, "successful", None)])

    def close(self) -> None:
        self._connection.close()
