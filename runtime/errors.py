"""Why something of the runtime was refused, each with what to do about it."""

from pathlib import Path

from jobs.errors import SaysoError


class BadConfigurationError(SaysoError):
    """A setting, in workers.toml or in the environment, that cannot be used."""


class NothingRunsError(SaysoError):
    """The address of a server was asked for, and neither the environment nor a running supervisor gives it."""

    def __init__(self, data: Path, variable: str) -> None:
        super().__init__(f"nothing runs on the data folder {data}, and {variable} is not set",
                         f"Start it with: sayso up --data '{data}'")


class UnreachableError(SaysoError):
    """A server that should be there does not answer."""


class MigrationRefusedError(SaysoError):
    """The database and the migration files do not fit together."""


class DidNotStartError(SaysoError):
    """A server or a process that came up never, or not in time."""


class DidNotStopError(SaysoError):
    """A supervisor that may not be stopped by this user, or does not stop."""
