"""What a database needs before the processes start on it."""

from collections.abc import Callable

import jobs
from demo.workspace import prepare as prepare_demo
from jobs.db import Conn
from runtime.migrate import migrate
from runtime.registry import OWNERS


def prepare(db: Conn, say: Callable[[str], None], demo: bool) -> None:
    """Migrate, make every owner's kinds known, with `demo` make the demo workspace. Idempotent; needs autocommit."""
    migrate(db, say=say)
    jobs.register_kinds(db, [(owner.source, kind) for owner in OWNERS for kind in owner.kinds])
    if demo:
        prepare_demo(db)
