"""The channels there are."""

from channels.contract import Channel
from channels.terminal import Terminal

CHANNELS: tuple[Channel, ...] = (Terminal(),)
