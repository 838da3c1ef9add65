"""The trades there are: a closed list, so that a policy, a vendor and an order mean the same by one."""

TRADES = (
    "plumbing",  # leaks, drains, toilets, water heater, gas piping
    "electrical",  # power, outlets, breakers, fixed lights
    "hvac",  # heat, air, thermostat, ducts
    "appliance",  # fridge, range, dishwasher, washer
    "locksmith_access",  # locks, keys, fobs
    "pest_control",  # insects, rodents
    "roofing_exterior",  # roof, gutters, siding
    "doors_windows",  # doors, glass, screens, blinds
    "garage_gate",  # garage doors, gates, intercom
    "flooring",  # carpet, vinyl, tile
    "drywall_paint",  # walls, ceilings, paint
    "water_mold_restoration",  # what stayed wet after a leak
    "grounds",  # lawn, trees, snow, pool, paving
    "cleaning_hauling",  # cleaning, trash
    "life_safety",  # smoke and CO detectors, extinguishers
    "handyman",  # cabinets, shelves, rails
)
