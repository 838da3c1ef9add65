"""All that a turn may do to the world: send a text in its own chat, wait, or be done."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import jobs
from channels import outbox
from jobs.db import Conn


@dataclass(frozen=True)
class Wait:
    """Look at this chat again at `until`, or sooner when something wakes it."""

    until: datetime


@dataclass(frozen=True)
class Done:
    """Nothing lives in this chat: only a wake brings a turn back."""


LONGEST = outbox.LONGEST  # characters of one text
Purpose = Literal["ask", "ask_back", "confirmation", "notice"]


def send_text(db: Conn, chat: jobs.Chat, key: str, purpose: Purpose, body: str, ask_id: UUID | None = None) -> UUID:
    """Plan one text to the chat's manager, in the turn's transaction; the same key plans it once."""
    return outbox.plan(
        db,
        workspace_id=chat.workspace_id,
        key=key,
        purpose=purpose,
        body=body,
        to=outbox.ToChat(chat.chat_guid),
        ask_id=ask_id,
    )


def wait(db: Conn, chat: jobs.Chat) -> Wait | Done:
    """End the turn: write when to look next, or that nothing is left to do."""
    until = jobs.end_turn(db, chat)
    return Wait(until) if until is not None else done()


def done() -> Done:
    """Nothing is left to do."""
    return Done()


ACTIONS: Mapping[str, Callable[..., Any]] = {"send_text": send_text, "wait": wait, "done": done}
