"""The round robin: every line-up plays as many deals, or a share of them; results do not matter."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, combinations_with_replacement, product
from math import comb

from arena.schedule.deal import LIVE_PROCESSES, PAIRS_LIMIT, BotIndex, Deal, first_bots
from protocol.errors import ArenaError

DEALS_LIMIT = 2_000_000
"""The most pairs of a line-up and a deal that a league may play."""

_ROUND = 10  # deals of each line-up in a round, at most


@dataclass(frozen=True)
class RoundRobin:
    """The deals of a league in which every line-up of `seats` bots plays `deals` deals.

    Raises ArenaError if they are too many. Which of them are in the share is said by `is_in_share`,
    which is not asked where all are.
    """

    bots: int
    """Fewer than `seats` play nothing."""
    seats: int
    deals: int
    matches_a_deal: int
    share: float = 1.0
    is_in_share: Callable[[tuple[BotIndex, ...], int, float], bool] = lambda *_: True

    def __post_init__(self) -> None:
        pairs = comb(self.bots, self.seats) * self.deals
        if pairs > PAIRS_LIMIT or pairs * self.share > DEALS_LIMIT:
            raise ArenaError(
                f"{self.bots} bots at {self.seats} seats with {self.deals} deals make "
                f"{pairs:,} deals. A share can be chosen among at most "
                f"{PAIRS_LIMIT:,}, and at most {DEALS_LIMIT:,} can be played: ask for fewer deals "
                f"or bots, or a smaller share."
            )

    @property
    def complete_below(self) -> int:
        """The number below which every deal of every line-up is asked for."""
        return self.deals if self.share >= 1 else 0

    def plan(self, most: int | None = None) -> Iterator[Deal]:
        """Yield every deal, in rounds of all line-ups; line-ups of the same bots in a row.

        With `most`, only the first so many deals of each line-up.
        """
        for numbers in self._rounds(self.deals if most is None else min(most, self.deals)):
            for lineup in self._lineups():
                for number in numbers:
                    if self._is_asked(lineup, number):
                        yield Deal(lineup, number)

    def _rounds(self, deals: int) -> Iterator[range]:
        """Yield the numbers of the deals that each line-up plays in a row.

        Whenever a run is interrupted, all are to have played about as much. Where the bots'
        processes do not all live at once, rounds grow, as each starts them anew.
        """
        first, all_live = 0, self.bots * self.matches_a_deal <= LIVE_PROCESSES
        while first < deals:
            size = 1 if all_live else min(first + 1, _ROUND)
            yield range(first, min(first + size, deals))
            first += size

    def _lineups(self) -> Iterator[tuple[BotIndex, ...]]:
        """Yield every line-up, in parts that can be played by the processes that are at hand."""
        entrants = first_bots(self.bots)
        size = max(1, LIVE_PROCESSES // (self.seats * self.matches_a_deal))
        if size == 1:  # and hardly any choice of groups is one of different bots
            yield from combinations(entrants, self.seats)
            return
        groups = [entrants[first : first + size] for first in range(0, len(entrants), size)]
        for chosen in combinations_with_replacement(groups, self.seats):
            parts = (combinations(group, many) for group, many in Counter(chosen).items())
            for each in product(*parts):
                yield tuple(chain.from_iterable(each))

    def asks_for(self, deal: Deal) -> bool:
        """Return whether a deal is in the plan."""
        return deal.number < self.deals and self._is_asked(deal.lineup, deal.number)

    def _is_asked(self, lineup: tuple[BotIndex, ...], number: int) -> bool:
        return self.share >= 1 or self.is_in_share(lineup, number, self.share)

    @cached_property
    def deal_count(self) -> int:
        """How many deals the plan holds."""
        if self.share >= 1:
            return comb(self.bots, self.seats) * self.deals
        return sum(1 for _ in self.plan())

    @property
    def match_count(self) -> int:
        """How many matches the plan holds."""
        return self.deal_count * self.matches_a_deal
