"""The kinds of jobs that intake raises, and how each asks: pure, from what is known to the ask of the row."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from channels.outbox import is_text
from directory import TRADES, Person, UnitPlace, Vendor
from jobs import Answer, Ask, Choice, Option
from subsystems.intake.basis import Basis, barred, day, unfit
from subsystems.intake.lexicon import NOT_MAINTENANCE
from subsystems.intake.rows import OrderRow
from subsystems.intake.trade import TradeGuess

KINDS = ("confirm_dispatch", "clarify_wo", "notice")

SHOWN_OPTIONS = 4  # listed in the text; anybody else can be named
NAMEABLE_BYTES = 30_000  # of vendors or units that go along to be named: an ask has at most 64 KiB
QUOTED = 280  # characters of the tenant's words in a text; the facts have more of them
KEPT = 4000
NAMED, REASON = 120, 200  # characters of a name, and of an error or another's refusal, in a text
LONGEST = 3500  # characters of a text: a channel takes 4,000, and the question that is open may be added

SPOKEN = {
    "plumbing": ("plumbing", "plumber"),
    "electrical": ("electrical", "electrician", "electric"),
    "hvac": ("heating and cooling", "hvac", "heating", "ac", "heat"),
    "appliance": ("appliance", "appliances", "appliance repair"),
    "locksmith_access": ("locks and access", "locksmith", "locks", "lock"),
    "pest_control": ("pest control", "exterminator", "pest", "pests"),
    "roofing_exterior": ("roof and exterior", "roofer", "roof", "roofing", "gutters"),
    "doors_windows": ("doors and windows", "door", "doors", "window", "windows"),
    "garage_gate": ("garage or gate", "garage", "gate"),
    "flooring": ("flooring", "floor", "floors", "carpet"),
    "drywall_paint": ("drywall and paint", "drywall", "paint", "painter", "painting"),
    "water_mold_restoration": ("water and mold", "restoration", "mold", "water damage"),
    "grounds": ("grounds", "landscaping", "yard", "snow"),
    "cleaning_hauling": ("cleaning and hauling", "cleaning", "cleaner", "hauling", "trash"),
    "life_safety": ("life safety", "alarms", "fire safety", "smoke detectors"),
    "handyman": ("handyman", "general repair", "carpentry"),
}


@dataclass(frozen=True)
class Scene:
    """An order, where it is, and who lives there. `difference`: why it is asked about again."""

    order: OrderRow
    place: UnitPlace | None
    tenant: Person | None
    difference: str | None = None

    @property
    def where(self) -> str:
        return quoted(self.place.name, NAMED) if self.place else "an unknown unit"

    @property
    def opening(self) -> str:
        """Who wrote what, above the question."""
        who = f"{quoted(self.tenant.name, NAMED)}, {self.where}" if self.tenant else self.where
        mark = "EMERGENCY. " if self.order.urgency == "emergency" else ""
        line = f"{mark}{who}: “{quoted(self.order.words)}”"
        return f"{quoted(self.difference, 2 * REASON)}\n{line}" if self.difference else line

    @property
    def facts(self) -> dict[str, str]:
        facts = {"tenant_words": self.order.words[:KEPT], "urgency": self.order.urgency}
        if self.place:
            facts["unit"] = f"{self.place.name}, {self.place.property_address}"
        if self.tenant:
            facts["tenant"] = self.tenant.name
        if self.order.category:
            facts["category"] = self.order.category
        return facts


def spoken(trade: str) -> str:
    return SPOKEN[trade][0]


def quoted(words: str, longest: int = QUOTED) -> str:
    """What somebody or something else said, as one line that any text can hold."""
    line = " ".join("".join(filter(is_text, words)).split())
    return line if len(line) <= longest else f"{line[:longest]}…"


def confirm_dispatch(
    scene: Scene, trade: str, basis: Basis, why: dict[str, str], hold_seconds: int, today: date
) -> Ask:
    """May I send this one; or, without a basis, who should go. `why`: facts, of which `basis` is shown too."""
    task = f"the {spoken(trade)} at {scene.where}"
    facts = {**scene.facts, "trade": spoken(trade), **why}
    if basis.suggested is not None:
        question = f"Sending {quoted(basis.suggested.name, NAMED)} for {task}?"
        options: tuple[Option, ...] = (_vendor(basis.suggested, trade, today, suggested=True),)
        candidates = [_vendor(v, trade, today) for v in basis.others]
        draft = f"{scene.opening}\n{question} {why['basis']}"
        facts |= {"vendor": basis.suggested.name, "rate": basis.suggested.rate or "not on file"}
        if basis.suggested.insured_until:
            facts["insured_until"] = day(basis.suggested.insured_until)
    else:
        question = f"Who should handle {task}?"
        listed = [v for v in basis.others if unfit(v, trade, today) is None][:SHOWN_OPTIONS]
        options = tuple(_vendor(v, trade, today) for v in listed)
        candidates = [_vendor(v, trade, today) for v in basis.others if v not in listed]
        draft = "\n".join([scene.opening, *([why["basis"]] if "basis" in why else []), question, *_numbered(options)])
        if not options:
            draft += " Nobody insured for it is on file."
    slot = Choice(options=options, candidates=_fitting(candidates))
    return Ask(
        question=question,
        draft=draft,
        answer=Answer(confirm=basis.suggested is not None, slots={"vendor": slot}),
        facts=facts,
        reversible=False,
        hold_seconds=hold_seconds,
    )


def clarify_trade(scene: Scene, guess: TradeGuess) -> Ask:
    """The words do not say which trade; or they speak of no repair: then it is asked first whether any is needed."""
    between = [name for name in guess.among if name in SPOKEN][:SHOWN_OPTIONS]
    options = tuple(_trade(name) for name in between) if len(between) > 1 else ()
    listed = {option.id for option in options}
    candidates = tuple(_trade(name) for name in TRADES if name not in listed)
    needless = guess.trade == NOT_MAINTENANCE and scene.difference is None
    question = f"Which trade should look at this at {scene.where}?"
    if needless:
        question = f"This does not sound like a repair. Send somebody to {scene.where} all the same?"
    draft = "\n".join([scene.opening, question, *_numbered(options)])
    facts = {**scene.facts, **({"words_that_spoke": ", ".join(guess.because)} if guess.because else {})}
    return Ask(
        question=question,
        draft=draft,
        facts=facts,
        answer=Answer(confirm=needless, slots={"trade": Choice(options=options, candidates=candidates)}),
    )


def clarify_unit(scene: Scene, places: Sequence[UnitPlace]) -> Ask:
    """The report does not say where. Options have the user's own ids of the units."""
    question = "Which unit is this from?"
    named = _fitting([Option(id=p.external_id, label=p.name) for p in places])
    return Ask(
        question=question,
        draft=f"{scene.opening}\n{question}",
        facts=scene.facts,
        answer=Answer(
            confirm=False, slots={"unit": Choice(options=(), candidates=named, open=len(named) < len(places))}
        ),
    )


def notice(text: str, facts: dict[str, str]) -> Ask:
    """News for the manager."""
    text = text[:LONGEST]
    return Ask(question=text, draft=text, answer=Answer(confirm=False), facts=facts)


def _vendor(vendor: Vendor, trade: str, today: date, suggested: bool = False) -> Option:
    note = barred(vendor, today) or vendor.rate
    return Option(id=str(vendor.id), label=vendor.name, aliases=tuple(vendor.aliases), suggested=suggested, note=note)


def _fitting(options: Sequence[Option]) -> tuple[Option, ...]:
    """As many of the first as an ask has room for."""
    taken: list[Option] = []
    room = NAMEABLE_BYTES
    for option in options:
        room -= len(option.model_dump_json().encode())
        if room < 0:
            break
        taken.append(option)
    return tuple(taken)


def _trade(name: str) -> Option:
    return Option(id=name, label=SPOKEN[name][0], aliases=SPOKEN[name][1:])


def _numbered(options: Sequence[Option]) -> list[str]:
    return [f"{number}. {option.label}" for number, option in enumerate(options, start=1)]
