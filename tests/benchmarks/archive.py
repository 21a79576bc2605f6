"""Prints what it takes to export and import a league of many matches: CPU time and memory.

    python -m tests.benchmarks.archive             # 100,000 matches
    python -m tests.benchmarks.archive 10000

One match of guerra is played. All the others are dealt from seeds of their own and have its moves.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
from tabulate import tabulate

from arena.league.plan import LeaguePlan
from arena.league.settings import Settings
from arena.league.writing import make_league
from arena.play.run import open_run
from arena.play.staffing import RunTerms
from arena.store.opening import open_store
from arena.store.result import PlayedMatch, Record, result_of
from arena.store.rows import BotVersion, EnteredBot, WholeMatch
from referee.match.evidence import Played

MEASURES = "arena/archive/export.py arena/archive/merge.py arena/archive/reader.py arena/store"
BOTS = [{"name": name, "shipped": name} for name in ("sensible", "random")]
LIMITS = {"sandbox": "none"}
_MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
"""A small process between: to start with, the kernel counts the memory of whoever starts one."""


def league_of(folder: Path, deals: int) -> LeaguePlan:
    """Make a league of two bots."""
    return make_league(folder, Settings(game="guerra", seed=1, deals=deals), {}, LIMITS, BOTS)


def one_match(folder: Path) -> WholeMatch:
    """Play a match and return what is stored of it."""
    league = league_of(folder, 1)
    with open_run(league, RunTerms(1)) as run:
        list(run.play())
    with open_store(league) as store:
        return next(store.everything()[1])


def matches(league: LeaguePlan, one: WholeMatch) -> Iterator[tuple[PlayedMatch, str]]:
    """Yield every match that a league asks for, all played like `one`."""
    schedule = league.schedule
    replay, evidence = one.replay, one.evidence
    for deal in league.asked.plan():
        name = schedule.deal_id(deal)
        for rotation in range(schedule.rotation_count):
            seed = schedule.seed(deal, rotation)
            played = Played(msgspec.structs.replace(replay, seed=seed), evidence)
            result = result_of(
                played,
                deal=name,
                number=deal.number,
                order=schedule.order(deal),
                rotation=rotation,
                bots=schedule.seating(deal, rotation),
            )
            yield PlayedMatch(result, Record.of(played, 0.01)), one.circumstances.played_at


def timed(*words: object) -> tuple[float, float]:
    """Run a command; return its seconds of CPU time and its MB at most."""
    command = [sys.executable, "-c", _MEASURED, sys.executable, "-m", "arena", *map(str, words)]
    found = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.split()
    return float(found[-2]), float(found[-1]) / 1024


def main(count: int) -> None:
    """Make a league of so many matches, export it, and import it twice."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        league = league_of(home / "league", count // 2)
        bots = {
            BotVersion(bot.key, bot.version): EnteredBot(bot.command, bot.is_bundled)
            for bot in league.bots
        }
        with open_store(league, create=True) as store:
            played = matches(league, one_match(home / "one"))
            store.merge(league.conditions(), bots, [], played, lambda: None)
        file, copy = home / "league.jsonl", home / "copy"
        rows = [
            ("export", *timed("export", league.folder, file)),
            ("import", *timed("import", copy, file)),
            ("import again", *timed("import", copy, file)),
        ]
        print(f"{count} matches, {file.stat().st_size / 1e6:.0f} MB exported,", end=" ")
        print(f"{league.database.stat().st_size / 1e6:.0f} MB in the database")
    print(tabulate(rows, ("arena", "CPU seconds", "MB"), floatfmt=("", ".1f", ".0f")))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
