"""What intake may do to the world, each as a tool of the ledger."""

from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict

import directory
from channels import outbox
from jobs.db import Conn
from ledger import Tool
from subsystems import memory
from subsystems.intake import orders, texts
from subsystems.intake.asking import SOURCE, key_of, scene_of, tell


class _Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DispatchVendor(_Arguments):
    """`body` is the text to the vendor."""

    order_id: UUID
    workspace_id: UUID
    vendor_id: UUID
    job_id: UUID
    decision_no: int
    body: str


class TextTenant(_Arguments):
    order_id: UUID
    workspace_id: UUID
    tenant_id: UUID
    job_id: UUID
    decision_no: int
    body: str


class UpdateIssue(_Arguments):
    """Where an order stands; that it is dispatched, `dispatch_vendor` says."""

    order_id: UUID
    workspace_id: UUID
    status: Literal["with_manager", "closed"]


class CompleteIssue(_Arguments):
    """What a report did not say; None leaves it as it is."""

    order_id: UUID
    workspace_id: UUID
    trade: str | None = None
    unit_id: UUID | None = None
    tenant_id: UUID | None = None


def text_key(args: DispatchVendor | TextTenant, effect: Literal["vendor_text", "tenant_text"]) -> str:
    """The key under which the outbox has a text: of one decision, each goes out once."""
    return f"{args.job_id}:{args.decision_no}:{effect}"


def _plan(db: Conn, args: DispatchVendor | TextTenant, key: str, to: outbox.Recipient) -> None:
    outbox.plan(
        db,
        workspace_id=args.workspace_id,
        key=key,
        purpose="effect",
        body=args.body,
        to=to,
        source=SOURCE,
        job_id=args.job_id,
    )


def _stands(db: Conn, args: DispatchVendor | UpdateIssue) -> dict[str, Any]:
    order = orders.locked(db, args.workspace_id, args.order_id)
    return {"status": order.status, "vendor_id": order.vendor_id}


def _dispatch(db: Conn, args: DispatchVendor) -> None:
    orders.move(db, args.workspace_id, args.order_id, "dispatched", args.vendor_id)
    _plan(db, args, text_key(args, "vendor_text"), outbox.ToVendor(args.vendor_id))


def call_off(db: Conn, args: DispatchVendor, _: dict[str, Any]) -> None:
    """Nobody is sent any more, and who was told is told otherwise. The order is the manager's: it was asked about."""
    order = orders.move(db, args.workspace_id, args.order_id, "with_manager")
    memory.retract(db, args.workspace_id, args.job_id, args.decision_no)
    scene, vendor = scene_of(db, order), directory.vendor(db, args.workspace_id, args.vendor_id)
    why = "the dispatch was undone"
    outbox.take_back(db, args.workspace_id, text_key(args, "vendor_text"), texts.do_not_come(scene), why)
    outbox.take_back(db, args.workspace_id, text_key(args, "tenant_text"), texts.is_not_coming(scene, vendor), why)


def _call_off_and_tell(db: Conn, args: DispatchVendor, before: dict[str, Any]) -> None:
    call_off(db, args, before)
    scene = scene_of(db, orders.locked(db, args.workspace_id, args.order_id))
    vendor = directory.vendor(db, args.workspace_id, args.vendor_id)
    otherwise = outbox.planned_as(db, args.workspace_id, text_key(args, "vendor_text") + outbox.UNDO)
    also = "" if otherwise is None else f" {vendor.name} is told not to come."
    text = f"Undone: {vendor.name} is not going to {scene.where}.{also} The order is with you."
    tell(db, scene, f"{key_of(scene.order)}:called_off:{args.job_id}", text)


def _told(db: Conn, args: TextTenant) -> dict[str, Any]:
    return {"planned": outbox.planned_as(db, args.workspace_id, text_key(args, "tenant_text")) is not None}


def _tell(db: Conn, args: TextTenant) -> None:
    _plan(db, args, text_key(args, "tenant_text"), outbox.ToPerson(args.tenant_id))


def _move(db: Conn, args: UpdateIssue) -> None:
    orders.move(db, args.workspace_id, args.order_id, args.status)


def _ask_again(db: Conn, args: UpdateIssue, _: dict[str, Any]) -> None:
    """The question that stood there was answered; the next sweep asks it anew."""
    orders.move(db, args.workspace_id, args.order_id, "new")


def _known(db: Conn, args: CompleteIssue) -> dict[str, Any]:
    order = orders.locked(db, args.workspace_id, args.order_id)
    return {"trade": order.trade, "unit_id": order.unit_id, "tenant_id": order.tenant_id}


def _complete(db: Conn, args: CompleteIssue) -> None:
    known = _known(db, args)
    given = {field: value for field, value in args.model_dump(include=set(known)).items() if value is not None}
    orders.complete(db, args.workspace_id, args.order_id, **{**known, **given})


DISPATCH_VENDOR = Tool(
    "dispatch_vendor",
    "intake",
    "staff",
    "high",
    DispatchVendor,
    _stands,
    _dispatch,
    _call_off_and_tell,
    "send a vendor to an order",
)
TEXT_TENANT = Tool(
    "text_tenant", "intake", "staff", "medium", TextTenant, _told, _tell, None, "tell a tenant who is coming"
)
UPDATE_ISSUE = Tool(
    "update_issue",
    "intake",
    "staff",
    "low",
    UpdateIssue,
    _stands,
    _move,
    _ask_again,
    "move an order to the manager, or close it",
)
COMPLETE_ISSUE = Tool(
    "complete_issue",
    "intake",
    "staff",
    "low",
    CompleteIssue,
    _known,
    _complete,
    None,
    "say which trade and unit an order is for",
)
TOOLS = (DISPATCH_VENDOR, TEXT_TENANT, UPDATE_ISSUE, COMPLETE_ISSUE)
