"""The channels there are."""

from channels.contract import Channel
from channels.http import Http
from channels.terminal import Terminal

CHANNELS: tuple[Channel, ...] = (Terminal(),)  # those that need no configuration


def channels(bridge: Http | None) -> tuple[Channel, ...]:
    """All of an installation; `bridge` is the one that is configured there."""
    return CHANNELS if bridge is None else (*CHANNELS, bridge)
