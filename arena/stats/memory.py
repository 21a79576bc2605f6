"""Whether bots do better when they meet cards again, judged by the order that was drawn; pure.

The rotations of a mirrored deal are played in an order that is drawn apart from all that bots see.
So a bot that keeps nothing from one match to the next has, of each deal, as good a chance to do
better in the last rotation than in the first as the other way round, whatever the game, its skill
and the others do: exchanging the two is as likely a draw. The sign of last minus first is betted on
in the order of the deals, as `sequential` does, so that one may look as often as one likes.

It says that a bot does better in later rotations, not that it cheats: one that learns within a
deal's matches does so too. Two bots that remember can hide each other, as what one gains in the
last rotation the other loses.
"""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from arena.stats.outcomes import Result

RATE = 0.01
"""The chance that any bot of a table is named, if none remembers anything."""
_STAKES = (0.2, 0.5, 0.8, 0.95)
"""Parts of the capital that are staked on each deal that was better in one of the two: a quarter of
the capital is played by each."""


class Later(NamedTuple):
    """How a bot did in the last rotations of deals, beside the first ones."""

    better: int = 0
    worse: int = 0
    most: float = 0.0
    """The logarithm of the most that the capital has been by betting on better; it was 1."""

    def after(self, lead: float) -> "Later":
        """Return it after one more deal, by how much more the last rotation brought."""
        better, worse = self.better + (lead > 0), self.worse + (lead < 0)
        won = [better * math.log1p(each) + worse * math.log1p(-each) for each in _STAKES]
        top = max(won)
        mean = math.fsum(math.exp(each - top) for each in won) / len(won)
        return Later(better, worse, max(self.most, top + math.log(mean)))


def leads(first: Result, last: Result) -> dict[str, int]:
    """Return how much better each bot did in the last of two matches than in the first.

    It is the number of bots that it came before less those that came before it.
    """
    before, after = _scores(first), _scores(last)
    return {bot: after[bot] - before[bot] for bot in after}


def _scores(result: Result) -> dict[str, int]:
    places = result.places
    return {
        bot: sum((other > place) - (other < place) for other in places)
        for bot, place in zip(result.bots, places, strict=True)
    }


def remembering(deals: Iterable[Mapping[str, float]]) -> dict[str, Later]:
    """Return the bots that do better in last rotations than chance gives, if there are any.

    `deals` are in the order of their numbers; each says of its bots, as `leads` does, how much
    better they did in the last rotation than in the first.
    """
    found: dict[str, Later] = {}
    for deal in deals:
        for bot, lead in deal.items():
            found[bot] = found.get(bot, Later()).after(lead)
    least = math.log(max(1, len(found)) / RATE)
    return {bot: later for bot, later in sorted(found.items()) if later.most >= least}
