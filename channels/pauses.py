"""The pause: while it lasts nothing leaves, of one workspace or of all. Texts are still planned, and wait."""

from pathlib import Path
from typing import Any
from uuid import UUID

from channels.rows import PauseRow
from jobs.db import Conn, statements

sql = statements(Path(__file__).with_suffix(".sql"))


def pause(db: Conn, workspace_id: UUID | None, reason: str) -> PauseRow:
    """Stop what leaves; None is every workspace. Again: the newer reason stands. Holds from the commit on.

    What was claimed before that is on its way and cannot be called back: `waiting` counts it as submitting.
    """
    return PauseRow(**sql.insert(db, workspace_id=workspace_id, reason=reason))


def resume(db: Conn, workspace_id: UUID | None) -> bool:
    """End one pause; False when there was none. The pause of all and that of a workspace are two."""
    return sql.delete(db, workspace_id=workspace_id) is not None


def paused(db: Conn) -> list[PauseRow]:
    """The pauses in force."""
    return [PauseRow(**row) for row in db.execute("SELECT * FROM channel_pauses ORDER BY paused_at")]


def waiting(db: Conn, workspace_id: UUID | None) -> list[dict[str, Any]]:
    """What has not ended, counted by purpose and status."""
    return list(sql.waiting(db, workspace_id=workspace_id))


def told(db: Conn) -> str | None:
    """For whoever wonders why nothing leaves: what is paused, why, and how many texts wait. None while nothing is."""
    what = [f"{pause.workspace_id or 'everything'} ({pause.reason})" for pause in paused(db)]
    texts = sum(row["texts"] for row in waiting(db, None))
    return f"{', '.join(what)}; {texts} texts wait. Let them leave: sayso resume" if what else None
