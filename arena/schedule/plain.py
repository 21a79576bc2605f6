"""Line-ups that no result chooses: who played least sits down with those it met least; pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from arena.schedule.deal import Entrant
from arena.schedule.rounds import Lineup
from referee.rules.chance import Chance


class PlainLineups:
    """Deals by how often the bots played and met, which are in order of key; chance breaks ties."""

    def __init__(
        self,
        field: Sequence[Entrant],
        seats: int,
        played: Mapping[Entrant, int],
        met: Mapping[tuple[Entrant, Entrant], int],
        chance: Chance,
        number: int,
    ) -> None:
        self._field = field
        self._seats = seats
        self._played = Counter({bot: played.get(bot, 0) for bot in field})
        self._met = Counter(met)
        self._chance = chance
        self._round = number

    def until_each_has(self, deals: int, most: int) -> list[Lineup]:
        """Return line-ups after which each bot has so many deals, but no more than `most`."""
        lineups: list[Lineup] = []
        while len(lineups) < most and min(self._played.values()) < deals:
            lineups.append(self._next(len(lineups)))
        return lineups

    def with_fewest(self, deals: int, beside: Iterable[Lineup]) -> list[Lineup]:
        """Return so many line-ups for those with the fewest deals, the ones `beside` included."""
        for lineup in beside:
            self._count(lineup)
        return [self._next(number) for number in range(deals)]

    def _next(self, number: int) -> Lineup:
        """Seat whoever has the fewest deals, then those who met the table least; count it."""
        waiting = self._chance.shuffled(self._field, "settled", self._round, "plain", number)
        waiting.sort(key=lambda bot: self._played[bot])
        table = [waiting.pop(0)]
        while len(table) < self._seats:
            bot = min(waiting, key=lambda bot: sum(self._met[_pair(bot, at)] for at in table))
            waiting.remove(bot)
            table.append(bot)
        lineup = tuple(sorted(table, key=lambda bot: bot.key))
        self._count(lineup)
        return lineup

    def _count(self, lineup: Lineup) -> None:
        self._played.update(lineup)
        self._met.update(combinations(lineup, 2))


def _pair(one: Entrant, other: Entrant) -> tuple[Entrant, Entrant]:
    return (one, other) if one.key < other.key else (other, one)
