"""Who plays whom in a round of a Swiss tournament, and who has the bye; by matching."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

from arena.schedule.matching import cheapest_pairs, exchanged
from arena.schedule.rounds import drawn
from arena.schedule.swiss_scores import SwissScores
from referee.rules.chance import Chance

Table: TypeAlias = tuple[str, ...]

GRAIN = 240
"""Parts of a point that scores are told apart by."""


def matched_pairs(
    scores: SwissScores, field: Sequence[str], chance: Chance, number: int
) -> list[tuple[str, str]]:
    """Return the pairs of a round; in an odd field one bot has the bye.

    What comes first counts infinitely more than what follows: the bye goes to one of those who
    had the fewest; no two meet again, as far as there are such pairs; the bye goes to the lowest;
    the squares of the differences in points are small; the rest is drawn. All of it is one
    maximum-weight matching: Sauer, Cseh and Lenzner, "Improving ranking quality and fairness in
    Swiss-system chess tournaments", arXiv 2112.10522.
    """
    order: list[str | None] = [*drawn(chance, field, "swiss", number)]
    if len(order) % 2:
        order.append(None)  # who is paired with it has the bye
    score = {key: scores.by_bot[key] for key in field}
    grains = {key: _grains(each.points) for key, each in score.items()}
    byes = {key: (each.count("bye"), each.count("walkover")) for key, each in score.items()}
    ladder = {found: at for at, found in enumerate(sorted(set(grains.values())))}
    fewest = {found: at for at, found in enumerate(sorted(set(byes.values())))}
    pairs = len(order) // 2
    spread = max(grains.values()) - min(grains.values())
    differences = pairs * spread**2 + 1
    repeats = pairs * max(scores.met.values(), default=0) ** 2 + 1

    def cost(one: str | None, other: str | None) -> int:
        if one is None or other is None:
            key = one or other or ""
            bye = fewest[byes[key]] * repeats * len(ladder) + ladder[grains[key]]
            return bye * differences
        again = scores.met[one, other] ** 2 * len(ladder) * differences
        return int(again + (grains[one] - grains[other]) ** 2)

    found = cheapest_pairs(order, cost)
    return [(one, other) for one, other in found if one is not None and other is not None]


def balanced_tables(
    scores: SwissScores, field: Sequence[str], seats: int, chance: Chance, number: int
) -> list[Table]:
    """Return the tables of a round: neighbours in points sit together, who met rather not.

    Two who met count like two with a point between them. Those who are left over, the lowest of
    those who sat out least often, sit out.
    """
    order = drawn(chance, field, "swiss", number)
    grains = {key: _grains(scores.by_bot[key].points) for key in field}
    byes = {key: scores.by_bot[key].count("bye") for key in field}
    waiting = sorted(order, key=lambda key: (byes[key], grains[key]))[: len(order) % seats]
    playing = sorted((key for key in order if key not in waiting), key=lambda key: -grains[key])

    def cost(table: Sequence[str]) -> int:
        return sum(
            (grains[one] - grains[other]) ** 2 + (GRAIN * scores.met[one, other]) ** 2
            for one, other in combinations(table, 2)
        )

    return exchanged([playing[at : at + seats] for at in range(0, len(playing), seats)], cost)


def _grains(points: Fraction) -> int:
    return int(points * GRAIN)
