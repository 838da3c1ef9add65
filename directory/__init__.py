"""Owns who and where: workspaces, people, properties, units, vendors, and how each is reached."""

from directory.errors import BadCell, BadSheet, ChatTaken, NoSuch, NotOne
from directory.importing import Imported, LineError, import_rows
from directory.people import (
    Reach,
    Unreachable,
    manager_at,
    manager_in,
    manager_of,
    managers,
    person,
    reach,
    tenant,
    tenant_of,
)
from directory.places import UnitPlace, place, property_names, unit, unit_ids, units
from directory.rows import Person, Vendor, Workspace
from directory.trades import TRADES
from directory.vendors import vendor, vendors
from directory.workspaces import create_workspace, overview, workspace

__all__ = [
    "TRADES", "BadCell", "BadSheet", "ChatTaken", "Imported", "LineError", "NoSuch", "NotOne", "Person", "Reach",
    "UnitPlace", "Unreachable", "Vendor", "Workspace", "create_workspace", "import_rows", "manager_at", "manager_in",
    "manager_of", "managers", "overview", "person", "place", "property_names", "reach", "tenant", "tenant_of", "unit",
    "unit_ids", "units", "vendor", "vendors", "workspace",
]
