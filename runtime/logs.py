"""Logs: one JSON object a line in DATA/logs/NAME.log, five old files of 10 MB kept.

Every line has ts, level, event and process. What is bound with structlog's contextvars (a job's id, a chat) is in each
line of that thread: `with structlog.contextvars.bound_contextvars(job_id=…)`. Lines of libraries come the same way.
"""

import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path

import structlog
from structlog.typing import EventDict, Processor


def folder(data: Path) -> Path:
    """Where they are; made if missing."""
    made = data / "logs"
    made.mkdir(mode=0o700, parents=True, exist_ok=True)
    return made


def setup(name: str, data: Path) -> None:
    """Send every line of this process to its file. Once, at the start of a process."""
    os.umask(0o077)  # what people wrote may be in there
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="ts"),
        _process(name),
        structlog.processors.format_exc_info,
    ]
    handler = RotatingFileHandler(folder(data) / f"{name}.log", maxBytes=10_000_000, backupCount=5, encoding="utf-8")
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.JSONRenderer(ensure_ascii=False, default=str)]))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it has a line for each request
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.stdlib.LoggerFactory(), cache_logger_on_first_use=True)


def _process(name: str) -> Processor:
    def add(_: object, __: str, event: EventDict) -> EventDict:
        event["process"] = name
        return event

    return add
