"""Which bots sit down together: line-ups in an order in which their processes are at hand."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, combinations_with_replacement, product
from math import comb

from arena.schedule.deal import LIVE_PROCESSES, BotIndex, first_bots


@dataclass(frozen=True)
class Lineups:
    """All line-ups of so many seats among so many bots; fewer bots than seats have none."""

    bots: int
    seats: int
    matches_a_deal: int

    @property
    def count(self) -> int:
        """How many there are."""
        return comb(self.bots, self.seats)

    @property
    def are_all(self) -> bool:
        """Whether no line-up of these bots is left out."""
        return True

    @property
    def all_live(self) -> bool:
        """Whether the processes of all bots can be kept at once."""
        return self.bots * self.matches_a_deal <= LIVE_PROCESSES

    def __iter__(self) -> Iterator[tuple[BotIndex, ...]]:
        """Yield every line-up, in parts that can be played by the processes that are at hand."""
        return _grouped(first_bots(self.bots), self.seats, self.seats * self.matches_a_deal)

    def holds(self, _lineup: tuple[BotIndex, ...]) -> bool:
        """Return whether a line-up of these bots is among them."""
        return True


@dataclass(frozen=True)
class GauntletLineups(Lineups):
    """The line-ups of one challenger and of others of the field; challengers do not meet."""

    challengers: frozenset[BotIndex]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.challengers) * comb(self.bots - len(self.challengers), self.seats - 1)

    @property
    def are_all(self) -> bool:
        """Whether no line-up of these bots is left out."""
        return self.count == comb(self.bots, self.seats)

    def __iter__(self) -> Iterator[tuple[BotIndex, ...]]:
        """Yield every line-up, in parts that can be played by the processes that are at hand."""
        field = [bot for bot in first_bots(self.bots) if bot not in self.challengers]
        others = _grouped(field, self.seats - 1, self.seats * self.matches_a_deal)
        challengers = sorted(self.challengers)
        for those in others:
            for challenger in challengers:
                yield tuple(sorted((challenger, *those)))

    def holds(self, lineup: tuple[BotIndex, ...]) -> bool:
        """Return whether a line-up of these bots is among them."""
        return len(self.challengers.intersection(lineup)) == 1


def _grouped(
    bots: Sequence[BotIndex], seats: int, processes: int
) -> Iterator[tuple[BotIndex, ...]]:
    """Yield every combination of bots, those of the same few bots in a row.

    So many processes are at work for one of them.
    """
    size = max(1, LIVE_PROCESSES // processes)
    if size == 1:  # and hardly any choice of groups is one of different bots
        yield from combinations(bots, seats)
        return
    groups = [tuple(bots[first : first + size]) for first in range(0, len(bots), size)]
    for chosen in combinations_with_replacement(groups, seats):
        parts = (combinations(group, many) for group, many in Counter(chosen).items())
        for each in product(*parts):
            yield tuple(chain.from_iterable(each))
