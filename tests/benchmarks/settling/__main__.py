"""Simulate leagues of bots of known skill, played until the question is answered.

    python -m tests.benchmarks.settling                   # all rows, 60 leagues each: half an hour
    python -m tests.benchmarks.settling --leagues 200     # with so many
    python -m tests.benchmarks.settling --rows 1 4        # some of them, by number
    python -m tests.benchmarks.settling --close --leagues 400   # close calls alone: half an hour
    python -m tests.benchmarks.settling --plain 0 --first-deals 4   # with other options

The same leagues are played as a round-robin, in which all line-ups come equally often in an order
of chance; it is looked at as often, and stops by the same rule. Every table is Markdown.
"""

import argparse
import math
import sys
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import partial
from multiprocessing import Pool
from statistics import fmean, geometric_mean, median
from typing import NamedTuple

import msgspec
from tabulate import tabulate

from arena.schedule.settled import SettledOptions
from tests.benchmarks.settling.league import Course, Plan, round_robin_course, settled_course

MEASURES = (
    "arena/schedule/settled.py arena/schedule/worth.py arena/stats/covariance.py "
    "arena/stats/gaussian.py arena/stats/likelihood.py arena/stats/links.py "
    "arena/stats/outcomes.py arena/stats/propagation.py arena/stats/ratings.py "
    "arena/stats/spreads.py"
)
RIGHT = 0.95
"""The share of leagues that are to be right."""
CLOSE, WIDE = 3.0, 8.33
"""Standard deviations of skills, in mu points."""
LONGER = 2
"""A round-robin is played on for so many times its deals to see when it would be sure."""


class Row(NamedTuple):
    """A row of the table."""

    goal: str
    plan: Plan

    @property
    def name(self) -> str:
        plan = self.plan
        words = [f"{plan.bots} bots", self.goal, f"spread {plan.spread:g}"]
        words += [f"{plan.seats} seats", f"luck {plan.luck:g}"]
        words += [f"cycles {plan.cycles:g}"] * (plan.cycles > 0)
        return ", ".join(words)


def _row(goal: str, bots: int, spread: float, seats: int, luck: float, cycles: float = 0) -> Row:
    return Row(goal, Plan(bots=bots, spread=spread, seats=seats, luck=luck, cycles=cycles))


ROWS = [
    _row("best", 12, CLOSE, 2, 0.8),
    _row("best", 20, WIDE, 2, 0.8),
    _row("best", 40, WIDE, 2, 0.8),
    _row("best", 20, CLOSE, 2, 0.8, 1.5),
    _row("top 5", 20, WIDE, 2, 0.8),
    _row("order", 12, CLOSE, 2, 0.8),
    _row("order", 20, WIDE, 2, 0.8),
    _row("best", 20, CLOSE, 4, 0.8),
    _row("top 5", 20, CLOSE, 4, 0.8),
    _row("order", 12, WIDE, 4, 0.8),
]

CLOSE_CALLS = {4: 200, 8: 60, 20: 20, 40: 8}
"""Bots, one of which is ahead of equals by just so much that it is an error to name another; and
the deals of a line-up at the limit."""
AHEAD = 0.75
"""Mu points."""

HEADERS = (
    *("", "leagues", "settled: until sure", "round-robin", "times fewer"),
    *("settled: right in 95 %", "round-robin", "times fewer"),
    *(
        "answered",
        "wrong",
        "cover",
        "round-robin",
        "of leader",
        "round-robin",
        "too high",
        "round-robin",
        "rounds",
    ),
)
NOTE = """\
until sure: the median of matches until the format ends. right in 95 %: matches after which the
likeliest answer is right in 95 % of leagues, whether it is sure or not. answered: the share that
ends with an answer, not at the limit; of these, wrong is the share whose answer is wrong. cover: in
the end, the share of pairs of bots whose true difference lies within two errors; of leader: that
of its pairs. too high: by how many of its errors the leader's lead over the mean of the others is
rated above the true one."""


def until_right(courses: Sequence[Course]) -> float:
    """Return the matches from which on the answer is right in 95 % of leagues; or infinity."""
    looked = [[look.matches for look in course.looks] for course in courses]
    found = math.inf
    for matches in sorted({each for some in looked for each in some}, reverse=True):
        right = sum(
            at > 0 and course.looks[at - 1].right
            for course, some in zip(courses, looked, strict=True)
            if (at := bisect_right(some, matches)) >= 0
        )
        if right < RIGHT * len(courses):
            break
        found = matches
    return found


class Measured(NamedTuple):
    """A line of the table, and how many times fewer matches were played."""

    cells: tuple[object, ...]
    sure: float
    right: float


def measured(row: Row, leagues: int, options: SettledOptions, jobs: int) -> Measured:
    """Play a row's leagues."""
    options = msgspec.structs.replace(options, goal=row.goal)
    seeds = [f"{row.name} {number}" for number in range(leagues)]
    ours = _all(partial(settled_course, row.plan, options=options), seeds, jobs)
    answered = [course for course in ours if course.answered]
    wrong = sum(not course.last.right for course in answered)
    sure, right = median(course.last.matches for course in ours), until_right(ours)
    round_robin = partial(round_robin_course, row.plan, options=options, longer=LONGER)
    theirs = _all(round_robin, seeds, jobs)
    their_sure, their_right = median(c.last.matches for c in theirs), until_right(theirs)
    sure_ratio = their_sure / sure
    right_ratio = their_right / right if math.isfinite(right) else math.nan
    most = "" if sum(c.answered for c in theirs) > len(theirs) / 2 else "> "
    cells = [f"{most}{their_sure:,.0f}", f"{most}{sure_ratio:.1f}"]
    cells += [f"{their_right:,.0f}", f"{right_ratio:.1f}"]
    return Measured(
        (
            *(row.name, leagues, f"{sure:,.0f}", cells[0], cells[1]),
            *(f"{right:,.0f}", cells[2], cells[3]),
            f"{len(answered) / leagues:.2f}",
            f"{wrong}/{len(answered)}",
            f"{fmean(course.cover for course in ours):.3f}",
            f"{fmean(course.cover for course in theirs):.3f}",
            f"{fmean(course.leader for course in ours):.3f}",
            f"{fmean(course.leader for course in theirs):.3f}",
            f"{fmean(course.ahead for course in ours):+.2f}",
            f"{fmean(course.ahead for course in theirs):+.2f}",
            f"{fmean(len(course.looks) for course in ours):.0f}",
        ),
        sure_ratio,
        right_ratio,
    )


def _all(play: "partial[Course]", seeds: Sequence[str], jobs: int) -> list[Course]:
    if jobs == 1:
        return [play(seed) for seed in seeds]
    with Pool(jobs) as pool:
        return pool.map(play, seeds, chunksize=1)


def print_table(rows: Mapping[int, Row], leagues: int, options: SettledOptions, jobs: int) -> None:
    """Print some rows, and the means of their kinds."""
    found = []
    for number, row in rows.items():
        found.append((row, measured(row, leagues, options, jobs)))
        print(number, *found[-1][1].cells, sep=" | ", file=sys.stderr, flush=True)
    lines = [each.cells for _, each in found]
    print(f"\nplain {options.plain:g}, first_deals {options.first_deals}, apart {options.apart}\n")
    print(tabulate(lines, HEADERS, tablefmt="github", disable_numparse=True), "\n")
    means = []
    for seats in (2, 4):
        for goal in ("best", "top 5", "order"):
            own = [each for row, each in found if (row.plan.seats, row.goal) == (seats, goal)]
            if own:
                right = [each.right for each in own if 0 < each.right < math.inf]
                means.append(
                    (
                        f"{goal}, {seats} seats",
                        len(own),
                        f"{geometric_mean(each.sure for each in own):.1f}",
                        f"{geometric_mean(right):.1f}" if right else "-",
                        f"{min(each.sure for each in own):.1f}",
                        f"{min(right):.1f}" if right else "-",
                    )
                )
    if means:
        headers = "times fewer", "rows", "until sure", "right in 95 %", "least", "least"
        print(tabulate(means, headers, tablefmt="github", disable_numparse=True))
    print(f"\n{NOTE}")


def print_close(leagues: int, options: SettledOptions, jobs: int) -> None:
    """Print how often answers are wrong where that is easiest."""
    for bots, deals in CLOSE_CALLS.items():
        plan = Plan(bots=bots, spread=0, ahead=AHEAD, luck=0.0, deals=deals)
        seeds = [f"close {bots} {number}" for number in range(leagues)]
        courses = _all(partial(settled_course, plan, options=options), seeds, jobs)
        answered = [course for course in courses if course.answered]
        wrong = sum(not course.last.right for course in answered)
        print(f"{bots} bots: {wrong} of {len(answered)} answers wrong, in {leagues} leagues")


def main(words: Sequence[str]) -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.settling",
        description=(__doc__ or "").partition("\n")[0],
    )
    usual = SettledOptions()
    parser.add_argument("--leagues", type=int, default=60)
    parser.add_argument("--rows", type=int, nargs="*", default=[*range(1, len(ROWS) + 1)])
    parser.add_argument("--plain", type=float, default=usual.plain)
    parser.add_argument("--first-deals", type=int, default=usual.first_deals)
    parser.add_argument("--confidence", type=float, default=usual.confidence)
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--close", action="store_true", help="close calls alone")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    asked = parser.parse_args(words)
    rows = {number: ROWS[number - 1] for number in asked.rows}
    options = SettledOptions(
        plain=asked.plain,
        first_deals=asked.first_deals,
        confidence=asked.confidence,
        apart=asked.apart,
    )
    if asked.close:
        print_close(asked.leagues, options, asked.jobs)
    else:
        print_table(rows, asked.leagues, options, asked.jobs)


if __name__ == "__main__":
    main(sys.argv[1:])
