"""Why something of the channels was refused, each with what to do about it."""

from jobs.errors import Refused


class BadTextError(Refused):
    """A body that cannot be sent or stored."""

    def __init__(self, body: str, why: str) -> None:
        shown = body if len(body) <= 60 else body[:60] + "…"
        super().__init__(f"body {shown!r}: {why}", "Correct the text and try again.", field="body", value=body)


class UnreachableError(Refused):
    """There is no way to write to this recipient."""

    def __init__(self, recipient: str, why: str) -> None:
        super().__init__(f"{recipient} cannot be written to: {why}",
                         "Give the directory a way to reach them, or tell them yourself.", field="to", value=recipient)


class NoSuchChatError(Refused):
    """The chat does not exist in this workspace."""

    def __init__(self, chat_guid: str) -> None:
        super().__init__(f"there is no chat {chat_guid!r} in this workspace",
                         "See the chats with: sayso workspace list", field="chat_guid", value=chat_guid)


class BadSignatureError(Refused):
    """A request that nobody with the bridge's secret made, or that is old."""

    def __init__(self, why: str) -> None:
        super().__init__(why, "Sign the raw bytes, with the shared secret and the time of now: docs/http-channel.md")


class BadEventError(Refused):
    """What a bridge says that a person wrote, and that cannot be read."""
