"""Events of the bridge: what a person wrote, read strictly, stored once, for the one manager who has that address."""

from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

import directory
from channels import inbound
from channels.errors import BadEventError
from channels.http import NAME, Name
from channels.inbound import Received
from jobs.db import Conn

CORRECT = "Correct it and send it again: docs/http-channel.md"
YEARS = range(2000, 2200)  # of a message; another is a mistake, and far ones are no times everywhere


class Event(BaseModel):
    """One message as the bridge tells it. What else it says is not ours to judge, and is left aside."""

    model_config = ConfigDict(frozen=True, strict=True)

    id: Name
    address: Name
    body: str
    sent_at: AwareDatetime
    quotes: UUID | None = None


def read(data: bytes) -> Event:
    """Raises BadEventError, which names the first bad field with its value."""
    try:
        event = Event.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        field = ".".join(map(str, first["loc"]))
        if first["type"] == "missing":
            raise BadEventError(f"{field} is missing", CORRECT, field=field) from error
        raise _bad(field, first["input"], first["msg"]) from error
    if event.sent_at.year not in YEARS:
        raise _bad("sent_at", event.sent_at.isoformat(), f"the year is not in {YEARS[0]} to {YEARS[-1]}")
    return event


def take(db: Conn, event: Event) -> Received:
    """Store it, in the caller's transaction; the same id is stored once.

    Raises directory.NoSuch and NotOne where the address is not that of exactly one manager, BadTextError for the body.
    """
    who = directory.manager_at(db, NAME, event.address)
    assert who.chat_guid is not None, "schema.sql: a manager has a chat"
    return inbound.receive(
        db, workspace_id=who.workspace_id, chat_guid=who.chat_guid, person_id=who.id, channel=NAME,
        provider_id=event.id, body=event.body, sent_at=event.sent_at, quotes=event.quotes)


def _bad(field: str, value: object, why: str) -> BadEventError:
    shown = repr(value)
    shown = shown if len(shown) <= 80 else shown[:79] + "…"
    return BadEventError(f"{field} is {shown}: {why}" if field else f"the event: {why}",
                         CORRECT, field=field, value=value)
