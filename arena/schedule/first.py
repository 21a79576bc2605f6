"""The first deals of what is asked for, as many as make so many matches."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from arena.schedule.asked import AskedDeals
from arena.schedule.deal import Deal


@dataclass(frozen=True)
class First:
    """The first deals of a plan, that make at most so many matches."""

    whole: AskedDeals
    matches: int
    matches_a_deal: int

    @cached_property
    def deal_count(self) -> int:
        """How many deals they are."""
        return min(self.whole.deal_count, self.matches // self.matches_a_deal)

    @property
    def match_count(self) -> int:
        """How many matches they have."""
        return self.deal_count * self.matches_a_deal

    @property
    def complete_below(self) -> int:
        """The number below which every deal of every line-up is asked for."""
        return self.whole.complete_below if self.deal_count == self.whole.deal_count else 0

    def plan(self, most: int | None = None) -> Iterator[Deal]:
        """Yield them in the order of play; with `most`, those below that number."""
        deals = islice(self.whole.plan(), self.deal_count)
        return (deal for deal in deals if most is None or deal.number < most)

    def asks_for(self, deal: Deal) -> bool:
        """Return whether a deal is among them."""
        return deal in self._deals

    @cached_property
    def _deals(self) -> frozenset[Deal]:
        return frozenset(self.plan())
