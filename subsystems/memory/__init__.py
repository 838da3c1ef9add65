"""Owns what was decided before: managers' standing wishes, and the log of decisions."""

from datetime import datetime

from jobs.db import Conn
from jobs.owners import Owner, SettledMessage
from jobs.rows import Job
from subsystems.memory.events import LOG_EVENT, LogEvent, retract
from subsystems.memory.policies import Policy, Precedent, find_policy, state_policy
from subsystems.memory.rows import EventRow

__all__ = [
    "LOG_EVENT",
    "OWNER",
    "EventRow",
    "LogEvent",
    "Policy",
    "Precedent",
    "find_policy",
    "retract",
    "state_policy",
]


def _not_ours(_: Conn, what: Job | SettledMessage, __: datetime) -> None:
    raise RuntimeError(f"memory raises no jobs and plans no texts, so {what.id} cannot be its own")


def _sweep(_: Conn, __: datetime) -> None:
    """Nothing of memory waits for a hint."""


OWNER = Owner("memory", (), finish=_not_ours, settled=_not_ours, sweep=_sweep, tools=(LOG_EVENT,))
