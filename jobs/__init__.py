"""Owns the jobs table, the only seam between subsystems and conductor: its verbs, its rows, its refusals."""

from jobs.ask import Amount, Answer, Ask, Choice, Option, Slot, Text, Time
from jobs.asking import (
    Item,
    OpenAsk,
    asked,
    claim,
    get_ask,
    last_closed,
    mark_rejected,
    mark_shown,
    mark_submitted,
    next_due,
    open_ask,
    open_notice,
    shown_notice,
    superseded,
    take_back,
    withdraw,
)
from jobs.db import Conn, acting, now
from jobs.deciding import Resolution, Retried, cancel, defer, fail, held, resolve, retry, revoke, snooze
from jobs.enqueueing import Enqueued, NewJob, enqueue, enqueue_many, register_kinds, supersede
from jobs.errors import BadValue, Busy, Forbidden, NotFound, Overtaken, Refused, SaysoError, refusals
from jobs.finishing import finish, finish_failed, release
from jobs.owners import Owner, SettledMessage
from jobs.reading import failing, find, get, health, live, look_up, timeline, workspace_of
from jobs.rows import AskRow, Chat, Job
from jobs.states import Status
from jobs.turning import Hints, begin_turn, end_turn, heard, hints, make_chat, turn_failed
from jobs.why import why

__all__ = [
    "Amount", "Answer", "Ask", "AskRow", "BadValue", "Busy", "Chat", "Choice", "Conn", "Enqueued", "Forbidden",
    "Hints", "Item", "Job", "NewJob", "NotFound", "OpenAsk", "Option", "Overtaken", "Owner", "Refused", "Resolution",
    "Retried", "SaysoError", "SettledMessage", "Slot", "Status", "Text", "Time", "acting", "asked", "begin_turn",
    "cancel", "claim", "defer", "end_turn", "enqueue", "enqueue_many", "fail", "failing", "find", "finish",
    "finish_failed", "get", "get_ask", "health", "heard", "held", "hints", "last_closed", "live", "look_up",
    "make_chat", "mark_rejected", "mark_shown", "mark_submitted", "next_due", "now", "open_ask", "open_notice",
    "refusals", "register_kinds", "release", "resolve", "retry", "revoke", "shown_notice", "snooze", "supersede",
    "superseded", "take_back", "timeline", "turn_failed", "why", "withdraw", "workspace_of",
]
