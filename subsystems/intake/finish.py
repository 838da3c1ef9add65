"""Taking an answer home, by kind and by what was decided, in the transaction in which the job is marked finished."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from pydantic import BaseModel

import directory
import jobs
import ledger
from jobs.db import Conn
from jobs.rows import Job
from subsystems import memory
from subsystems.intake import kinds, orders, texts
from subsystems.intake.asking import SOURCE, ask_about, key_of, scene_of, tell
from subsystems.intake.basis import barred
from subsystems.intake.rows import OrderRow
from subsystems.intake.tools import (
    COMPLETE_ISSUE,
    DISPATCH_VENDOR,
    TEXT_TENANT,
    UPDATE_ISSUE,
    CompleteIssue,
    DispatchVendor,
    TextTenant,
    UpdateIssue,
)

TRUST: Mapping[str, ledger.Trust] = {"manager": "admin", "staff": "staff", "tenant": "contact"}
BOUNDS = ("when", "limit", "freeform")  # what a condition is put in
TOLD_AGAIN_AFTER = timedelta(minutes=10)  # of news that the channel refused


@dataclass(frozen=True)
class _Decided:
    """A decision about an order, and on whose word."""

    job: Job
    order: OrderRow
    values: Mapping[str, Any]  # the resolution
    by: str
    who: str
    trust: ledger.Trust

    def call(self, db: Conn, tool: ledger.Tool, arguments: BaseModel, why: str) -> None:
        """Use a tool on that word: once for this decision, however often the finish runs."""
        key = f"{self.job.id}:{self.job.decision_no}:{tool.name}"
        authority = ledger.Authority(key, self.job.id, self.by, self.trust, why)
        ledger.call(db, self.order.workspace_id, tool, arguments, authority)


def finish(db: Conn, job: Job, now: datetime) -> None:
    """Act on an answer, once; on what was not said, never. What cannot be done as decided is asked again, and why."""
    if job.kind == "notice":
        _told(db, job, now)
        return
    if "order_id" not in job.resume:
        _by_hand(db, job)
        return
    order = orders.locked(db, job.workspace_id, UUID(job.resume["order_id"]))
    if order.status in ("dispatched", "closed"):
        _moot(db, job, order)
    elif job.resolution is None:
        _ended_unanswered(db, job, order)
    else:
        _answered(db, _decided(db, job, order, job.resolution), now)


def _by_hand(db: Conn, job: Job) -> None:
    """A question put into the table by hand hangs on no order: whoever answered it hears that nothing follows."""
    if job.resolution is not None:
        question = kinds.quoted(job.the_ask.question)
        text = f"Your answer to “{question}” is kept. It was asked by hand, so nothing follows."
        jobs.enqueue(db, jobs.NewJob(
            job.workspace_id, SOURCE, "notice", job.chat_guid, f"{SOURCE}:by_hand:{job.id}", kinds.notice(text, {}),
        ))


def _told(db: Conn, job: Job, now: datetime) -> None:
    """News that could not be shown stays failed, and is told anew, later. Shown, or cancelled, it is done with."""
    if job.status == "failed" and (anew := jobs.retry(db, job.id)).outcome == "new job":
        jobs.snooze(db, anew.job_id, now + TOLD_AGAIN_AFTER)


def _answered(db: Conn, decided: _Decided, now: datetime) -> None:
    """A yes is acted on only when it is nothing but a yes or a choice: within a condition nothing here can act yet."""
    values, kind = decided.values, decided.job.kind
    if values["confirmed"] is False:
        _denied(db, decided)
    elif values["confirmed"] is not True or values["verdict"] == "condition" or any(map(values.get, BOUNDS)):
        ask_about(db, decided.order, now, "You put a condition on it, and I cannot act within one, so I did nothing.")
    elif kind == "confirm_dispatch":
        _send(db, decided, now)
    elif kind == "clarify_wo":
        _clarified(db, decided, now)
    else:
        raise ValueError(f"intake has no finish for the kind {kind!r}; see kinds.KINDS")


def _decided(db: Conn, job: Job, order: OrderRow, resolution: Mapping[str, Any]) -> _Decided:
    by = str(resolution["decided_by"])
    sort, _, who = by.partition(":")
    if sort != "person":  # an engineer, or a policy that somebody stated who may
        return _Decided(job, order, resolution, by, by, "staff")
    person = directory.person(db, job.workspace_id, UUID(who))
    return _Decided(job, order, resolution, by, person.name, TRUST[person.role])


def _send(db: Conn, decided: _Decided, now: datetime) -> None:
    """Send the vendor who was agreed on, if the facts still hold."""
    order = decided.order
    vendor_id = decided.values.get("vendor", decided.job.resume.get("vendor_id"))
    if vendor_id is None:
        ask_about(db, order, now, "I need a name to send somebody.")
        return
    vendor = directory.vendor(db, order.workspace_id, UUID(vendor_id))
    if (against := barred(vendor, now.date()) or _unreachable(db, order, vendor_id=vendor.id)) is not None:
        ask_about(db, order, now, f"{vendor.name} {against}, so nobody was sent.")
        return
    scene, job = scene_of(db, order), decided.job
    sender = directory.workspace(db, order.workspace_id).name
    decided.call(db, DISPATCH_VENDOR, DispatchVendor(
        order_id=order.id, workspace_id=order.workspace_id, vendor_id=vendor.id, job_id=job.id,
        decision_no=job.decision_no, body=texts.come(scene, vendor, sender),
    ), f"{decided.who} decided ({decided.values['verdict']}): {vendor.name} to {scene.where}")
    _tell_tenant(db, decided, scene, vendor)
    _log(db, decided, scene, vendor.id)


def _tell_tenant(db: Conn, decided: _Decided, scene: kinds.Scene, vendor: directory.Vendor) -> None:
    """The tenant hears who is coming; when nobody can be told, the manager hears that instead."""
    order, tenant, job = scene.order, scene.tenant, decided.job
    why = "no tenant is on file" if tenant is None else _unreachable(db, order, person_id=tenant.id)
    if tenant is None or why is not None:
        text = f"{vendor.name} is being sent to {scene.where}. Nobody there was told: {why}."
        tell(db, scene, f"{key_of(order)}:tenant_not_told:{job.id}", text)
        return
    decided.call(db, TEXT_TENANT, TextTenant(
        order_id=order.id, workspace_id=order.workspace_id, tenant_id=tenant.id, job_id=job.id,
        decision_no=job.decision_no, body=texts.is_coming(scene, vendor),
    ), f"{tenant.name} should know who is coming")


def _clarified(db: Conn, decided: _Decided, now: datetime) -> None:
    """Fill in what was asked for, and ask what comes next."""
    order, trade, named = decided.order, decided.values.get("trade"), decided.values.get("unit")
    unit_id = tenant_id = None
    if trade is None and named is None:
        ask_about(db, order, now, "I still need to know this.")
        return
    try:
        if trade is not None and trade not in directory.TRADES:
            raise directory.NoSuch("trade", trade, f"Use one of {', '.join(directory.TRADES)}.")
        if named is not None:
            unit_id = directory.unit(db, order.workspace_id, str(named)).id
            lives_there = directory.tenant_of(db, order.workspace_id, unit_id)
            tenant_id = lives_there.id if lives_there is not None and order.tenant_id is None else None
    except (directory.NoSuch, directory.NotOne) as refusal:
        ask_about(db, order, now, f"I could not use that: {kinds.quoted(str(refusal), kinds.REASON)}.")
        return
    decided.call(db, COMPLETE_ISSUE, CompleteIssue(
        order_id=order.id, workspace_id=order.workspace_id, trade=trade, unit_id=unit_id, tenant_id=tenant_id,
    ), f"{decided.who} said which {'trade' if trade else 'unit'}")
    ask_about(db, orders.locked(db, order.workspace_id, order.id), now)


def _denied(db: Conn, decided: _Decided) -> None:
    """Nobody is sent; the order is the manager's own from here on."""
    order = decided.order
    decided.call(db, UPDATE_ISSUE, UpdateIssue(
        order_id=order.id, workspace_id=order.workspace_id, status="with_manager",
    ), f"{decided.who} said no")
    _log(db, decided, scene_of(db, order), None)


def _ended_unanswered(db: Conn, job: Job, order: OrderRow) -> None:
    """It was cancelled, or could not be asked: nobody decided anything, and the order is the manager's own."""
    ended = job.last_error if job.status == "failed" and job.last_error else job.end_reason
    why = kinds.quoted(str(ended), kinds.REASON)
    ledger.call(
        db, order.workspace_id, UPDATE_ISSUE,
        UpdateIssue(order_id=order.id, workspace_id=order.workspace_id, status="with_manager"),
        ledger.Authority(f"{job.id}:ended", job.id, "operator:intake", "staff", f"ended unanswered: {why}"))
    scene = scene_of(db, order)
    tell(db, scene, f"{key_of(order)}:unanswered:{job.id}",
         f"{scene.opening}\nI no longer ask about this ({why}). Nobody was sent; it is with you.")


def _moot(db: Conn, job: Job, order: OrderRow) -> None:
    """The order went another way meanwhile; who answered hears that nothing came of it."""
    if job.status == "resolved":
        scene = scene_of(db, order)
        tell(db, scene, f"{key_of(order)}:moot:{job.id}",
             f"{scene.where} is {order.status.replace('_', ' ')} by now, so I did nothing with your answer.")


def _log(db: Conn, decided: _Decided, scene: kinds.Scene, vendor_id: UUID | None) -> None:
    """Remember the decision. Without a trade and a place there is nothing that could be like it."""
    job, order = decided.job, decided.order
    if order.trade is None or scene.place is None:
        return
    decided.call(db, memory.LOG_EVENT, memory.LogEvent(
        job_id=job.id, decision_no=job.decision_no, workspace_id=order.workspace_id, trade=order.trade,
        property_id=scene.place.property_id, vendor_id=vendor_id, decided_by=decided.by,
        decided_at=decided.values["decided_at"],
    ), f"{decided.who} decided about the {kinds.spoken(order.trade)} at {scene.where}")


def _unreachable(db: Conn, order: OrderRow, **whom: UUID) -> str | None:
    """`whom`: person_id or vendor_id, as of directory.reach."""
    reach = directory.reach(db, order.workspace_id, **whom)
    return f"cannot be reached ({reach.why})" if isinstance(reach, directory.Unreachable) else None
