"""Why something of intake was refused, each with what to do about it."""

from jobs.errors import Refused


class BadReport(Refused):
    """A report that cannot be stored as an order."""

    def __init__(self, field: str, value: object, why: str, next_step: str) -> None:
        shown = repr(value)
        super().__init__(
            f"{field} {shown if len(shown) <= 60 else shown[:60] + '…'} {why}", next_step, field=field, value=value
        )


class BadFile(Refused):
    """A file that is neither requests, one a line, nor a list of resident requests."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(
            f"file {name}: {why}",
            "Give JSON lines with id and text, or Buildium's resident requests as JSON.",
            field="file",
            value=name,
        )
