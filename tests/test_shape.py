"""The laws of the tree that no type checker holds."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import SQLModel

import channels.rows
import directory.rows
import jobs.rows
import ledger.rows
import runtime.rows
import subsystems.intake.rows
import subsystems.memory.rows
from conductor.actions import ACTIONS
from jobs.db import Conn

ROOT = Path(__file__).resolve().parent.parent
OWNERS = {
    "jobs": ("jobs", "job_", "asks", "ask_", "chats", "chat_"),
    "ledger": ("ledger_",),
    "directory": ("directory_",),
    "channels": ("channel_",),
    "conductor": ("conductor_",),
    "subsystems/intake": ("intake_",),
    "subsystems/memory": ("memory_",),
    "runtime": ("runtime_",),
}
WRITES = re.compile(r"\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|TRUNCATE)\s+(?:ONLY\s+)?([a-z_]+)")
ROW_MODULES = (
    jobs.rows,
    ledger.rows,
    directory.rows,
    channels.rows,
    subsystems.intake.rows,
    subsystems.memory.rows,
    runtime.rows,
)


def product_files(*suffixes: str) -> Iterator[Path]:
    for folder in ("jobs", "ledger", "directory", "channels", "conductor", "subsystems", "runtime", "demo"):
        yield from (p for p in sorted((ROOT / folder).rglob("*")) if p.suffix in suffixes)


def test_a_table_is_written_by_the_folder_of_its_owner_alone() -> None:
    strangers = [
        f"{path.relative_to(ROOT)} writes {table}"
        for owner, prefixes in OWNERS.items()
        for path in sorted((ROOT / owner).rglob("*"))
        if path.suffix in (".py", ".sql")
        for table in WRITES.findall(path.read_text())
        if table not in ("of", "set") and not table.startswith(prefixes)
    ]
    assert strangers == []


def test_every_module_says_what_it_owns_and_stays_under_300_lines() -> None:
    for path in product_files(".py"):
        text = path.read_text()
        assert len(text.splitlines()) <= 300, path
        if text.strip():
            assert ast.get_docstring(ast.parse(text)), f"{path} has no docstring"


def test_every_function_fits_on_a_screen_of_40_lines() -> None:
    too_long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name} ({node.end_lineno - node.lineno + 1} lines)"
        for path in product_files(".py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > 40
    ]
    assert too_long == []


def test_no_module_is_a_drawer_for_leftovers() -> None:
    drawers = {"utils", "util", "helpers", "common", "manager", "base", "misc"}
    assert [p for p in product_files(".py", ".sql") if p.stem in drawers] == []


def test_the_spine_and_the_main_flow_stay_within_their_budgets() -> None:
    def lines(paths: Iterator[Path] | list[Path]) -> int:
        return sum(len(p.read_text().splitlines()) for p in paths)

    schema = (ROOT / "schema.sql").read_text()
    spine = schema[: schema.index("-- ================================================================ ledger/")]
    assert lines((ROOT / "jobs").rglob("*.py")) <= 1200
    assert lines((ROOT / "jobs").rglob("*.sql")) + len(spine.splitlines()) <= 900
    assert lines([ROOT / "conductor" / "turn.py"]) < 150


def test_a_turn_of_the_conductor_can_send_text_wait_or_be_done_and_nothing_else() -> None:
    assert set(ACTIONS) == {"send_text", "wait", "done"}
    plans = re.compile(r"import outbox|outbox\.")
    planners = [p.name for p in (ROOT / "conductor").rglob("*.py") if plans.search(p.read_text())]
    assert planners == ["actions.py"], "only actions.py plans texts"


@pytest.mark.parametrize("module", ROW_MODULES, ids=lambda m: m.__name__)
def test_row_classes_hold_exactly_the_columns_of_the_schema(db: Conn, module: Any) -> None:
    tables = [
        cls.__table__
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, SQLModel) and hasattr(cls, "__table__")
    ]
    assert tables
    for table in tables:
        rows = db.execute(
            "SELECT column_name, is_nullable = 'YES' AS nullable, is_generated = 'ALWAYS' AS generated"
            " FROM information_schema.columns WHERE table_schema = 'public' AND table_name = %s",
            (table.name,),
        ).fetchall()
        assert {r["column_name"] for r in rows} == {c.name for c in table.columns}, table.name
        for row in rows:
            assert row["generated"] or row["nullable"] == table.columns[row["column_name"]].nullable, row["column_name"]
