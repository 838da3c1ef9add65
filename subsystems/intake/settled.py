"""What became of a text that a dispatch planned: a manager whose promise failed hears it, unasked."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

import directory
import jobs
import ledger
from channels.outbox import UNDO
from jobs.db import Conn
from jobs.owners import SettledMessage
from subsystems.intake import orders
from subsystems.intake.asking import scene_of, tell
from subsystems.intake.kinds import REASON, quoted
from subsystems.intake.tools import DISPATCH_VENDOR, call_off

CERTAINLY_NOT = {"rejected": "was not taken", "cancelled": "was taken back before it left"}
TO_VENDOR = ":vendor_text"
UNTOLD = replace(DISPATCH_VENDOR, undo=call_off)  # its undo, without the notice: here the manager is told why


def settled(db: Conn, message: SettledMessage, _: datetime) -> None:
    """Tell of a text that did not arrive, or may not have. A dispatch whose vendor never heard is undone."""
    if message.outcome == "accepted" or message.job_id is None:
        return
    calls_vendor = message.key.endswith(TO_VENDOR)
    also: str | None = ""
    if calls_vendor and message.outcome in CERTAINLY_NOT:
        also = _call_off(db, message)
    order = orders.locked(db, message.workspace_id, UUID(jobs.get(db, message.job_id).resume["order_id"]))
    taken_back = message.outcome == "cancelled" and (order.status != "dispatched" or message.key.endswith(UNDO))
    if also is None or (taken_back and not calls_vendor):
        return  # an undo took it back, and has said so
    scene = scene_of(db, order)
    about = f"text to {_recipient(db, message)} about {scene.where}"
    reason = f" ({quoted(message.last_error, REASON)})" if message.last_error else ""
    if message.outcome in CERTAINLY_NOT:
        text = f"My {about} {CERTAINLY_NOT[message.outcome]}{reason}.{also}"
    else:
        text = f"I cannot find out whether my {about} arrived{reason}. Please ask them."
    tell(db, scene, f"message:{message.id}", text, urgent=calls_vendor)


def _call_off(db: Conn, message: SettledMessage) -> str | None:
    """Undo the dispatch, once. Says what to add to the news; None: it was undone before, and there is no news.

    To be called before the order is locked: an undo locks its call first.
    """
    key = message.key.removesuffix(TO_VENDOR) + f":{UNTOLD.name}"
    calls = ledger.listed(db, message.workspace_id, job_id=message.job_id, tool=UNTOLD.name)
    [dispatch] = [call for call in calls if call.idempotency_key == key]
    why = f"the vendor's text was {message.outcome}"
    try:
        ledger.undo(db, {UNTOLD.name: UNTOLD}, dispatch.id, "operator:intake", "staff", why)
    except ledger.AlreadyUndone:
        return None
    except ledger.Drifted:
        return ""  # the order went another way meanwhile, and is left alone
    return " So nobody is coming. The order is with you."


def _recipient(db: Conn, message: SettledMessage) -> str:
    if message.vendor_id is not None:
        return directory.vendor(db, message.workspace_id, message.vendor_id).name
    assert message.person_id is not None, "intake writes to vendors and tenants"
    return directory.person(db, message.workspace_id, message.person_id).name
