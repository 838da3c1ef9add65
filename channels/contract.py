"""What a channel is: it submits a text once and says how that went, and can look up one whose fate is not known."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID


@dataclass(frozen=True)
class Outgoing:
    """One text as a channel sees it. `id` is our reference, to be carried along where the provider lets us."""

    id: UUID
    address: str
    body: str
    submitted_at: datetime


@dataclass(frozen=True)
class Accepted:
    """The provider took it. `provider_id` is its name there."""

    provider_id: str


@dataclass(frozen=True)
class Rejected:
    """Certainly not taken, and never will be."""

    why: str


@dataclass(frozen=True)
class NotSent:
    """Certainly not taken this time: it never left us, or the provider said to come back. May be tried again."""

    why: str


@dataclass(frozen=True)
class Unknown:
    """It may or may not have been taken. Never sent again, only looked up."""

    why: str


Submitted = Accepted | Rejected | NotSent | Unknown
LookedUp = Accepted | Rejected | Unknown


class Channel(Protocol):
    """Both calls are made outside any transaction and must end within `delivery.LEASE`: every client has time-outs.

    What a call raises counts as Unknown.
    """

    @property
    def name(self) -> str: ...

    def submit(self, text: Outgoing) -> Submitted:
        """Send it once. No retry inside: after the first byte of it has left, a failure is Unknown."""
        ...

    def look_up(self, text: Outgoing) -> LookedUp:
        """Find out what became of it, without sending. Unknown when the provider cannot say yet."""
        ...
