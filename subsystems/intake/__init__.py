"""Owns orders: what tenants and the property software report, whom to suggest for it, and sending who was agreed on."""

from jobs.owners import Owner
from subsystems.intake.asking import SOURCE
from subsystems.intake.errors import BadFile, BadReport
from subsystems.intake.files import ImportedRequests, import_file
from subsystems.intake.finish import finish
from subsystems.intake.kinds import KINDS
from subsystems.intake.reports import Reported, report
from subsystems.intake.rows import OrderRow
from subsystems.intake.settled import settled
from subsystems.intake.sweep import sweep
from subsystems.intake.tools import TOOLS

__all__ = [
    "OWNER",
    "BadFile",
    "BadReport",
    "ImportedRequests",
    "OrderRow",
    "Reported",
    "import_file",
    "report",
]

OWNER = Owner(SOURCE, KINDS, finish=finish, settled=settled, sweep=sweep, tools=TOOLS)
