"""How urgent a request is, by what it speaks of: a hazard however calmly it is told, and none because it is shouted."""

import re
from typing import Literal

from subsystems.intake import hazards
from subsystems.intake.words import fold, pattern, phrases

Urgency = Literal["emergency", "urgent", "normal", "low"]

_EMERGENCIES = {concept: pattern(phrases(text)) for concept, text in hazards.EMERGENCY.items()}
_URGENT = pattern(phrases(hazards.URGENT))
_LOW = pattern(phrases(hazards.LOW))
_CALM = pattern(phrases(hazards.CALM))
_LESSER = pattern(phrases(hazards.LESSER))
_NO_HEAT, _COLD = pattern(phrases(hazards.NO_HEAT)), pattern(phrases(hazards.COLD))
_NO_COOL, _HOT, _WARM = pattern(phrases(hazards.NO_COOL)), pattern(phrases(hazards.HOT)), pattern(phrases(hazards.WARM))
_VULNERABLE = pattern(phrases(hazards.VULNERABLE))


def urgency(words: str) -> Urgency:
    """The highest class that any of the words belongs to. "No rush" lowers only what is harmless anyway."""
    text = _without(_CALM, fold(words))
    climate = _climate(text)
    if climate == "emergency" or any(hazard.search(_without(_LESSER, text)) for hazard in _EMERGENCIES.values()):
        return "emergency"
    if climate == "urgent" or _URGENT.search(text):
        return "urgent"
    return "low" if _LOW.search(text) else "normal"


def _without(these: re.Pattern[str], text: str) -> str:
    return f" {' '.join(these.sub('', text).split())} "


def _climate(text: str) -> Urgency:
    """No heat and no cooling weigh by how cold or hot it is, and by who has to bear it."""
    vulnerable = _VULNERABLE.search(text) is not None
    if _NO_HEAT.search(text):
        return "emergency" if vulnerable or _COLD.search(text) else "urgent"
    if _NO_COOL.search(text):
        if _HOT.search(text) or (vulnerable and _WARM.search(text)):
            return "emergency"
        return "urgent" if vulnerable or _WARM.search(text) else "normal"
    return "normal"
