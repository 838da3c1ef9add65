"""From an order to the job that asks about it: where it is, then which trade, then whom to send."""

from datetime import datetime
from typing import assert_never
from uuid import UUID

import directory
import jobs
from jobs import Ask
from jobs.db import Conn
from jobs.enqueueing import Priority
from subsystems import memory
from subsystems.intake import kinds, orders
from subsystems.intake.basis import Basis, choose, day
from subsystems.intake.kinds import Scene
from subsystems.intake.rows import OrderRow
from subsystems.intake.trade import trade

SOURCE = "pms_intake"
UNITS_AT_ONCE = 1000  # more than an ask has room for
PRIORITY: dict[str, Priority] = {"emergency": "urgent", "urgent": "normal", "normal": "normal", "low": "low"}


def key_of(order: OrderRow) -> str:
    """The key under which there is at most one live question about an order."""
    return f"order:{order.id}"


def scene_of(db: Conn, order: OrderRow, difference: str | None = None) -> Scene:
    """The order with what the directory has about it."""
    return Scene(
        order,
        None if order.unit_id is None else directory.place(db, order.workspace_id, order.unit_id),
        None if order.tenant_id is None else directory.person(db, order.workspace_id, order.tenant_id),
        difference,
    )


def ask_about(db: Conn, order: OrderRow, now: datetime, difference: str | None = None) -> None:
    """Raise the next question about an order, in the caller's transaction; the order then waits for its answer.

    `difference`: what has to be said about why it is asked again. Without anything to choose from the order goes to the
    manager, with a notice. Repeating it changes nothing.
    """
    scene = scene_of(db, order, difference)
    asked = _question(db, scene, now)
    if isinstance(asked, str):
        orders.move(db, order.workspace_id, order.id, "with_manager")
        tell(db, scene, f"{key_of(order)}:cannot_ask", asked)
        return
    kind, ask, resume = asked
    resume["order_id"] = str(order.id)
    priority = PRIORITY[order.urgency]
    job = jobs.NewJob(
        order.workspace_id,
        SOURCE,
        kind,
        chat_of(db, scene),
        key_of(order),
        ask,
        resume,
        priority,
        issue_id=str(order.id),
    )
    enqueued = jobs.enqueue(db, job)
    match enqueued.outcome:
        case "created" | "unchanged" | "freshened":
            pass
        case "overtaken":  # what is before the manager is older than the order: the newer facts are asked about next
            jobs.supersede(db, enqueued.job_id, ask, resume, priority)
        case _:
            assert_never(enqueued.outcome)
    orders.move(db, order.workspace_id, order.id, "waiting")


def tell(db: Conn, scene: Scene, key: str, text: str, urgent: bool = False) -> None:
    """News for the manager about an order, once per key while it has not been shown."""
    jobs.enqueue(
        db,
        jobs.NewJob(
            scene.order.workspace_id,
            SOURCE,
            "notice",
            chat_of(db, scene),
            key,
            kinds.notice(text, scene.facts),
            {"order_id": str(scene.order.id)},
            "urgent" if urgent else "normal",
            issue_id=str(scene.order.id),
        ),
    )


def chat_of(db: Conn, scene: Scene) -> str:
    """The chat of who answers for its property; while that is not known, of the workspace's first manager."""
    if scene.place is not None:
        who = directory.manager_of(db, scene.order.workspace_id, scene.place.property_id)
    else:
        who = directory.managers(db, scene.order.workspace_id)[0]
    assert who.chat_guid is not None, "schema.sql: a manager has a chat"
    return who.chat_guid


def _question(db: Conn, scene: Scene, now: datetime) -> tuple[str, Ask, dict[str, str]] | str:
    """Kind, ask and resume of what has to be asked next; or, as a text, why nothing can be asked."""
    order = scene.order
    if scene.place is None:
        units = directory.units(db, order.workspace_id, UNITS_AT_ONCE)
        if not units:
            return f"“{kinds.quoted(order.words)}” came in, and no units are on file. It is with you."
        return "clarify_wo", kinds.clarify_unit(scene, units), {}
    if order.trade is None:
        return "clarify_wo", kinds.clarify_trade(scene, trade(order.words, order.category)), {}
    found = memory.find_policy(db, order.workspace_id, order.trade, scene.place.property_id)
    basis = choose(found, order.trade, directory.vendors(db, order.workspace_id), now.date())
    if basis.suggested is None and not basis.others:
        return f"{scene.opening}\nNo active vendor is on file for this. It is with you."
    hold_seconds = directory.workspace(db, order.workspace_id).hold_seconds
    why = {**_why(db, scene, order.trade, found, basis), "why_this_trade": _words_of(order)}
    ask = kinds.confirm_dispatch(scene, order.trade, basis, why, hold_seconds, now.date())
    return "confirm_dispatch", ask, {"vendor_id": str(basis.suggested.id)} if basis.suggested else {}


def _words_of(order: OrderRow) -> str:
    guess = trade(order.words, order.category)
    return ", ".join(guess.because) if guess.dispatchable == order.trade else "you said so"


def _why(
    db: Conn, scene: Scene, trade_name: str, found: memory.Policy | memory.Precedent | None, basis: Basis
) -> dict[str, str]:
    """The basis in a sentence that is shown, and the decisions that stand behind it."""
    if found is None:
        return {}
    work, past = kinds.spoken(trade_name), _past(db, scene.order, found.decisions)
    if isinstance(found, memory.Policy):
        by = _name(db, scene, f"person:{found.row.stated_by}")
        said = f"{by} said so on {day(found.row.stated_at)} for all {work}."
    else:
        said = f"{_name(db, scene, found.last.decided_by)} sent them last time ({past.split('; ')[0]})."
    if basis.passed_over is not None:
        vendor, reason = basis.passed_over
        said = f"{vendor.name} would be next ({said.rstrip('.')}), but {reason}."
    elif basis.suggested is None:
        return {}
    return {"basis": kinds.quoted(said, 2 * kinds.REASON), **({"past_decisions": past} if past else {})}


def _past(db: Conn, order: OrderRow, decisions: tuple[memory.EventRow, ...]) -> str:
    names = directory.property_names(db, order.workspace_id, [event.property_id for event in decisions])
    return "; ".join(f"{day(event.decided_at)}, {names[event.property_id]}" for event in decisions)


def _name(db: Conn, scene: Scene, decided_by: str) -> str:
    """“You” for who is asked, else the name of the person, else what decided."""
    kind, _, who = decided_by.partition(":")
    if kind != "person":
        return decided_by
    person = directory.person(db, scene.order.workspace_id, UUID(who))
    return "You" if person.chat_guid == chat_of(db, scene) else person.name
