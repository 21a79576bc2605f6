"""Prints how long very many results take to rate: all at once, and match by match.

    python -m tests.benchmarks.fits                # about a minute

The results are made up: mirrored deals of bots of known skill, from random line-ups. Nothing is
read or stored, and making them is not counted; `tests.benchmarks.scale` reads leagues as large.

Ours counts equal deals and fits all at once, errors of the ratings by deal included. The others go
match by match: only so many results are rated, forwards and backwards, and the time of one way is
multiplied. The last column says how far apart the two ways leave a rating; ours is the same to the
last bit in any order. Seconds are of CPU time. Methods take turns, each in a process of its own.
"""

import math
import os
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import mean
from typing import NamedTuple

from tabulate import tabulate
from trueskill import TrueSkill

from arena.stats.outcomes import Result
from arena.stats.ratings import fit
from tests.benchmarks.calibration.faithfulness import (
    Order,
    PlackettLuce,
    by_openskill,
    by_trueskill,
)
from tests.benchmarks.calibration.league import Plan, deal_of

MEASURES = (
    "arena/stats/covariance.py arena/stats/gaussian.py arena/stats/likelihood.py "
    "arena/stats/links.py arena/stats/outcomes.py arena/stats/propagation.py "
    "arena/stats/ratings.py arena/stats/spreads.py"
)
ROUNDS = 2
OURS = "ours, all at once"


class League(NamedTuple):
    """Results to make up, and how many of them are rated match by match."""

    plan: Plan
    matches: int
    part: int


LEAGUES = {
    "two seats": League(Plan(bots=20, deals=0), 1_000_000, 5_000),
    "six seats": League(Plan(bots=8, seats=6, deals=0), 100_000, 1_500),
    **{
        f"{bots} bots": League(Plan(bots=bots, deals=0), 6_000, 6_000)
        for bots in (20, 50, 100, 200, 500)
    },
    **{
        f"a match of {seats}": League(Plan(bots=seats, seats=seats, deals=0, copies=1), 1, 1)
        for seats in (12, 100, 200, 500, 1_000)
    },
}


def by_duels(bots: Sequence[str], results: Sequence[Result]) -> Order:
    """Rate match by match with `rate_1vs1`."""
    env = TrueSkill()
    rated = {bot: env.create_rating() for bot in bots}
    for line_up, places in results:
        winner, loser = line_up if places[0] < places[1] else line_up[::-1]
        rated[winner], rated[loser] = env.rate_1vs1(rated[winner], rated[loser])
    return {bot: rating.mu for bot, rating in rated.items()}


BY_MATCH: dict[str, Callable[[Sequence[str], Sequence[Result]], Order]] = {
    "trueskill.rate": by_trueskill,
    "trueskill.rate_1vs1": by_duels,
    "openskill Plackett-Luce": by_openskill,
}


def deals(league: League, matches: int) -> Iterator[list[Result]]:
    """Make results up, deal by deal."""
    chance = random.Random("fits")
    plan = league.plan
    skills = {f"bot {bot:03}": chance.gauss(0, plan.spread) for bot in range(plan.bots)}
    bots = [*skills]
    for _ in range(matches // (plan.copies or plan.seats)):
        yield [*deal_of(plan, chance.sample(bots, plan.seats), skills, chance)]


class Took(NamedTuple):
    """What a method took: seconds for all results, MB, and how far the order moved a rating."""

    seconds: float
    memory: float
    moved: float


def at_once(league: League) -> Took:
    """Count and fit all results."""
    counts: Counter[tuple[Result, ...]] = Counter()
    spent = 0.0
    for deal in deals(league, league.matches):
        began = time.process_time()
        counts[tuple(sorted(deal))] += 1
        spent += time.process_time() - began
    began = time.process_time()
    fit(counts)
    return Took(spent + time.process_time() - began, _memory(), 0.0)


def by_match(league: League, rate: Callable[[Sequence[str], Sequence[Result]], Order]) -> Took:
    """Rate a part of the results in both orders."""
    results = [result for deal in deals(league, league.part) for result in deal]
    bots = sorted({bot for result in results for bot in result.bots})
    began = time.process_time()
    try:
        forwards, backwards = rate(bots, results), rate(bots, results[::-1])
    except FloatingPointError:  # of the package, where a match has some hundred seats
        return Took(math.nan, _memory(), math.nan)
    seconds = (time.process_time() - began) / 2 * league.matches / len(results)
    moved = max(abs(forwards[bot] - backwards[bot]) for bot in bots)
    return Took(seconds, _memory(), moved)


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_a_process(name: str, method: str) -> Took:
    """Return what a method takes, measured in a process of its own."""
    words = [sys.executable, "-m", "tests.benchmarks.fits", name, method]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # as `arena` has it
    said = subprocess.run(
        words, stdout=subprocess.PIPE, text=True, check=True, env=environment
    ).stdout
    return Took(*map(float, said.split()))


def methods(name: str) -> list[str]:
    """Return the methods that can rate a league."""
    left_out = set()
    if LEAGUES[name].plan.seats > 2:
        left_out.add("trueskill.rate_1vs1")
    if PlackettLuce is None:
        left_out.add("openskill Plackett-Luce")
    return [OURS, *(method for method in BY_MATCH if method not in left_out)]


def main() -> None:
    """Print the table."""
    rows = []
    for name, league in LEAGUES.items():
        found: dict[str, list[Took]] = {}
        for turn in range(ROUNDS):
            print(f"{name}: round {turn + 1} of {ROUNDS}", file=sys.stderr)
            for method in methods(name):
                found.setdefault(method, []).append(in_a_process(name, method))
        ours = mean(each.seconds for each in found[OURS])
        for method, every in found.items():
            seconds, memory, moved = map(mean, zip(*every, strict=True))
            rated = league.matches if method == OURS else league.part
            ratio = seconds / ours
            rows.append((name, league.matches, method, rated, seconds, ratio, memory, moved))
    headers = ("", "results", "method", "rated", "seconds", "x ours", "MB", "moved, mu points")
    floats = ("", "", "", "", ",.2f", ",.1f", ",.0f", ".2f")
    print(tabulate(rows, headers, floatfmt=floats, intfmt=","))
    if PlackettLuce is None:
        print("openskill is not installed: pip install '.[bench]'")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        asked, how = LEAGUES[sys.argv[1]], sys.argv[2]
        print(*(at_once(asked) if how == OURS else by_match(asked, BY_MATCH[how])))
    else:
        main()
