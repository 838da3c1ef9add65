"""What `sayso status` says that no number can: here without a running system. test_adversities.py has the rest."""

import shutil
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from jobs.db import Conn
from runtime import trouble


@pytest.mark.parametrize(("free", "said"), [(99_999_999, ["the disk of {} has only 99 MB left"]), (100_000_000, [])])
def test_a_disk_with_less_than_100_mb_left_is_named_before_anything_fails(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, said: list[str]) -> None:
    usage: Any = shutil._ntuple_diskusage(10**9, 10**9 - free, free)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    assert [line.partition(":")[0] for line in trouble.of_disks(tmp_path)] == [line.format(tmp_path) for line in said]


def test_a_database_of_the_version_before_is_named_with_what_it_lacks(db: Conn) -> None:
    assert trouble.of_database(db) == []
    row = db.execute("DELETE FROM runtime_migrations WHERE number = (SELECT max(number) FROM runtime_migrations)"
                     " RETURNING name").fetchone()
    assert row is not None
    (line,) = trouble.of_database(db)
    assert f"lacks {row['name']}" in line
    assert "sayso up" in line


def test_a_session_that_can_only_read_is_told_apart_from_one_that_has_no_room(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True, row_factory=dict_row,
                         options="-c default_transaction_read_only=on") as db:
        (line,) = trouble.of_database(db)
    assert "read-only" in line
