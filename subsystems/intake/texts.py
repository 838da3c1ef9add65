"""What vendors and tenants are told: pure wording."""

from directory import Vendor
from subsystems.intake.kinds import Scene, quoted, spoken

HASTE = {"emergency": " This is an emergency.", "urgent": " This is urgent."}


def come(scene: Scene, vendor: Vendor, sender: str) -> str:
    """To the vendor: what is needed, where, in whose words."""
    order, place = scene.order, scene.place
    assert place is not None, "nobody is sent to an unknown unit"
    assert order.trade is not None, "nobody is sent for an unknown trade"
    tenant = f"{scene.tenant.name} wrote" if scene.tenant else "The tenant wrote"
    return (
        f"{vendor.name}, {sender} needs you for the {spoken(order.trade)} at {place.name}, {place.property_address}."
        f"{HASTE.get(order.urgency, '')} {tenant}: “{quoted(order.words)}” Please say when you can be there."
    )


def do_not_come(scene: Scene) -> str:
    return f"Please do not come to {scene.where}: that has been called off."


def is_coming(scene: Scene, vendor: Vendor) -> str:
    return f"{vendor.name} is coming to {scene.where} about “{quoted(scene.order.words)}”."


def is_not_coming(scene: Scene, vendor: Vendor) -> str:
    return f"{vendor.name} is not coming to {scene.where} after all. You will hear what happens next."
