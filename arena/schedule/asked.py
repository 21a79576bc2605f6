"""What a league asks for, whatever its format: the one form in which everybody sees it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import ClassVar, Protocol

from arena.schedule.deal import Deal


class AskedDeals(Protocol):
    """The deals that a league asks for."""

    @property
    def deal_count(self) -> int:
        """How many deals they are."""

    @property
    def match_count(self) -> int:
        """How many matches they have."""

    @property
    def complete_below(self) -> int:
        """The number below which every deal of every line-up is asked for; 0 if there is none."""

    def plan(self, most: int | None = None) -> Iterator[Deal]:
        """Yield every deal in the order of play, line-ups of the same bots in a row.

        With `most`, only the first so many deals of each line-up.
        """

    def asks_for(self, deal: Deal) -> bool:
        """Return whether a deal is among them."""


@dataclass(frozen=True)
class ListedDeals:
    """Deals one by one, in the order of play."""

    deals: Callable[[], Iterable[Deal]]
    count: Callable[[], int]
    """Returns how many they are, which may take a while to be known."""
    matches_a_deal: int
    complete_below: ClassVar[int] = 0

    @cached_property
    def deal_count(self) -> int:
        """How many deals they are."""
        return self.count()

    @property
    def match_count(self) -> int:
        """How many matches they have."""
        return self.deal_count * self.matches_a_deal

    def plan(self, most: int | None = None) -> Iterator[Deal]:
        """Yield them in the order of play; with `most`, those below that number."""
        return (deal for deal in self.deals() if most is None or deal.number < most)

    def asks_for(self, deal: Deal) -> bool:
        """Return whether a deal is among them."""
        return deal in self._known

    @cached_property
    def _known(self) -> frozenset[Deal]:
        return frozenset(self.deals())


def first_deals(whole: AskedDeals, matches: int, matches_a_deal: int) -> AskedDeals:
    """Return the first deals of a plan, that make at most so many matches."""
    if whole.complete_below and whole.match_count <= matches:
        return whole
    most = matches // matches_a_deal
    return ListedDeals(
        lambda: islice(whole.plan(), most), lambda: min(most, whole.deal_count), matches_a_deal
    )
