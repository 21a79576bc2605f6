"""Whether the bar of a bot's new version is true, and how wide, linked to the old one and not."""

import random
from collections.abc import Callable, Mapping
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from arena.stats.links import Succession
from arena.stats.outcomes import Result
from arena.stats.ratings import Ratings, fit
from tests.arena.stats.deals import deals_of
from tests.benchmarks.calibration.coverage import AIM
from tests.benchmarks.calibration.figures import Line, mean_of, root_mean_square
from tests.benchmarks.calibration.league import Plan, deal_of

TITLE = "A bot's new version, linked to the one before and from nothing"
HEADERS = (
    *("steps", "others", "deals", "cover", "cover, nothing", "±", "± nothing", "off"),
    *("off, nothing", "step"),
)
NOTE = """\
cover: how often the true skill of the newest version lies within two errors (aim: 0.93 to 0.97); ±:
two errors, the mean; off: the root mean square of what the rating misses; step: the standard
deviation that is fitted. In mu points. others: other changes of version in the league's history."""

BOTS = 6
OLD_DEALS = 12
"""Of each two bots, before a version changes."""

Step = Callable[[random.Random], float]


def _normal(chance: random.Random) -> float:
    return chance.gauss(0, 2)


def _small(chance: random.Random) -> float:
    return chance.gauss(0, 0.5)


def _uphill(chance: random.Random) -> float:
    """Return a step of mean 1.2: mostly next to nothing, sometimes much better."""
    return chance.gauss(3, 2) if chance.random() < 0.4 else chance.gauss(0, 0.5)


def _broken(chance: random.Random) -> float:
    """Return a step that is small, but in one of eight the version is ruined, by 6."""
    return -6.0 if chance.random() < 0.125 else chance.gauss(0.5, 1)


def _wide(chance: random.Random) -> float:
    return chance.gauss(0, 6)


STEPS: Mapping[str, Step] = {
    "normal, 2": _normal,
    "normal, 0.5": _small,
    "uphill": _uphill,
    "one in 8 ruined": _broken,
    "normal, 6": _wide,
}


class Row(NamedTuple):
    """So many leagues in which versions of bots take such steps."""

    name: str
    changes: int
    """Of version, before the last one."""
    deals: int
    """Of the newest version."""
    leagues: int


def rows() -> list[Row]:
    """Return every kind of step, after few and after many other changes."""
    return [
        *(Row(name, changes, 20, leagues) for name in STEPS
          for changes, leagues in ((0, 300), (5, 200), (15, 100))),
        *(Row("uphill", 5, deals, 200) for deals in (5, 10, 40)),
    ]  # fmt: skip


class _League:
    """Bots whose versions change in turn, and what each version played against the others."""

    def __init__(self, row: Row, seed: str) -> None:
        self._chance = random.Random(seed)
        self._step = STEPS[row.name]
        self.skills: dict[str, float] = {}
        self.links: list[Succession] = []
        self.matches: list[tuple[str, Result]] = []
        self._plan = Plan(bots=BOTS, deals=1)
        self._now = [f"{bot}.0" for bot in range(BOTS)]
        for bot in self._now:
            self.skills[bot] = self._chance.gauss(0, 3)
        for one, two in combinations(self._now, 2):
            self._play(one, two, OLD_DEALS)
        for change in range(row.changes):
            self._change(1 + change % (BOTS - 1), 5 * OLD_DEALS)
        self.newest = self._change(0, row.deals)

    def _change(self, bot: int, deals: int) -> str:
        """Replace a bot's version, and play."""
        before = self._now[bot]
        after = f"{bot}.{int(before.partition('.')[2]) + 1}"
        self.skills[after] = self.skills[before] + self._step(self._chance)
        self.links.append(Succession(before, after))
        self._now[bot] = after
        for other in self._now:
            if other != after:
                self._play(after, other, deals // (BOTS - 1))
        return after

    def _play(self, one: str, two: str, deals: int) -> None:
        for deal in range(deals):
            for result in deal_of(self._plan, (one, two), self.skills, self._chance):
                self.matches.append((f"{one} {two} {deal}", result))


def measured(row: Row) -> Line:
    """Simulate a row's leagues, and hold the newest version's rating against the truth."""
    linked, alone, steps = [], [], []
    for number in range(row.leagues):
        league = _League(row, f"{row.name} {row.changes} {row.deals} {number}")
        deals = deals_of(league.matches)
        ratings = fit(deals, links=league.links)
        linked.append(_held(ratings, league))
        alone.append(_held(fit(deals), league))
        assert ratings.step is not None
        steps.append(ratings.step)
    covers = [
        mean_of([float(abs(miss) <= 2 * error) for miss, error in each]) for each in (linked, alone)
    ]
    widths = [2 * fmean(error for _, error in each) for each in (linked, alone)]
    faults = []
    low, high = AIM
    if not low - 2 * covers[0].error <= covers[0].value <= high + 2 * covers[0].error:
        faults.append(f"cover {covers[0]}")
    if widths[0] >= widths[1]:
        faults.append("the bar is no narrower")
    return Line(
        (
            *(row.name, row.changes, row.deals),
            *covers,
            *(f"{width:.2f}" for width in widths),
            *(f"{root_mean_square(miss for miss, _ in each):.2f}" for each in (linked, alone)),
            f"{fmean(steps):.2f}",
        ),
        faults,
    )


def _held(ratings: Ratings, league: _League) -> tuple[float, float]:
    """Return what the newest version's rating misses, from the mean of all, and its error."""
    rating = ratings.bots[league.newest]
    true = league.skills[league.newest] - fmean(league.skills.values())
    return rating.mu - fmean(each.mu for each in ratings.bots.values()) - true, rating.error
