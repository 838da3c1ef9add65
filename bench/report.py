"""The report: tables as Markdown, plots as PNG, and the machine they were made on."""

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from matplotlib.figure import Figure

from bench.depth import Depth
from bench.hand import Hand
from bench.ours import Ours
from bench.processes import Latency, Process
from bench.rows import Row

RESULTS = Path(__file__).with_name("results")
GOAL = 0.9  # of hand-written
PACKAGES = ("psycopg", "celery", "procrastinate", "pgqueuer")
WHO = (Ours.name, Hand.name, "procrastinate", "pgqueuer")


def write(
    folder: Path,
    rows: Sequence[Row],
    depths: Sequence[Depth],
    processes: Sequence[Process],
    latencies: Sequence[Latency],
    postgres: str,
) -> Path:
    """Writes bench.md, ratios.png and depth.png; returns the first."""
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join(
        [
            "# Bench",
            "",
            *machine(postgres),
            "",
            *table(rows),
            "",
            *depth_table(depths),
            "",
            *latency_table(latencies),
            "",
            *process_table(processes),
            "",
        ]
    )
    file = folder / "bench.md"
    file.write_text(text)
    plot_ratios(rows, folder / "ratios.png")
    plot_depth(depths, folder / "depth.png")
    return file


def machine(postgres: str) -> list[str]:
    cpu = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return [
        f"{datetime.now(UTC):%Y-%m-%d}, commit {head.stdout.strip() or 'unknown'}, {os.cpu_count()} cores ({cpu}), "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}, PostgreSQL {postgres}, "
        f"{versions}. "
        "The settings that we ship, fsync on; client and server share the cores."
    ]


def table(rows: Sequence[Row]) -> list[str]:
    def cell(row: Row, who: str) -> str:
        rate = row.rate(who)
        return "" if rate is None else f"{rate:,.0f}"

    lines = [
        "## How many a second",
        "",
        f"Medians. The ratio is ours to hand-written SQL; the goal is {GOAL}.",
        "",
        "| | ratio | " + " | ".join(WHO) + " | what it is |",
        "|---|---|" + "---|" * (len(WHO) + 1),
    ]
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}" if row.ratio >= GOAL else f"**{row.ratio:.2f}**"
        lines.append(f"| {row.name} | {ratio} | {' | '.join(cell(row, who) for who in WHO)} | {row.what} |")
    return [*lines, "", "![ratios](ratios.png)"]


def depth_table(depths: Sequence[Depth]) -> list[str]:
    return [
        "## The next ask",
        "",
        "Milliseconds, medians. The jobs wait behind the open asks of two chats.",
        "",
        "| waiting | finished | a turn that looks for the next | all that is due | enqueue |",
        "|---|---|---|---|---|",
        *(
            f"| {d.waiting:,} | {d.finished:,} | {d.turn_ms:.2f} | {d.sweep_ms:.2f} | {d.enqueue_ms:.2f} |"
            for d in depths
        ),
        "",
        "![depth](depth.png)",
    ]


def latency_table(latencies: Sequence[Latency]) -> list[str]:
    return [
        "## Latency",
        "",
        "Through the running processes, one conversation at a time.",
        "",
        "| | p50 ms | p99 ms | of |",
        "|---|---|---|---|",
        *(f"| {each.what} | {each.p50:.0f} | {each.p99:.0f} | {each.count} |" for each in latencies),
    ]


def process_table(processes: Sequence[Process]) -> list[str]:
    return [
        "## Processes",
        "",
        "Memory of its own and of its children, without what is shared, after these conversations.",
        "",
        "| | MB | first heartbeat after s |",
        "|---|---|---|",
        *(f"| {p.name} | {p.megabytes:.0f} | {'' if p.seconds is None else f'{p.seconds:.1f}'} |" for p in processes),
    ]


def plot_ratios(rows: Sequence[Row], file: Path) -> None:
    rated = [row for row in rows if row.ratio is not None]
    figure = Figure(figsize=(8, 0.5 * len(rated) + 1.2), layout="constrained")
    axes = figure.subplots()
    axes.barh(
        [row.name for row in rated],
        [row.ratio or 0 for row in rated],
        color=["#3a7d44" if (row.ratio or 0) >= GOAL else "#c1666b" for row in rated],
    )
    axes.axvline(GOAL, color="black", linestyle="--", linewidth=1)
    axes.invert_yaxis()
    axes.set_xlabel(f"ours to hand-written SQL (goal {GOAL})")
    figure.savefig(file, dpi=110)


def plot_depth(depths: Sequence[Depth], file: Path) -> None:
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    axes = figure.subplots()
    names = [f"{d.waiting:,}\n{d.finished:,}" for d in depths]
    for label, values in (
        ("turn", [d.turn_ms for d in depths]),
        ("all that is due", [d.sweep_ms for d in depths]),
        ("enqueue", [d.enqueue_ms for d in depths]),
    ):
        axes.plot(names, values, marker="o", label=label)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("ms")
    axes.set_xlabel("jobs waiting, and finished")
    axes.legend()
    figure.savefig(file, dpi=110)
