"""Two small tools on a real table, and a vendor for them to change."""

from typing import Any
from uuid import UUID, uuid4

from pydantic import BaseModel

from jobs.db import Conn
from ledger import Authority, Tool, Trust

DANA = "person:dana"


class SetActive(BaseModel):
    vendor_id: UUID
    is_active: bool


class SetRate(BaseModel):
    vendor_id: UUID
    rate: str | None


def _tool(field: str, arguments: type[BaseModel], trust: Trust) -> Tool:
    def state(db: Conn, args: Any) -> dict[str, Any]:
        row = db.execute(f"SELECT {field} FROM directory_vendors WHERE id = %s FOR UPDATE".encode(), (args.vendor_id,))
        return dict(row.fetchone() or {})

    def write(db: Conn, args: Any, value: object) -> None:
        db.execute(f"UPDATE directory_vendors SET {field} = %s WHERE id = %s".encode(), (value, args.vendor_id))

    return Tool(name=f"set_{field}", owner="test", trust=trust, sensitivity="low", arguments=arguments, state=state,
                act=lambda db, args: write(db, args, getattr(args, field)), told=f"set a vendor's {field}",
                undo=lambda db, args, before: write(db, args, before[field]))


SET_ACTIVE = _tool("is_active", SetActive, "staff")
SET_RATE = _tool("rate", SetRate, "contact")
TOOLS = {tool.name: tool for tool in (SET_ACTIVE, SET_RATE)}


def a_vendor(db: Conn, workspace: UUID) -> UUID:
    row = db.execute(
        "INSERT INTO directory_vendors (workspace_id, external_id, name, trades, address)"
        " VALUES (%s, %s, 'Bob', '{hvac}', '1') RETURNING id", (workspace, str(uuid4()))).fetchone()
    assert row is not None
    vendor: UUID = row["id"]
    return vendor


def vendor_row(db: Conn, vendor: UUID) -> dict[str, Any]:
    row = db.execute("SELECT is_active, rate FROM directory_vendors WHERE id = %s", (vendor,)).fetchone()
    assert row is not None
    return row


def by_dana(key: str, trust: Trust = "staff") -> Authority:
    return Authority(key=key, job_id=None, decided_by=DANA, trust=trust, rationale="she said so")
