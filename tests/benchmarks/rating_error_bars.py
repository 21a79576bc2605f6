"""Prints how wide the ratings' error bars are, beside the error they should show.

Bots of known skill play deals whose luck passes from seat to seat with the rotations; what the
ratings then miss, measured from the pool's mean, is compared with the model's sigma and with the
sigma by deal. Run it with `python -m tests.benchmarks.rating_error_bars` (about a minute).
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from tabulate import tabulate

from arena.stats.likelihood import BETA
from arena.stats.outcomes import Result, deals_of
from arena.stats.ratings import Rating, fit


@dataclass(frozen=True)
class Field:
    """A league to simulate: `luck` is the share of a performance's variance dealt to the seat."""

    name: str
    bots: int
    spread: float
    seats: int
    luck: float
    mirrored: bool
    deals: int
    leagues: int


FIELDS = [
    Field("mirrored deals", 20, 3.0, 2, 0.8, True, 4, 10),
    Field("independent deals", 20, 3.0, 2, 0.8, False, 8, 10),
    Field("mirrored, no luck in the deal", 20, 3.0, 2, 0.0, True, 4, 10),
    Field("mirrored, wide field", 20, 8.33, 2, 0.8, True, 4, 10),
    Field("mirrored, six bots, wide field", 6, 8.33, 2, 0.8, True, 20, 40),
    Field("mirrored, three bots", 3, 3.0, 2, 0.8, True, 50, 80),
    Field("mirrored, two bots", 2, 3.0, 2, 0.8, True, 100, 100),
    Field("four seats, mirrored", 8, 3.0, 4, 0.8, True, 2, 24),
    Field("four seats, independent", 8, 3.0, 4, 0.8, False, 8, 24),
]


def play(
    field: Field, skills: Sequence[float], chance: random.Random
) -> Iterator[tuple[str, Result]]:
    """Yield the results of a league in which every line-up plays the same number of deals."""
    dealt, own = BETA * math.sqrt(field.luck), BETA * math.sqrt(1 - field.luck)
    for line_up in combinations(range(field.bots), field.seats):
        for number in range(field.deals):
            luck = [chance.gauss(0, dealt) for _ in line_up]
            for turn in range(field.seats if field.mirrored else 1):
                forms = {
                    bot: skills[bot] + luck[(seat + turn) % field.seats] + chance.gauss(0, own)
                    for seat, bot in enumerate(line_up)
                }
                order = sorted(line_up, key=forms.__getitem__, reverse=True)
                bots = tuple(f"{bot:02}" for bot in order)
                yield f"{line_up} {number}", Result(bots, tuple(range(1, len(bots) + 1)))


def misses(field: Field) -> Iterator[tuple[float, Rating]]:
    """Yield what every rating of every league misses, with the rating."""
    for league in range(field.leagues):
        chance = random.Random(league)
        skills = [chance.gauss(0, field.spread) for _ in range(field.bots)]
        rated = fit(deals_of(play(field, skills, chance))).bots
        for bot, skill in enumerate(skills):
            rating = rated[f"{bot:02}"]
            yield (rating.mu - 25) - (skill - fmean(skills)), rating


def row(field: Field) -> list[object]:
    """Return the table's row of a field: sigmas in mu points, cover within two of them."""
    found = list(misses(field))
    sigmas = [[rating.sigma for _, rating in found], [rating.sigma_by_deal for _, rating in found]]
    return [
        field.name,
        found[0][1].deals,
        rms([miss for miss, _ in found]),
        *(rms(sigma) for sigma in sigmas),
        *(
            fmean(abs(miss) < 2 * s for (miss, _), s in zip(found, sigma, strict=True))
            for sigma in sigmas
        ),
    ]


def rms(numbers: Sequence[float]) -> float:
    """Return the root of the mean square."""
    return math.sqrt(fmean(number**2 for number in numbers))


if __name__ == "__main__":
    headers = [
        "field",
        "deals a bot",
        "rms error",
        "model sigma",
        "sigma by deal",
        "cover, model",
        "cover, by deal",
    ]
    print(tabulate(map(row, FIELDS), headers, floatfmt=("", "", ".2f", ".2f", ".2f", ".2f", ".2f")))
