"""Readings: what today's rules made of each message, kept beside it. A message with a reading has been heard."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from uuid import UUID

from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

import jobs
from channels.inbound import Inbound
from conductor.interpreting import READER, Item, Reading, Unclear
from jobs.db import Conn, statements

UNCLEAR = TypeAdapter(Unclear)
sql = statements(Path(__file__).with_suffix(".sql"))


def last_read_seq(db: Conn, chat: jobs.Chat) -> int:
    """The place in the chat up to which everything has been heard."""
    seq: int = sql.last_read_seq(db, workspace_id=chat.workspace_id, chat_guid=chat.chat_guid)
    return seq


def remember(
    db: Conn, chat: jobs.Chat, messages: Sequence[Inbound], ask_id: UUID | None, reading: Reading, items: Sequence[Item]
) -> None:
    """Write one row a message. What several messages say together stands with the last of them."""
    job_ids = {item.item_no: str(item.job_id) for item in items}
    verdicts = [asdict(verdict) | {"job_id": job_ids[verdict.item_no]} for verdict in reading.verdicts]
    asked_back = UNCLEAR.dump_python(reading.unclear, mode="json") if reading.unclear else None
    for message in messages:
        is_last = message is messages[-1]
        sql.remember(
            db,
            inbound_id=message.id,
            workspace_id=chat.workspace_id,
            chat_guid=chat.chat_guid,
            seq=message.seq,
            turn_no=chat.turn_no,
            ask_id=ask_id,
            verdicts=Jsonb(verdicts if is_last else []),
            asked_back=Jsonb(asked_back) if is_last and asked_back else None,
            reader=READER,
        )


def last_asked_back(db: Conn, ask_id: UUID) -> Unclear | None:
    """What we asked in return to the latest reply about this ask, if anything."""
    asked_back = sql.last_asked_back(db, ask_id=ask_id)
    return None if asked_back is None else UNCLEAR.validate_python(asked_back)
