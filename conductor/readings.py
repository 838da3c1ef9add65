"""Readings: what today's rules made of each message, kept beside it. A message with a reading has been heard."""

from dataclasses import asdict
from uuid import UUID

from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

import jobs
from channels.inbound import Inbound
from conductor.interpreting import READER, Reading, Unclear
from jobs.db import Conn

UNCLEAR = TypeAdapter(Unclear)


def last_read_seq(db: Conn, chat: jobs.Chat) -> int:
    """The place in the chat up to which everything has been heard."""
    row = db.execute(
        "SELECT coalesce(max(seq), 0) AS seq FROM conductor_readings WHERE workspace_id = %s AND chat_guid = %s",
        (chat.workspace_id, chat.chat_guid),
    ).fetchone()
    assert row is not None
    return int(row["seq"])


def remember(db: Conn, chat: jobs.Chat, messages: tuple[Inbound, ...], ask_id: UUID | None, reading: Reading) -> None:
    """Write one row a message. What several messages say together stands with the last of them."""
    for message in messages:
        is_last = message is messages[-1]
        db.execute(
            "INSERT INTO conductor_readings"
            " (inbound_id, workspace_id, chat_guid, seq, turn_no, ask_id, verdicts, asked_back, reader)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (
                message.id,
                chat.workspace_id,
                chat.chat_guid,
                message.seq,
                chat.turn_no,
                ask_id,
                Jsonb([asdict(v) for v in reading.verdicts] if is_last else []),
                Jsonb(UNCLEAR.dump_python(reading.unclear, mode="json")) if is_last and reading.unclear else None,
                READER,
            ),
        )


def last_asked_back(db: Conn, ask_id: UUID) -> Unclear | None:
    """What we asked in return to the latest reply about this ask, if anything."""
    row = db.execute(
        "SELECT asked_back FROM conductor_readings WHERE ask_id = %s ORDER BY seq DESC LIMIT 1", (ask_id,)
    ).fetchone()
    if row is None or row["asked_back"] is None:
        return None
    return UNCLEAR.validate_python(row["asked_back"])
