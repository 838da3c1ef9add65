"""The row of an ask, whatever became of it."""

from uuid import UUID

from jobs import AskRow
from jobs.db import Conn


def ask_row(db: Conn, ask_id: UUID) -> AskRow:
    row = db.execute("SELECT * FROM asks WHERE id = %s", (ask_id,)).fetchone()
    assert row is not None
    return AskRow(**row)
