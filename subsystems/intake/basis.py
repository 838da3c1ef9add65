"""Whom to suggest, and why: a policy, a precedent, or nobody. Never a guess. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from directory import Vendor
from subsystems.memory import Policy, Precedent


@dataclass(frozen=True)
class Basis:
    """`suggested` None: the manager is asked who. `passed_over`: whom the policy or precedent names, and why not."""

    kind: Literal["policy", "precedent", "none"]
    suggested: Vendor | None
    passed_over: tuple[Vendor, str] | None
    others: tuple[Vendor, ...]  # active, and not suggested: first those of the trade who can be sent, then the rest


def choose(found: Policy | Precedent | None, trade: str, vendors: Sequence[Vendor], today: date) -> Basis:
    """Suggest whom the wish or the precedent names, if they can be sent. `vendors`: all of the workspace."""
    named = next((v for v in vendors if found is not None and v.id == found.vendor_id), None)
    reason = None if named is None else unfit(named, trade, today)
    suggested = named if reason is None else None
    others = sorted(
        (v for v in vendors if v.is_active and v is not suggested),
        key=lambda v: (trade not in v.trades, unfit(v, trade, today) is not None, v.name),
    )
    match found:
        case None:
            kind: Literal["policy", "precedent", "none"] = "none"
        case Policy():
            kind = "policy"
        case Precedent():
            kind = "precedent"
    return Basis(kind if suggested else "none", suggested, (named, reason) if named and reason else None, tuple(others))


def unfit(vendor: Vendor, trade: str, today: date) -> str | None:
    """Why this vendor is not suggested for that trade; None when nothing speaks against it."""
    return barred(vendor, today) or (None if trade in vendor.trades else "does other work")


def barred(vendor: Vendor, today: date) -> str | None:
    """Why this vendor may not be sent at all, whoever says so."""
    if not vendor.is_active:
        return "is no longer active"
    if vendor.insured_until is None:
        return "has no insurance on file"
    if vendor.insured_until < today:
        return f"was insured only until {day(vendor.insured_until)}"
    return None


def day(at: date) -> str:
    return f"{at:%b} {at.day}, {at.year}"
