"""A workspace to take orders in."""

import pytest

from jobs.db import Conn
from tests.subsystems.office import Office


@pytest.fixture
def office(db: Conn) -> Office:
    return Office(db)
