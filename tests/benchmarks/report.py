"""Prints how long the pages of large leagues take to make, and how large they are.

    python -m tests.benchmarks.report

The leagues are made up, as in `tests.benchmarks.scale`, so that there is nothing to step through.
The last row is a real league of world_war, which is played first, with as many of its matches as
have room in 2 MB.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tabulate import tabulate

from arena.store.opening import read_league
from tests.benchmarks.scale import Size, make, timed

MEASURES = (
    "arena/report arena/stats/covariance.py arena/stats/gaussian.py arena/stats/likelihood.py "
    "arena/stats/links.py arena/stats/outcomes.py arena/stats/propagation.py "
    "arena/stats/ratings.py arena/stats/spreads.py arena/tables"
)
LEAGUES = {
    "duels": Size("guerra", 2, 100, 100_000),
    "tables of four": Size("war", 4, 20, 20_000),
}
PLAYED = ("--game", "world_war", "marshal", "cautious", "sensible", "random", "--deals", "4")


def played(folder: Path) -> None:
    """Play a league."""
    words = [sys.executable, "-m", "arena"]
    subprocess.run([*words, "init", folder, *PLAYED], check=True, capture_output=True)
    subprocess.run([*words, "run", folder], check=True, capture_output=True)


def main() -> None:
    """Make the leagues and their pages."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder, file = Path(name) / "league", Path(name) / "page.html"
        for title, size in LEAGUES.items():
            league = make(folder / title, size)
            matches = league.asked.match_count
            report = ("report", "--output", str(file), "--replays", "0")
            seconds, memory, _ = timed(league, report)
            rows.append((title, size.bots, matches, seconds, memory, file.stat().st_size / 1e6))
        home = folder / "world_war"
        played(home)
        league = read_league(home)
        matches = league.asked.match_count
        seconds, memory, _ = timed(league, ("report", "--output", str(file)))
        rows.append(
            ("world_war", len(league.bots), matches, seconds, memory, file.stat().st_size / 1e6)
        )
    headers = ("league", "bots", "matches", "seconds", "MB of memory", "MB of page")
    print(tabulate(rows, headers, floatfmt=("", "", "", ".1f", ".0f", ".2f"), intfmt=","))


if __name__ == "__main__":
    main()
