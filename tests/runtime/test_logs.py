"""Logs are JSON lines with the same four keys, whoever wrote them."""

import json
import subprocess
import sys
from pathlib import Path

WRITES = """
import logging, sys
from pathlib import Path
import structlog
from runtime import logs
logs.setup("relay", Path(sys.argv[1]))
with structlog.contextvars.bound_contextvars(job_id="7"):
    structlog.get_logger().info("hinted", queue="memory")
    logging.getLogger("celery").warning("lost %s", "it")
try:
    1 / 0
except ZeroDivisionError:
    structlog.get_logger().exception("broken")
"""


def test_each_line_has_time_level_event_process_and_the_job_that_it_is_about(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", WRITES, str(tmp_path)], check=True)
    file = tmp_path / "logs" / "relay.log"
    ours, theirs, broken = (json.loads(line) for line in file.read_text().splitlines())
    assert [(line["event"], line["level"]) for line in (ours, theirs, broken)] == [
        ("hinted", "info"), ("lost it", "warning"), ("broken", "error")]
    assert all(line["process"] == "relay" and line["ts"].endswith("Z") for line in (ours, theirs, broken))
    assert ours["job_id"] == theirs["job_id"] == "7"
    assert "ZeroDivisionError" in broken["exception"]
    assert file.stat().st_mode & 0o077 == 0
