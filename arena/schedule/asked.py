"""What a league asks for, whatever its format: the one form in which everybody sees it."""

from collections.abc import Iterator
from typing import Protocol

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
