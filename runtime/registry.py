"""Who finishes what, and every tool that may act on the world: two literal tables."""

from collections.abc import Mapping

from jobs.owners import Owner
from ledger import Tool
from subsystems import intake, memory

OWNERS: tuple[Owner, ...] = (intake.OWNER, memory.OWNER)
TOOLS: Mapping[str, Tool] = {tool.name: tool for owner in OWNERS for tool in owner.tools}
