"""Why a call or an undo was refused, each with what to do about it. Nothing of a refused call was done."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from jobs.errors import Refused


class BadArguments(Refused):
    """What was given to a tool is not what the tool takes."""

    def __init__(self, field: str, value: object, why: str) -> None:
        super().__init__(f"{field} is {value!r}: {why}", "Correct it, and call again.", field=field, value=value)


class TooLittleTrust(Refused):
    """Whoever decided may not decide this."""

    def __init__(self, tool: str, has: str, needs: str) -> None:
        super().__init__(f"trust is {has!r}, and {tool} needs {needs!r}",
                         f"Let somebody decide it whose trust is {needs}.", field="trust", value=has)


class KeyTaken(Refused):
    """The idempotency key belongs to a call that was something else."""

    def __init__(self, key: str, call_id: UUID, was: str) -> None:
        super().__init__(f"key {key!r} belongs to call {call_id}, which was {was}",
                         "Use the key of this decision and effect, or the arguments of the first call.",
                         field="key", value=key)


class NoSuchCall(Refused):
    """No call has this id."""

    def __init__(self, call_id: UUID) -> None:
        super().__init__(f"there is no call {call_id}", "See: sayso ledger list", field="call_id", value=call_id)


class AlreadyUndone(Refused):
    """A call is undone at most once."""

    def __init__(self, call_id: UUID, by: UUID) -> None:
        super().__init__(f"call {call_id} is undone already, by {by}", f"See: sayso ledger show {by}",
                         field="call_id", value=call_id)


class CannotUndo(Refused):
    """There is no way back from this call."""

    def __init__(self, call_id: UUID, why: str) -> None:
        super().__init__(f"call {call_id} cannot be undone: {why}", "Put it right by deciding anew.",
                         field="call_id", value=call_id)


class Drifted(Refused):
    """The state is no longer what the call left. `difference`: field -> (what the call left, what is there now)."""

    def __init__(self, call_id: UUID, difference: Mapping[str, tuple[Any, Any]], later: str | None) -> None:
        fields = "; ".join(f"{name} was left as {left!r} and is now {now!r}"
                           for name, (left, now) in difference.items())
        since = f". Since then: {later}" if later else ""
        super().__init__(f"call {call_id} is not undone: {fields}{since}",
                         "Undo the later call first, or put it right by deciding anew.",
                         field=", ".join(difference), value=later)
        self.difference = difference
