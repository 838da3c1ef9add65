"""`make play`: twenty tenants write to the running demo, one after the other, at a human pace.

It speaks only through the `sayso` command. Called again, it sends the next twenty.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from demo.workspace import NAME

REQUESTS = Path(__file__).with_name("requests.jsonl")
STRIDE = 7  # neighbours in the file are alike: take every seventh, then start over with the next


@click.command()
@click.option("--pace", type=click.FloatRange(min=0), default=6.0, show_default=True, help="Seconds between two.")
@click.option("--count", type=click.IntRange(min=1), default=20, show_default=True, help="How many to send.")
def main(pace: float, count: int) -> None:
    """Send made-up requests of tenants to the demo that runs."""
    sent = 0
    for request in _mixed():
        if sent == count:
            return
        if _send(request):
            sent += 1
            click.echo(f"{sent:>3}  {request['text']}")
            time.sleep(pace if sent < count else 0)
    click.echo("There are no more requests. Start over with: sayso reset")


def _mixed() -> Iterator[dict[str, Any]]:
    """The requests with what a tenant gave, without the labels that say what is right."""
    requests = [json.loads(line) for line in REQUESTS.read_text("utf-8").splitlines()]
    for start in range(STRIDE):
        for request in requests[start::STRIDE]:
            yield {"id": request["id"], "text": request["text"]}


def _send(request: dict[str, Any]) -> bool:
    """Whether it is new to the demo. Which unit it comes from, its id decides."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.write(json.dumps(request))
        file.flush()
        sayso = (sys.executable, "-m", "runtime.command", "intake", "import", file.name, "--workspace", NAME)
        done = subprocess.run((*sayso, "--json"), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr.strip() or done.stdout.strip())
    return bool(json.loads(done.stdout)["added"])


if __name__ == "__main__":
    main()
