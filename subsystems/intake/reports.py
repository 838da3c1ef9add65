"""A report comes in: stored once, classified, and asked about, in one transaction."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

import jobs
from channels.outbox import is_text
from jobs.db import Conn
from jobs.enqueueing import aware
from subsystems.intake import orders
from subsystems.intake.asking import ask_about
from subsystems.intake.errors import BadReport
from subsystems.intake.trade import trade
from subsystems.intake.urgency import urgency

Origin = Literal["tenant", "file", "buildium"]
LONGEST = 65_500  # characters: what Buildium allows in a description


@dataclass(frozen=True)
class Reported:
    """`repeated`: this report had come in before, and nothing was done."""

    order_id: UUID
    repeated: bool


def report(
    db: Conn,
    workspace_id: UUID,
    *,
    origin: Origin,
    external_id: str,
    words: str,
    unit_id: UUID | None,
    tenant_id: UUID | None,
    category: str | None,
    received_at: datetime,
) -> Reported:
    """Store what was reported as an order, and raise the question about it, in the caller's transaction.

    Idempotent by (origin, external_id). Raises BadReport; then nothing is stored, and the transaction stays usable.
    """
    for field, text, longest in (("external_id", external_id, 200), ("words", words, LONGEST)):
        check(field, text, longest)
    if category is not None:
        check("category", category, 200)
    aware("received_at", received_at)
    with db.transaction():
        order, is_new = orders.store(
            db,
            workspace_id,
            origin=origin,
            external_id=external_id,
            unit_id=unit_id,
            tenant_id=tenant_id,
            words=words,
            category=category,
            trade=trade(words, category).dispatchable,
            urgency=urgency(words),
            received_at=received_at,
        )
        if is_new:
            ask_about(db, order, jobs.now(db))
    return Reported(order.id, repeated=not is_new)


def check(field: str, text: str, longest: int) -> None:
    """Raises BadReport for what cannot be stored or shown."""
    if not text.strip():
        raise BadReport(field, text, "is empty", "Give it some text.")
    if len(text) > longest:
        raise BadReport(field, text, f"has {len(text)} characters", f"Shorten it to {longest}.")
    if bad := next((c for c in text if not is_text(c)), None):
        raise BadReport(field, text, f"has the character U+{ord(bad):04X} in it", "Remove it.")
