"""The demo workspace: made-up places, people and vendors, a policy, and decisions of the past weeks."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import directory
import jobs
from channels import delivery, due, settling
from jobs.db import Conn
from subsystems import intake, memory

NAME = "Demo Property Management"
CHAT = "dana"
MANAGER = "Dana Whitfield"
HOLD_SECONDS = 5
SHEETS = Path(__file__).with_name("sheets")
STATED = timedelta(days=56)  # ago
TURN_TO_ANSWER = timedelta(minutes=4)


@dataclass(frozen=True)
class Past:
    """One decision as it was made: what a tenant wrote, and whom the manager sent."""

    days_ago: int
    unit: str
    words: str
    sent: str | None


PAST = (
    Past(49, "birch-2", "the outlet in the bathroom stopped working", "osalpa"),
    Past(44, "alder-1", "toilet keeps running all night", "delgado"),
    Past(38, "mission-3", "furnace makes a loud bang and then shuts off", "northwind"),
    Past(33, "birch-5", "kitchen sink wont drain, water just sits there", "delgado"),
    Past(27, "fifth-2", "the breaker for the bedroom keeps tripping", "osalpa"),
    Past(22, "lakeview-1", "fridge is warm, the freezer is fine", "fixright"),
    Past(16, "cedar-2", "mice in the kitchen again", "evergreen"),
    Past(12, "birch-4", "light switch in the hallway is dead", "osalpa"),
    Past(9, "alder-3", "bathroom faucet drips", None),
    Past(5, "birch-1", "water heater is leaking a little", "delgado"),
)


def prepare(db: Conn) -> None:
    """Make it, once; what is there stays as it is. Afterwards nothing is open in it. Needs autocommit and the kinds."""
    with db.transaction():
        workspace = directory.create_workspace(
            db, name=NAME, manager_name=MANAGER, chat_guid=CHAT, hold_seconds=HOLD_SECONDS, is_demo=True)
        if not directory.vendors(db, workspace.id):
            _fill(db, workspace.id)
    now = jobs.now(db)
    made = [past for past in PAST if _decide(db, workspace.id, past, now - timedelta(days=past.days_ago))]
    if made:
        with db.transaction():  # nothing is left to look at
            chat = jobs.begin_turn(db, workspace.id, CHAT)
            assert chat is not None, "it was made above"
            jobs.end_turn(db, chat)


def _fill(db: Conn, workspace_id: UUID) -> None:
    for kind in ("properties", "units", "people", "vendors"):
        imported = directory.import_rows(db, workspace_id, kind, SHEETS / f"{kind}.csv")
        assert not imported.errors, imported.errors
    manager = directory.manager_in(db, workspace_id, CHAT)
    with _at(db, jobs.now(db) - STATED):
        memory.state_policy(db, workspace_id, trade="electrical", vendor_id=_vendors(db, workspace_id)["osalpa"],
                            stated_by=manager.id)


def _decide(db: Conn, workspace_id: UUID, past: Past, at: datetime) -> bool:
    """Live through one decision with the clock of then, in the verbs of today; False: it was made before."""
    with _at(db, at):
        with db.transaction():
            place = directory.unit(db, workspace_id, past.unit)
            tenant = directory.tenant_of(db, workspace_id, place.id)
            reported = intake.report(
                db, workspace_id, origin="tenant", external_id=f"past {past.unit} {past.days_ago}", words=past.words,
                unit_id=place.id, tenant_id=tenant.id if tenant else None, category=None, received_at=at)
            if reported.repeated:
                return False
            job = _shown(db, workspace_id)
            assert job.issue_id == str(reported.order_id), "only its own question was open"
            _stand_at(db, at + TURN_TO_ANSWER)
            jobs.resolve(db, job, _answer(db, workspace_id, job, past.sent), job.ask_rev)
            _stand_at(db, at + TURN_TO_ANSWER + timedelta(seconds=HOLD_SECONDS))
            ended = jobs.release(db, job.id, job.source)
            assert ended is not None, "its hold is over"
            intake.OWNER.finish(db, jobs.finish(db, ended), jobs.now(db))
        _deliver(db, workspace_id)
    return True


def _shown(db: Conn, workspace_id: UUID) -> jobs.Job:
    """The one question that is due, as after the manager has seen it."""
    chat = jobs.begin_turn(db, workspace_id, CHAT)
    assert chat is not None, "the workspace was made with it"
    due_job = jobs.next_due(db, chat, jobs.now(db))
    assert due_job is not None, "it was just enqueued"
    ask = jobs.claim(db, chat, [due_job])
    jobs.mark_submitted(db, ask.id)
    jobs.mark_shown(db, ask.id, "accepted")
    [job] = jobs.asked(db, ask.id)
    jobs.end_turn(db, chat)
    return job


def _answer(db: Conn, workspace_id: UUID, job: jobs.Job, sent: str | None) -> jobs.Resolution:
    manager = directory.manager_in(db, workspace_id, CHAT)
    vendor_id = str(_vendors(db, workspace_id)[sent]) if sent else None
    if vendor_id is None:
        verdict, words = "deny", "no"
    elif vendor_id == job.resume.get("vendor_id"):
        verdict, words, vendor_id = "confirm", "yes", None
    else:
        verdict, words = "choose", str(sent)
    return jobs.Resolution(
        verdict=verdict, confirmed=sent is not None, slots={"vendor": vendor_id} if vendor_id else {},  # type: ignore[arg-type]
        freeform=None, decided_by=f"person:{manager.id}", decided_at=jobs.now(db), evidence=[{"words": words}],
        interpreted_by="demo")


def _deliver(db: Conn, workspace_id: UUID) -> None:
    """Its texts went out then, on the terminal, and are not sent again."""
    now = jobs.now(db)
    for waiting in due.look(db, now).deliveries:
        delivery.deliver(db, waiting.message_id)
    for ended in due.look(db, now).settlements:
        with db.transaction():
            if (message := settling.settle(db, ended.message_id)) is not None:
                intake.OWNER.settled(db, message, now)


def _vendors(db: Conn, workspace_id: UUID) -> Mapping[str, UUID]:
    return {vendor.external_id: vendor.id for vendor in directory.vendors(db, workspace_id)}


@contextmanager
def _at(db: Conn, then: datetime) -> Iterator[None]:
    """The session's clock stands still at a moment of the past, and runs again afterwards."""
    _stand_at(db, then)
    try:
        yield
    finally:
        db.execute("SELECT set_config('sayso.now', '', false)")


def _stand_at(db: Conn, then: datetime) -> None:
    db.execute("SELECT set_config('sayso.now', %s, false)", (then.isoformat(),))
