"""The plain formats: the round-robin, whole or drawn so that all play as often; the gauntlet."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, combinations_with_replacement, product
from math import comb

import msgspec

from arena.schedule.asked import AskedDeals
from arena.schedule.deal import (
    DEALS_LIMIT,
    LIVE_PROCESSES,
    PAIRS_LIMIT,
    BotIndex,
    Deal,
    first_bots,
    numbered,
)
from arena.schedule.even import even_deals
from arena.schedule.format_kinds import FormatTerms, NoOptions, Plain
from protocol.errors import ArenaError


@dataclass(frozen=True)
class Lineups:
    """The line-ups of so many seats among so many bots; fewer bots than seats have none.

    They are all, or, where there are challengers, those of one of them and others of the field:
    challengers do not meet.
    """

    bots: int
    seats: int
    matches_a_deal: int
    challengers: frozenset[BotIndex] | None = None

    @property
    def count(self) -> int:
        """How many there are."""
        if self.challengers is None:
            return comb(self.bots, self.seats)
        return len(self.challengers) * comb(self.bots - len(self.challengers), self.seats - 1)

    @property
    def are_all(self) -> bool:
        """Whether no line-up of these bots is left out."""
        return self.count == comb(self.bots, self.seats)

    @property
    def all_live(self) -> bool:
        """Whether the processes of all bots can be kept at once."""
        return self.bots * self.matches_a_deal <= LIVE_PROCESSES

    def __iter__(self) -> Iterator[tuple[BotIndex, ...]]:
        """Yield every line-up, in parts that can be played by the processes that are at hand."""
        processes = self.seats * self.matches_a_deal
        if self.challengers is None:
            yield from _grouped(first_bots(self.bots), self.seats, processes)
            return
        field = [bot for bot in first_bots(self.bots) if bot not in self.challengers]
        challengers = sorted(self.challengers)
        for others in _grouped(field, self.seats - 1, processes):
            for challenger in challengers:
                yield tuple(sorted((challenger, *others)))

    def holds(self, lineup: tuple[BotIndex, ...]) -> bool:
        """Return whether a line-up of these bots is among them."""
        return self.challengers is None or len(self.challengers.intersection(lineup)) == 1


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


class GauntletOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The table `[gauntlet]` of a league's file."""

    challengers: list[str] = []
    """Names of bots; if there are none, the first bot of the file is the challenger."""


def _round_robin(terms: FormatTerms, _: NoOptions) -> AskedDeals:
    """Return the deals of all line-ups, or line-ups drawn so that all play as often."""
    if terms.matches_per_bot is None:
        return _of_lineups(terms, None)
    if terms.says_deals or terms.share < 1:
        raise ArenaError("matches_per_bot takes the place of deals and share: take these out.")
    size = len(terms.names), terms.seats, terms.matches_a_deal
    return even_deals(*size, terms.matches_per_bot, terms.chance)


def _gauntlet(terms: FormatTerms, options: GauntletOptions) -> AskedDeals:
    """Return the deals of the line-ups of one challenger each, and of others of the field."""
    if terms.matches_per_bot is not None:
        raise ArenaError(
            "in a gauntlet, challengers play more than the field does: matches_per_bot does not go "
            "with it; use deals."
        )
    names = options.challengers or [terms.first]
    for name in options.challengers:
        if name not in terms.names:
            raise ArenaError(f"there is no bot {name!r} that could be a challenger.")
    challengers = frozenset(index for index, name in numbered(terms.names) if name in names)
    return _of_lineups(terms, challengers)


def _of_lineups(terms: FormatTerms, challengers: frozenset[BotIndex] | None) -> AskedDeals:
    lineups = Lineups(len(terms.names), terms.seats, terms.matches_a_deal, challengers)
    return RoundRobin(lineups, terms.deals, terms.share, terms.is_in_share)


ROUND_ROBIN = Plain(NoOptions, _round_robin)
GAUNTLET = Plain(GauntletOptions, _gauntlet)
