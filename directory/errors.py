"""Why something of the directory was refused, each with what to do about it."""

from collections.abc import Sequence

from jobs.errors import Refused


class NoSuch(Refused):
    """Nothing here goes by this name or id."""

    def __init__(self, what: str, value: object, next_step: str) -> None:
        named = f" {str(value)!r}" if value is not None else ""
        super().__init__(f"there is no {what}{named}", next_step, field=what, value=value)


class NotOne(Refused):
    """Several go by this name."""

    def __init__(self, what: str, value: object, these: Sequence[str],
                 next_step: str = "Name one of them in full, or by its id.") -> None:
        shown = ", ".join(these[:5]) + (", …" if len(these) > 5 else "")
        named = f" {str(value)!r}" if value is not None else ""
        super().__init__(f"{what}{named} can be any of {len(these)}: {shown}",
                         next_step, field=what, value=value)


class ChatTaken(Refused):
    """A chat has one manager."""

    def __init__(self, chat_guid: str, by: str) -> None:
        super().__init__(f"chat {chat_guid!r} belongs to {by}", "Use another name for the chat.",
                         field="chat", value=chat_guid)


class BadSheet(Refused):
    """A file that cannot be read as a table with the columns that are needed."""


class BadCell(Refused):
    """A value of one line that cannot be used."""

    def __init__(self, field: str, value: object, why: str, next_step: str) -> None:
        super().__init__(why, next_step, field=field, value=value)
