"""Line-ups that no result chooses: all are to play as often, and to meet as often; pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, permutations
from typing import TypeVar

from arena.schedule.asked import ListedDeals
from arena.schedule.deal import DEALS_LIMIT, BotIndex, Deal, Entrant, first_bots
from arena.schedule.rounds import Lineup
from protocol.errors import ArenaError
from referee.rules.chance import Chance

_Bot = TypeVar("_Bot")
_LOOKS = 60  # bots that are thought of for a seat


def even_deals(
    bots: int, seats: int, matches_a_deal: int, matches_a_bot: int, chance: Callable[[], Chance]
) -> ListedDeals:
    """Return deals of which every bot plays as many, to within one.

    Line-ups are drawn by `chance`, which is asked for when they are. Raises ArenaError if they are
    too many.
    """
    count = bots * (matches_a_bot // matches_a_deal) // seats if bots >= seats else 0
    if count > DEALS_LIMIT:
        raise ArenaError(
            f"{bots} bots with {matches_a_bot} matches each make {count:,} deals; at most "
            f"{DEALS_LIMIT:,} can be played."
        )

    @cache
    def drawn() -> list[Deal]:
        played: Counter[tuple[BotIndex, ...]] = Counter()
        deals = []
        for lineup in islice(_lineups(bots, seats, chance()), count):
            deals.append(Deal(lineup, played[lineup]))
            played[lineup] += 1
        return deals

    return ListedDeals(drawn, lambda: count, matches_a_deal)


def _lineups(bots: int, seats: int, chance: Chance) -> Iterator[tuple[BotIndex, ...]]:
    """Yield line-ups without end.

    Bots play in rounds of all bots: each sits down once before any does again. Whoever has met the
    others at a table least often is seated next, so that after a round robin's worth of rounds
    all have met about as often.
    """
    met: Counter[tuple[BotIndex, BotIndex]] = Counter()
    waiting: list[BotIndex] = []
    rounds = 0
    while True:
        table: list[BotIndex] = []
        while len(table) < seats:
            if not waiting:
                waiting = chance.shuffled(first_bots(bots), f"even {rounds}")
                waiting.sort(key=lambda bot: bot in table)  # who sits here comes later
                rounds += 1
            free = [bot for bot in waiting[:_LOOKS] if bot not in table]
            waiting.remove(_seated(free, table, met))
        met.update(permutations(table, 2))
        yield tuple(sorted(table))


class PlainLineups:
    """Deals by how often the bots played and met; chance breaks ties.

    `met` has each two in both orders.
    """

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
        table: list[Entrant] = []
        while len(table) < self._seats:
            waiting.remove(_seated(waiting, table, self._met))
        lineup = tuple(sorted(table, key=lambda bot: bot.key))
        self._count(lineup)
        return lineup

    def _count(self, lineup: Lineup) -> None:
        self._played.update(lineup)
        self._met.update(permutations(lineup, 2))


def _seated(waiting: Iterable[_Bot], table: list[_Bot], met: Counter[tuple[_Bot, _Bot]]) -> _Bot:
    """Seat the first of those who wait that met a table least often, and return it."""
    bot = min(waiting, key=lambda bot: sum(met[bot, other] for other in table))
    table.append(bot)
    return bot
