"""Tools: the only ways to change the world outside jobs/, and on whose word one is called."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args
from uuid import UUID

from pydantic import BaseModel

from jobs.ask import one_line, sound_json
from jobs.db import Conn
from jobs.errors import BadValue

Trust = Literal["contact", "staff", "admin"]  # rising
TRUSTS: tuple[Trust, ...] = get_args(Trust)
DECIDERS = ("person:", "policy:", "operator:")


@dataclass(frozen=True)
class Tool:
    """One typed way to change something. The functions run in the caller's transaction and never commit.

    The first field of `arguments` that is not workspace_id says which row is changed; a workspace_id must be that of
    the call. `state` locks the row and reads just the fields that `act` may change, flat; it also works while the row
    is not there. `undo` gets those fields as JSON has them, as they were before the call; None: there is no way back.
    """

    name: str
    owner: str
    trust: Trust  # the least that whoever decides must have
    sensitivity: Literal["low", "medium", "high"]  # what a mistake would cost
    arguments: type[BaseModel]
    state: Callable[[Conn, Any], dict[str, Any]]
    act: Callable[[Conn, Any], None]
    undo: Callable[[Conn, Any, dict[str, Any]], None] | None
    told: str  # what a call does, for people: 'send a vendor to an order'

    @property
    def target(self) -> str:
        """The argument that says which row is changed; '' when there is none."""
        return next((name for name in self.arguments.model_fields if name != "workspace_id"), "")


@dataclass(frozen=True)
class Authority:
    """On whose word, and why.

    `key` makes the call happen once: job_id:decision_no:effect for what a decision causes.
    """

    key: str
    job_id: UUID | None
    decided_by: str  # 'person:<id>', 'policy:<id>' or 'operator:<name>'
    trust: Trust  # of whoever decided
    rationale: str
    confidence: float | None = None  # 0 to 1; only of what no person decided

    def __post_init__(self) -> None:
        one_line("key", self.key)
        one_line("decided_by", self.decided_by)
        sound_json("rationale", self.rationale)
        if not self.decided_by.startswith(DECIDERS) or self.decided_by in DECIDERS:
            raise BadValue(f"decided_by is {self.decided_by!r}", f"Begin it with {', '.join(DECIDERS)} and say who.",
                           field="decided_by", value=self.decided_by)
        if self.confidence is not None and not 0 <= self.confidence <= 1:
            raise BadValue(f"confidence is {self.confidence}", "Use 0 to 1.", field="confidence", value=self.confidence)


def may(trust: Trust, tool: Tool) -> bool:
    return TRUSTS.index(trust) >= TRUSTS.index(tool.trust)
