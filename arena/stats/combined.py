"""One rating for several leagues; pure."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from arena.stats.elo import Anchor, Elo, elo_lead
from arena.stats.likelihood import MEAN
from arena.stats.ratings import EXACT, SEPARATED, Ratings


@dataclass(frozen=True, slots=True)
class Combined:
    """One bot over all leagues."""

    group: int
    """The number of the group of bots that are linked by matches in every league."""
    ranks: tuple[int, int]
    """The first and the last rank among the group's bots this one is not separated from."""
    bot: str
    mu: float
    error: float
    """The standard deviation of `mu`."""
    ratings: Sequence[float]
    """What it was rated in each league, measured from the mean of the group."""


def combined(leagues: Sequence[Ratings]) -> list[Combined]:
    """Return the bots that are rated in every league, best first, group by group.

    A bot's rating is the mean of its ratings in the leagues, which all count alike, each measured
    from the mean of the bots that are compared; the errors of leagues are independent.
    """
    together: defaultdict[tuple[int, ...], list[str]] = defaultdict(list)
    for bot in sorted(
        set.intersection(*({bot for group in each.groups for bot in group} for each in leagues))
    ):
        together[tuple(_group(ratings, bot) for ratings in leagues)].append(bot)
    groups = sorted(
        (group for group in together.values() if len(group) > 1), key=lambda g: (-len(g), g)
    )
    return [row for number, group in enumerate(groups, 1) for row in _rows(number, group, leagues)]


def combined_elo(
    rows: Sequence[Combined], leagues: Sequence[Ratings], anchor: Anchor
) -> Mapping[str, Elo]:
    """Return the strengths of the bots of the anchor's group, which is one of the rows' bots.

    A lead is the mean of the leads in the leagues, whose errors are independent; draws are as
    likely as in the mean of them.
    """
    bot, points = anchor
    own = next(row for row in rows if row.bot == bot)
    draws = fmean(each.draw_probability for each in leagues)
    found = {}
    for row in rows:
        if row.group == own.group:
            errors = (0.0 if row is own else each.error_between(row.bot, bot) for each in leagues)
            lead = elo_lead(row.mu - own.mu, math.hypot(*errors) / len(leagues), draws)
            found[row.bot] = Elo(points + lead.points, lead.error)
    return found


def _group(ratings: Ratings, bot: str) -> int:
    return next(number for number, group in enumerate(ratings.groups) if bot in group)


def _rows(number: int, group: Sequence[str], leagues: Sequence[Ratings]) -> list[Combined]:
    levels = [fmean(ratings.bots[bot].mu for bot in group) for ratings in leagues]
    found = {
        bot: [
            ratings.bots[bot].mu - level + MEAN
            for ratings, level in zip(leagues, levels, strict=True)
        ]
        for bot in group
    }
    mu = {bot: fmean(own) for bot, own in found.items()}

    def separated(better: str, worse: str) -> bool:
        error = math.hypot(*(each.error_of_lead(better, worse) for each in leagues)) / len(leagues)
        return mu[better] - mu[worse] > SEPARATED * error

    return [
        Combined(
            group=number,
            ranks=(
                1 + sum(separated(other, bot) for other in group if other != bot),
                len(group) - sum(separated(bot, other) for other in group if other != bot),
            ),
            bot=bot,
            mu=mu[bot],
            error=math.hypot(*(each.error_among(bot, group) for each in leagues)) / len(leagues),
            ratings=found[bot],
        )
        for bot in sorted(group, key=lambda bot: (-round(mu[bot], EXACT), bot))
    ]
