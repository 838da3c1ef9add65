"""One small round of the kill test, so that it keeps working, and what it holds keeps holding."""

from tests.chaos.__main__ import run
from tests.chaos.system import running_system


def test_a_system_that_is_killed_while_orders_come_in_loses_and_repeats_nothing() -> None:
    with running_system(seed=5) as system:
        tally = run(system, seed=5, rounds=1, orders=24, tell=print)
    assert tally.wrong == []
    assert tally.hurt.total() > 0
