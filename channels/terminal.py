"""The terminal: a conversation read with `sayso chat`, straight from our own rows."""

from channels.contract import Accepted, LookedUp, Outgoing, Submitted


class Terminal:
    """The row is the delivery: a reader sees what is accepted, so to accept a text is to show it, once."""

    name = "terminal"

    def submit(self, text: Outgoing) -> Submitted:
        return Accepted(provider_id=str(text.id))

    def look_up(self, text: Outgoing) -> LookedUp:
        return Accepted(provider_id=str(text.id))
