"""The connection that every folder passes around, its clock, and who acts."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any

import aiosql
import psycopg
from psycopg.pq import TransactionStatus

Conn = psycopg.Connection[dict[str, Any]]


def statements(path: Path) -> Any:
    """The named statements of a .sql file, or of all in a folder, each as a function of the connection."""
    return aiosql.from_path(path, "psycopg", mandatory_parameters=False)


sql = statements(Path(__file__).with_name("statements"))


def now(db: Conn) -> datetime:
    """The one clock. A session that has set sayso.now stands still at that time."""
    at: datetime = db.execute("SELECT app_now() AS at").fetchone()["at"]  # type: ignore[index]  # always one row
    return at


def whole(db: Conn) -> AbstractContextManager[Any]:
    """For one statement that must leave the caller's transaction usable: a savepoint; alone, it is one by itself."""
    return nullcontext() if db.info.transaction_status == TransactionStatus.IDLE else db.transaction()


@contextmanager
def acting(db: Conn, actor: str | None = None, reason: str | None = None) -> Iterator[None]:
    """History written inside says that `actor` did it, and why; what is None stays as it was around this block.

    A transaction, or a savepoint in the caller's: an error undoes the block and leaves the caller's transaction usable.
    """
    with db.transaction():
        before = dict(sql.act(db, actor=actor, reason=reason))
        try:
            yield
        finally:
            if db.info.transaction_status == TransactionStatus.INTRANS:  # else the rollback puts it back
                sql.act_as_before(db, **before)
