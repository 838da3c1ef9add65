"""`python -m bench --help`: everything in one run, into bench/results/."""

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from bench import depth, processes, report, rows, server

SIZES = (10_000, 100_000, 1_000_000)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of it, to see that it works")
    parser.add_argument("--out", type=Path, default=report.RESULTS, help="where the report goes")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print the figures as JSON too")
    given = parser.parse_args()
    began = time.monotonic()

    def tell(line: str) -> None:
        print(f"{time.monotonic() - began:5.0f} s  {line}", file=sys.stderr, flush=True)

    with server.server() as url:
        compared = rows.bench(url, repeats=2 if given.quick else 5, count=60 if given.quick else 300)
        table = []
        for number, row in enumerate(rows.ROWS, start=1):
            table.append(row(compared))
            tell(f"{number} of {len(rows.ROWS)} rows: {table[-1].name}")
        for peer in compared.peers:
            peer.close()
        depths = depth.measure(url, SIZES[:1] if given.quick else SIZES, tell)
        version = server.connect(url).info.parameter_status("server_version") or ""
    running, latencies = processes.measure(5 if given.quick else 50, tell)
    file = report.write(given.out, table, depths, running, latencies, version)
    tell(f"written: {file}")
    if given.as_json:
        print(
            json.dumps(
                {
                    "rows": [asdict(row) | {"ratio": row.ratio} for row in table],
                    "depths": [asdict(d) for d in depths],
                    "processes": [asdict(p) for p in running],
                    "latencies": [asdict(each) for each in latencies],
                }
            )
        )


if __name__ == "__main__":
    main()
