"""What a reply says about what was asked. Pure: no clock, no database, no network."""

from conductor.interpreting.interpret import READER, interpret
from conductor.interpreting.reading import Item, Reading, Unclear, Verdict
from conductor.interpreting.stop import says_stop

__all__ = ["READER", "Item", "Reading", "Unclear", "Verdict", "interpret", "says_stop"]
