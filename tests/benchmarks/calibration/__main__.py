"""Simulate leagues of bots of known skill, and hold the leaderboard against the truth.

    python -m tests.benchmarks.calibration           # all tables, in about a quarter of an hour
    python -m tests.benchmarks.calibration --quick   # with a tenth of the leagues
    python -m tests.benchmarks.calibration coverage  # one of them, see below

What follows a ± is the standard error, from league to league. Numbers are in mu points.
"""

import argparse
import sys
from types import ModuleType

from tabulate import tabulate

from tests.benchmarks.calibration import (
    certainty,
    circles,
    coverage,
    faithfulness,
    mirroring,
    versions,
)

MEASURES = (
    "arena/stats/covariance.py arena/stats/cycles.py arena/stats/encounters.py "
    "arena/stats/gaussian.py arena/stats/likelihood.py arena/stats/links.py "
    "arena/stats/lottery.py arena/stats/margins.py arena/stats/outcomes.py "
    "arena/stats/pairs.py arena/stats/propagation.py arena/stats/ratings.py "
    "arena/stats/spreads.py arena/stats/standings.py arena/stats/together.py"
)
PARTS = {
    "coverage": coverage,
    "certainty": certainty,
    "circles": circles,
    "faithfulness": faithfulness,
    "mirroring": mirroring,
    "versions": versions,
}


def print_part(name: str, part: ModuleType, scale: float) -> None:
    """Print a part's table, and the rows that miss, with `scale` of its leagues."""
    lines, misses = [], []
    rows = part.rows()
    for number, row in enumerate(rows, 1):
        print(f"{name} {number}/{len(rows)}: {row.name}", file=sys.stderr)
        line = part.measured(row._replace(leagues=max(2, round(scale * row.leagues))))
        lines.append(line.cells)
        misses += [f"{row.name}: {fault}" for fault in line.faults]
    print(f"\n{part.TITLE}\n")
    print(tabulate(lines, part.HEADERS, disable_numparse=True))
    print(f"\n{part.NOTE}")
    if misses:
        print("", "Rows that miss:", *misses, sep="\n")
    sys.stdout.flush()


def main(words: list[str]) -> None:
    """Print the tables asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.calibration",
        description=(__doc__ or "").partition("\n")[0],
    )
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="simulate a tenth of the leagues")
    asked = parser.parse_args(words)
    if unknown := [name for name in asked.tables if name not in PARTS]:
        parser.error(f"there is no table {', '.join(unknown)}; there are {', '.join(PARTS)}.")
    for name in asked.tables or PARTS:
        print_part(name, PARTS[name], 0.1 if asked.quick else 1.0)


if __name__ == "__main__":
    main(sys.argv[1:])
