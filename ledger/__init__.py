"""Owns the ledger: what may be done to the world, on whose word, what it did, and how it is undone."""

from ledger.calls import Called, call, get, listed, undo, undone_by
from ledger.errors import AlreadyUndone, BadArguments, CannotUndo, Drifted, KeyTaken, NoSuchCall, TooLittleTrust
from ledger.rows import CallRow
from ledger.tools import Authority, Tool, Trust

__all__ = [
    "AlreadyUndone", "Authority", "BadArguments", "CallRow", "Called", "CannotUndo", "Drifted", "KeyTaken",
    "NoSuchCall", "TooLittleTrust", "Tool", "Trust", "call", "get", "listed", "undo", "undone_by",
]
