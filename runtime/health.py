"""Health: numbers that say what stands still, each with what to do about it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jobs
from channels import due
from jobs.db import Conn, statements
from runtime import processes


@dataclass(frozen=True)
class Check:
    """A number that is 0, or at most `limit`, when all is well."""

    name: str
    remedy: str
    limit: int = 0


FIND_AND_END = ("Find it: SELECT pid, application_name, state, xact_start, pg_blocking_pids(pid) FROM pg_stat_activity "
                "ORDER BY xact_start; end it: SELECT pg_terminate_backend(PID);")
CHECKS = (
    Check("late_processes", "See the logs of the process; sayso down and sayso up start it anew."),
    Check("unfinished_over_5_minutes", "Find them with sayso jobs list, and the reason with sayso jobs why JOB."),
    Check("finishes_that_need_a_person", "See sayso jobs why JOB; when the cause is gone: sayso jobs retry JOB."),
    Check("expired_finish_leases", "A worker died at it. It is taken up again; if not, see the log of handlers."),
    Check("chats_whose_turns_fail", "See the log of conductor."),
    Check("asks_not_shown_over_10_minutes", "See the log of deliveries: the channel may be down, or sending paused."),
    Check("missing_months_of_history", "Beat makes them; see the log of beat. Without them no job can move."),
    Check("unknown_sends", "It is not known whether they arrived; look into the chat with sayso chat show CHAT."),
    Check("assumed_sends", "Taken to have arrived, without proof, in the last day; ask the person if it matters."),
    Check("expired_send_leases", "A worker died while sending. It is looked up; if not, see the log of deliveries."),
    Check("unsettled_sends", "The owner was not told the outcome; see the log of handlers."),
    Check("oldest_history_seconds", "The bridge's history cannot be read; see the log of webhooks.", limit=60),
    Check("oldest_look_seconds", "A chat waits for the relay or a worker; see both logs.", limit=60),
    Check("oldest_finish_seconds", "What is decided waits for the relay or a worker; see the logs of both.", limit=60),
    Check("oldest_send_seconds", "What is due waits for the relay or a worker; see the logs of both.", limit=60),
    Check("oldest_transaction_seconds", f"It keeps all dead rows since then. {FIND_AND_END}", limit=3600),
    Check("oldest_lock_wait_seconds", f"Somebody's open transaction stops it. {FIND_AND_END}", limit=60),
)
sql = statements(Path(__file__).with_suffix(".sql"))


def look(db: Conn) -> list[dict[str, Any]]:
    """Each check as a row: check, number, stuck, and the remedy where it is stuck."""
    now = jobs.now(db)
    due_now = jobs.due(db, now)
    look_since = min((chat.since for chat in due_now.chats), default=now)
    finish_since = min((end.finish_after for end in due_now.finishes), default=now)
    numbers = {"late_processes": processes.late(db), **jobs.health(db, now), **due.health(db, now), **sql.sessions(db),
               "oldest_look_seconds": int((now - look_since).total_seconds()),
               "oldest_history_seconds": due.oldest_history_seconds(db, now) if processes.runs(db, "webhooks") else 0,
               "oldest_finish_seconds": int((now - finish_since).total_seconds())}
    return [_row(check, numbers[check.name]) for check in CHECKS]


def _row(check: Check, number: int) -> dict[str, Any]:
    stuck = number > check.limit
    return {"check": check.name, "number": number, "stuck": stuck, "remedy": check.remedy if stuck else None}
