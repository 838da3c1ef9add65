"""The refusals of this folder, and the base of every folder's refusals."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg


class SaysoError(Exception):
    """A refusal that a person can act on: the message names the field and the value, `next_step` says what to do."""

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self.next_step = next_step


class Refused(SaysoError):  # noqa: N818  # read where it is caught: "except Refused"
    """A verb of jobs said no, and nothing of it was done."""

    def __init__(self, message: str, next_step: str = "", *, field: str = "", value: object = None) -> None:
        super().__init__(message, next_step)
        self.field = field
        self.value = value


class BadValue(Refused):
    """What was given cannot be stored as it stands."""


class NotFound(Refused):
    """No such job, ask, chat or kind."""


class Overtaken(Refused):
    """The row is no longer what the caller had read. `value` is the status it has now."""


class Forbidden(Refused):
    """A move that would break a rule of the table, whoever makes it."""


class Busy(Refused):
    """Somebody else holds the row. Nothing was done; the same call may be made again."""


def bad(field: str, value: object, why: str, next_step: str) -> BadValue:
    text = repr(value)
    text = text if len(text) <= 80 else text[:77] + "…'"
    return BadValue(f"{field} is {text}: {why}", next_step, field=field, value=value)


# How the database's own refusals read to a caller: (class, field, what to do). No verb can meet the rest of the guards.
FOR_GOOD = (Forbidden, "", "Nothing can be done about it here: the rule protects what people were shown and said.")
MEANINGS: dict[str, tuple[type[Refused], str, str]] = {
    "SY003": (Overtaken, "finished_at", "It is over: enqueue a new job."),
    "SY004": (Overtaken, "ask", "Use supersede: it keeps the new facts until they can be asked about."),
    "SY006": (Overtaken, "status", "Read the job again, and decide anew."),
    "SY007": (Forbidden, "status", "Wait until its delivery is known, or mark it so."),
    "SY008": (Forbidden, "status", "Mark the ask as shown once it was."),
    "SY016": (Overtaken, "waiting", "Ask again: the newer facts have to be shown first."),
    "SY018": (BadValue, "dedupe_key", "Use another key: this one belongs to another owner or kind."),
    "SY019": (Overtaken, "ask_id", "Put it into the next ask."),
    "SY020": (Forbidden, "finished_at", "Wait for the end of the hold, or revoke the decision."),
    "SY022": (Overtaken, "finished_at", "It is finished once what the person wrote has been read."),
    "55P03": (Busy, "", "Try again."),
    "its_chat_is_of_its_workspace": (NotFound, "chat_guid", "Name a chat of this workspace."),
    "its_owner_finishes_its_kind": (NotFound, "kind", "Use one of the kinds in its subsystem's kinds.py."),
    "priority_is_known": (BadValue, "priority", "Use urgent, normal or low."),
    "an_ask_is_at_most_64_kib": (BadValue, "ask", "Shorten it to 64 KiB."),
    "a_resume_is_an_object_of_at_most_64_kib": (BadValue, "resume", "Shorten it to 64 KiB."),
    "waiting_facts_can_be_asked": (BadValue, "waiting", "Give a whole ask and its resume; a notice has no hold."),
    "one_open_ask_per_chat": (Forbidden, "asks", "Withdraw the open ask, or wait for its answer."),
    "one_open_notice_per_chat": (Forbidden, "asks", "Wait until the open notice is shown."),
}


@contextmanager
def refusals() -> Iterator[None]:
    """Turns what the database refuses inside into a typed refusal; any other error of it passes as it is.

    The statement has failed, so its transaction or savepoint has to be left before the connection can be used again.
    """
    try:
        yield
    except psycopg.Error as error:
        state, constraint = error.sqlstate or "", error.diag.constraint_name or ""
        meaning = MEANINGS.get(constraint) or MEANINGS.get(state) or (FOR_GOOD if state.startswith("SY") else None)
        if meaning is None:
            raise
        refusal, field, next_step = meaning
        told = [field, error.diag.message_primary or str(error)]
        if constraint and state != "23514" and error.diag.message_detail:  # a row in a failed check has words
            told[1 if state == "23503" else 2 :] = [error.diag.message_detail]  # it names the key
        raise refusal(": ".join(filter(None, told)), next_step, field=field, value=state) from error
