"""What is done on the clock's beat, as a literal table: each owner's sweep, the outbox's, and the months of history."""

from datetime import datetime

from channels import delivery
from jobs.db import Conn
from runtime.registry import OWNERS
from runtime.tasks import Tick


def make_months(db: Conn, now: datetime) -> None:
    """The partitions of the coming year. Waits 2 s for its lock and no longer, as writers would queue up behind it."""
    db.execute("SET LOCAL lock_timeout = '2s'")
    db.execute("SELECT jobs_make_months(%(now)s::timestamptz, %(now)s::timestamptz + interval '12 months')",
               {"now": now})


TICKS: tuple[Tick, ...] = (
    Tick("channels", 5, delivery.sweep),
    Tick("months", 3600, make_months),
    *(Tick(owner.source, 10, owner.sweep) for owner in OWNERS),
)
