"""Prints how long leagues of very many matches take to read, and with how much memory.

    python -m tests.benchmarks.scale               # all of it: some minutes
    python -m tests.benchmarks.scale duels         # one of the leagues
    python -m tests.benchmarks.scale duels=50000   # with another number of matches

The leagues are made up, stored as a run stores them, and then read by the real commands, each in a
process of its own. Duels have few distinct results; at tables of four with twenty bots nearly
every match has one of its own, which is the worst there is.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from math import comb
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

from arena.league.plan import LeaguePlan
from arena.league.settings import Settings
from arena.league.writing import make_league
from arena.store.result import MatchResult, PlayedMatch, Record
from arena.store.store import Store
from referee.rules.game import ranked

MEASURES = (
    "arena/stats/covariance.py arena/stats/gaussian.py arena/stats/likelihood.py "
    "arena/stats/links.py arena/stats/outcomes.py arena/stats/propagation.py "
    "arena/stats/ratings.py arena/stats/spreads.py arena/store arena/tables"
)


class Size(NamedTuple):
    """A league to make up."""

    game: str
    seats: int
    bots: int
    matches: int


LEAGUES = {
    "duels": Size("guerra", 2, 20, 1_000_000),
    "tables of six": Size("world_war", 6, 8, 100_000),
    "tables of four": Size("war", 4, 20, 20_000),
}
COMMANDS = (
    ("rank",),
    ("rank", "--by", "seat"),
    ("rank", "--times"),
    ("table",),
    ("table", "--between", "bot 00", "bot 01"),
    ("matches",),
    ("matches", "--bot", "bot 07"),
    ("matches", "--most", "0", "--format", "json"),
)
SPREAD, LUCK, NOISE = 4.0, 3.0, 3.0  # of skills, deals and performances, in mu points
BATCH = 5000  # matches stored at once
RECORD = Record(os.urandom(300), os.urandom(300), 0.01)


MEASURE = """
import os, sys
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)
print(usage.ru_maxrss, file=sys.stderr)
sys.exit(status != 0)
"""
"""Between us and a command, whose memory would else be said to be no less than ours was."""


def make(folder: Path, size: Size, *, store: bool = True) -> LeaguePlan:
    """Make a league, in which all it asks for was played unless nothing is to be stored."""
    deals = round(size.matches / size.seats / comb(size.bots, size.seats))
    settings = Settings(game=size.game, seats=size.seats, seed=1, deals=max(1, deals))
    names = [f"bot {number:02}" for number in range(size.bots)]
    entries = [{"name": name, "shipped": "random"} for name in names]
    league = make_league(folder, settings, {}, {}, entries)
    played = matches(league) if store else iter(())
    with Store(league.database, create=True) as opened:
        opened.settings.keep(league.conditions())
        ids = opened.bots.rows(league.bots)
        while some := list(islice(played, BATCH)):
            opened.add(some, ids, played_at="")
    return league


def matches(league: LeaguePlan) -> Iterator[PlayedMatch]:
    """Yield every match of a league, with places by chance and skill."""
    chance = random.Random(1)
    skills = [chance.gauss(0, SPREAD) for _ in league.bots]
    schedule = league.schedule
    for deal in league.asked.plan():
        luck = [chance.gauss(0, LUCK) for _ in deal.lineup]
        name = schedule.deal_id(deal)
        for rotation in range(schedule.rotation_count):
            bots = schedule.seating(deal, rotation)
            forms = [skills[bot] + dealt + chance.gauss(0, NOISE)
                     for bot, dealt in zip(bots, luck, strict=True)]  # fmt: skip
            result = MatchResult(
                deal=name,
                number=deal.number,
                order=schedule.order(deal),
                rotation=rotation,
                bots=bots,
                places=tuple(ranked([-form for form in forms])),
                reason="made up",
                decisions=50,
                faults=({"late": 1}, *({} for _ in bots[1:]))
                if chance.random() < 0.001
                else tuple({} for _ in bots),
                forfeits=(),
                moves=chance.getrandbits(63),
                clock=str([[25, 2000, 300, 4000] for _ in bots]),
            )
            yield PlayedMatch(result, RECORD, "machine", "none")


def timed(league: LeaguePlan, words: tuple[str, ...]) -> tuple[float, float, str]:
    """Run a command on a league; return its seconds, its MB at most, and its first line."""
    command = (sys.executable, "-m", "arena", words[0], str(league.folder), *words[1:])
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-S", "-c", MEASURE, *command],
        capture_output=True,
        text=True,
        check=True,
    )
    return time.perf_counter() - began, int(done.stderr.split()[-1]) / 1024, done.stdout


def main(words: list[str]) -> None:
    """Make and read the leagues that are named, by default all."""
    rows = []
    for word in words or LEAGUES:
        name, _, matches = word.partition("=")
        size = LEAGUES[name]
        size = size._replace(matches=int(matches or size.matches))
        with tempfile.TemporaryDirectory() as folder:
            league = make(Path(folder) / "league", size)
            megabytes = league.database.stat().st_size / 1e6
            print(f"{name}: {size}, {megabytes:.0f} MB in the database", file=sys.stderr)
            for command in COMMANDS:
                seconds, memory, _ = timed(league, command)
                rows.append((name, size.matches, " ".join(command), seconds, memory))
    headers = ("league", "matches", "arena", "seconds", "MB")
    print(tabulate(rows, headers, floatfmt=("", "", "", ".2f", ".0f"), intfmt=","))


if __name__ == "__main__":
    main(sys.argv[1:])
