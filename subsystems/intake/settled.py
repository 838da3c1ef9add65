"""What became of a text that a dispatch planned: a manager whose promise failed hears it, unasked."""

from datetime import datetime
from uuid import UUID

import directory
import jobs
import ledger
from jobs.db import Conn
from jobs.owners import SettledMessage
from subsystems.intake import orders
from subsystems.intake.asking import scene_of, tell
from subsystems.intake.rows import OrderRow
from subsystems.intake.tools import UPDATE_ISSUE, UpdateIssue

CERTAINLY_NOT = {"rejected": "was not taken", "cancelled": "was taken back before it left"}


def settled(db: Conn, message: SettledMessage, _: datetime) -> None:
    """Tell of a text that did not arrive, or may not have. An order whose vendor never heard is the manager's again."""
    if message.outcome == "accepted" or message.job_id is None:
        return
    order = orders.locked(db, message.workspace_id, UUID(jobs.get(db, message.job_id).resume["order_id"]))
    scene = scene_of(db, order)
    calls_vendor = message.key.endswith(":vendor_text")
    if message.outcome == "cancelled" and (order.status != "dispatched" or message.key.endswith(":undo")):
        return  # an undo took it back, and has said so
    reason = f" ({message.last_error})" if message.last_error else ""
    who = _recipient(db, message)
    if message.outcome in CERTAINLY_NOT:
        text = f"My text to {who} about {scene.where} {CERTAINLY_NOT[message.outcome]}{reason}."
        if calls_vendor and _take_from(db, order, message):
            text += " So nobody is coming. The order is with you."
    else:
        text = f"I cannot find out whether my text to {who} about {scene.where} arrived{reason}. Please ask them."
    tell(db, scene, f"message:{message.id}", text, urgent=calls_vendor)


def _take_from(db: Conn, order: OrderRow, message: SettledMessage) -> bool:
    """The vendor never heard of it: the order is no longer theirs. False: it was not any more."""
    if order.status != "dispatched" or order.vendor_id != message.vendor_id:
        return False
    authority = ledger.Authority(
        f"message:{message.id}:update_issue",
        message.job_id,
        "operator:intake",
        "staff",
        f"the vendor's text was {message.outcome}",
    )
    ledger.call(
        db,
        order.workspace_id,
        UPDATE_ISSUE,
        UpdateIssue(order_id=order.id, workspace_id=order.workspace_id, status="with_manager"),
        authority,
    )
    return True


def _recipient(db: Conn, message: SettledMessage) -> str:
    if message.vendor_id is not None:
        return directory.vendor(db, message.workspace_id, message.vendor_id).name
    assert message.person_id is not None, "intake writes to vendors and tenants"
    return directory.person(db, message.workspace_id, message.person_id).name
