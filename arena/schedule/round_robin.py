"""Every line-up plays as many deals, or a share of them: whatever the results are."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from arena.schedule.deal import DEALS_LIMIT, PAIRS_LIMIT, BotIndex, Deal
from arena.schedule.lineups import Lineups
from protocol.errors import ArenaError

_ROUND = 10  # deals of each line-up in a round, at most


@dataclass(frozen=True)
class RoundRobin:
    """The deals of a league in which every line-up plays `deals` deals.

    Raises ArenaError if they are too many. Which of them are in the share is said by `is_in_share`,
    which is not asked where all are.
    """

    lineups: Lineups
    deals: int
    share: float = 1.0
    is_in_share: Callable[[tuple[BotIndex, ...], int, float], bool] = lambda *_: True

    def __post_init__(self) -> None:
        pairs = self.lineups.count * self.deals
        if pairs > PAIRS_LIMIT or pairs * self.share > DEALS_LIMIT:
            raise ArenaError(
                f"{self.lineups.bots} bots at {self.lineups.seats} seats with {self.deals} deals "
                f"make {pairs:,} deals. A share can be chosen among at most {PAIRS_LIMIT:,}, and "
                f"at most {DEALS_LIMIT:,} can be played: ask for fewer deals or bots, or a smaller "
                f"share."
            )

    @property
    def complete_below(self) -> int:
        """The number below which every deal of every line-up is asked for."""
        return self.deals if self.share >= 1 and self.lineups.are_all else 0

    def plan(self, most: int | None = None) -> Iterator[Deal]:
        """Yield every deal, in rounds of all line-ups; line-ups of the same bots in a row.

        With `most`, only the first so many deals of each line-up.
        """
        for numbers in self._rounds(self.deals if most is None else min(most, self.deals)):
            for lineup in self.lineups:
                for number in numbers:
                    if self._is_in_share(lineup, number):
                        yield Deal(lineup, number)

    def _rounds(self, deals: int) -> Iterator[range]:
        """Yield the numbers of the deals that each line-up plays in a row.

        Whenever a run is interrupted, all are to have played about as much. Where the bots'
        processes do not all live at once, rounds grow, as each starts them anew.
        """
        first = 0
        while first < deals:
            size = 1 if self.lineups.all_live else min(first + 1, _ROUND)
            yield range(first, min(first + size, deals))
            first += size

    def asks_for(self, deal: Deal) -> bool:
        """Return whether a deal is in the plan."""
        return (
            deal.number < self.deals
            and self.lineups.holds(deal.lineup)
            and self._is_in_share(deal.lineup, deal.number)
        )

    def _is_in_share(self, lineup: tuple[BotIndex, ...], number: int) -> bool:
        return self.share >= 1 or self.is_in_share(lineup, number, self.share)

    @cached_property
    def deal_count(self) -> int:
        """How many deals the plan holds."""
        if self.share >= 1:
            return self.lineups.count * self.deals
        return sum(1 for _ in self.plan())

    @property
    def match_count(self) -> int:
        """How many matches the plan holds."""
        return self.deal_count * self.lineups.matches_a_deal
