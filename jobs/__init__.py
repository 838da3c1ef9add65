"""Owns the jobs table, the only seam between subsystems and conductor: its verbs, its rows, its refusals."""

from jobs.ask import Answer, Ask, Choice, Option
from jobs.asking import (
    OpenAsk,
    asked,
    claim,
    last_closed,
    mark_rejected,
    mark_shown,
    mark_submitted,
    next_due,
    open_ask,
    step_forward,
    take_back,
    take_reports,
    withdraw,
)
from jobs.db import Conn, acting, now
from jobs.deciding import Resolution, Retried, cancel, defer, fail, held, resolve, retry, revoke, snooze
from jobs.enqueueing import Enqueued, NewJob, enqueue, enqueue_many, register_kinds, supersede
from jobs.errors import BadValue, Busy, Forbidden, NotFound, Overtaken, Refused, refusals
from jobs.finishing import finish, finish_failed, release
from jobs.owners import Owner, SettledMessage
from jobs.reading import failing, find, get, health, live, look_up, timeline, workspace_of
from jobs.rows import AskRow, Chat, Job
from jobs.states import Status
from jobs.turning import Due, begin_turn, due, end_turn, heard, make_chat, turn_failed
from jobs.why import why

__all__ = [
    "Answer", "Ask", "AskRow", "BadValue", "Busy", "Chat", "Choice", "Conn", "Due", "Enqueued", "Forbidden", "Job",
    "NewJob", "NotFound", "OpenAsk", "Option", "Overtaken", "Owner", "Refused", "Resolution", "Retried",
    "SettledMessage", "Status", "acting", "asked", "begin_turn", "cancel", "claim", "defer", "due", "end_turn",
    "enqueue", "enqueue_many", "fail", "failing", "find", "finish", "finish_failed", "get", "health", "heard", "held",
    "last_closed", "live", "look_up", "make_chat", "mark_rejected", "mark_shown", "mark_submitted", "next_due", "now",
    "open_ask", "refusals", "register_kinds", "release", "resolve", "retry", "revoke", "snooze", "step_forward",
    "supersede", "take_back", "take_reports", "timeline", "turn_failed", "why", "withdraw", "workspace_of",
]
