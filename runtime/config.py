"""workers.toml as one validated value."""

import tomllib
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from runtime.errors import BadConfigurationError

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "workers.toml"
QUEUES = ("conductor", "pms_intake", "memory", "ticks", "deliveries")  # each must be served, or its hints pile up
MODULES = ("relay", "beat", "webhooks")  # processes that are no Celery workers

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,30}$")]


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Process(Strict):
    copies: int = Field(ge=0, le=64)
    queues: list[Name] = []
    threads: int | None = Field(default=None, ge=1, le=256)

    @model_validator(mode="after")
    def _threads_go_with_queues(self) -> Self:
        if bool(self.queues) != (self.threads is not None):
            raise ValueError("queues and threads go together: give both, or neither")
        return self


class Workers(Strict):
    processes: dict[Name, Process]

    @model_validator(mode="after")
    def _every_queue_is_served_once(self) -> Self:
        served = [(queue, name) for name, process in self.processes.items() for queue in process.queues]
        for queue, name in served:
            if queue not in QUEUES:
                raise ValueError(f"processes.{name}.queues: there is no queue {queue!r}; known: {', '.join(QUEUES)}")
            by = [other for q, other in served if q == queue]
            if len(by) > 1:
                raise ValueError(f"queue {queue!r} is served more than once, by {' and '.join(by)}; leave it in one")
        for queue in QUEUES:
            if not any(queue == q and self.processes[name].copies for q, name in served):
                raise ValueError(f"queue {queue!r} is served by nobody; add it to the queues of a running process")
        for name, process in self.processes.items():
            if not process.queues and name not in MODULES:
                raise ValueError(f"processes.{name} has no queues and is no module; modules: {', '.join(MODULES)}")
        for name in MODULES:
            if name not in self.processes or not self.processes[name].copies or self.processes[name].queues:
                raise ValueError(f"processes.{name} is needed, with copies and without queues")
        if self.processes["webhooks"].copies > 1:
            raise ValueError("processes.webhooks.copies is more than 1: a machine has one, it listens on one port")
        return self


def load(file: Path = FILE) -> Workers:
    """Read and check the file. Raises BadConfigurationError, which names the file, each bad key and its value."""
    try:
        return Workers.model_validate(tomllib.loads(file.read_text("utf-8")))
    except FileNotFoundError:
        raise BadConfigurationError(f"{file} is missing", "Put back the file that came with Sayso.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadConfigurationError(f"{file}: {error}", "Correct that line; a key may stand only once.") from error
    except ValidationError as error:
        raise BadConfigurationError(f"{file}: {'; '.join(_faults(error))}",
                                    "Correct it and try: sayso config check") from error


def _faults(error: ValidationError) -> list[str]:
    faults = []
    for fault in error.errors():
        key = ".".join(str(part) for part in fault["loc"])
        if fault["type"] == "value_error":
            faults.append(f"{key}: {fault['ctx']['error']}" if key else str(fault["ctx"]["error"]))
        elif fault["type"] == "extra_forbidden":
            faults.append(f"unknown key {key} = {fault['input']!r}")
        elif fault["type"] == "missing":
            faults.append(f"{key} is missing")
        else:
            faults.append(f"{key} = {fault['input']!r}: {fault['msg']}")
    return faults
