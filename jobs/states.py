"""The life of a job: its statuses, and every edge between them. The database's guard has the same list."""

from typing import Literal, get_args

Status = Literal["pending", "asking", "awaiting_reply", "resolved", "cancelled", "failed"]
STATUSES: tuple[Status, ...] = get_args(Status)
ENDS: frozenset[Status] = frozenset({"resolved", "cancelled", "failed"})

EDGES: frozenset[tuple[Status, Status]] = frozenset({
    ("pending", "asking"), ("asking", "awaiting_reply"), ("awaiting_reply", "resolved"),
    ("asking", "resolved"),  # a notice, by being shown
    ("pending", "resolved"),  # a late answer, to the wording that still stands
    ("pending", "cancelled"), ("asking", "cancelled"), ("awaiting_reply", "cancelled"),
    ("pending", "failed"), ("asking", "failed"),
    ("asking", "pending"),  # its question certainly never reached the person
    ("awaiting_reply", "pending"),  # deferred, preempted, or overtaken by newer facts
    ("resolved", "pending"), ("failed", "pending"),  # revoked or retried, before its owner took it home
})
