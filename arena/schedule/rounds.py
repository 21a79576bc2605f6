"""Formats that choose by results: what they are told, and what they answer, round by round; pure.

A tournament is a list of rounds. A format looks at all rounds so far, each with the results of its
deals, and says which line-ups play next, or that it has ended. It sees nothing else: no clock, no
order in which matches came in. So the same results give the same rounds, whoever played them where.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from arena.schedule.deal import DEALS_LIMIT, Entrant
from protocol.errors import ArenaError
from referee.rules.chance import Chance, Key

_T = TypeVar("_T")
Lineup: TypeAlias = tuple[Entrant, ...]
"""Bots that sit down together, in order of their keys."""
Places: TypeAlias = tuple[int, ...]
"""The places of a line-up's bots in one match, 1 for the best; bots that tie share one."""

_DRAWN_FROM = 2**62  # numbers that bots draw; no two of a league will draw the same


class RoundDeal(NamedTuple):
    """A deal of a round, and what was played in it."""

    lineup: Lineup
    number: int
    """Which deal of this line-up it is, counted from 0 over all rounds."""
    matches: tuple[Places, ...] | None
    """The places in each rotation; None if it does not count, as one of its bots was out."""

    def shares(self) -> tuple[Fraction, ...]:
        """Return each bot's mean share of the others beaten, half for those tied with.

        It is asked only of a deal that counts.
        """
        assert self.matches is not None
        return tuple(
            Fraction(
                sum(
                    2 * (places[at] < other) + (places[at] == other)
                    for places in self.matches
                    for seat, other in enumerate(places)
                    if seat != at
                ),
                2 * (len(self.lineup) - 1) * len(self.matches),
            )
            for at in range(len(self.lineup))
        )


@dataclass(frozen=True)
class RoundTerms:
    """What a league's file asked of its format when a round was drawn; that may change later."""

    deals: int
    """How many deals a line-up of the round plays."""
    options: Any
    """The format's options, of its own type."""


@dataclass(frozen=True)
class Round:
    """One round that is over."""

    terms: RoundTerms
    field: tuple[Entrant, ...]
    """Who could play when it was drawn, in the order of the league's file."""
    deals: tuple[RoundDeal, ...]
    out: frozenset[Entrant] = frozenset()
    """Who was suspended, or left, before its deals were played: none of its deals here counts."""


@dataclass(frozen=True)
class Over:
    """Nothing more is to be played."""

    why: str
    """What was asked and what is known, in a sentence."""


class StandingsGrid(NamedTuple):
    """A table of the standings."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]


@dataclass(frozen=True)
class Standings:
    """How a tournament stands, in the form that its format is used to."""

    grids: tuple[StandingsGrid, ...]
    drawing: tuple[str, ...] = ()
    """Lines of text that show it as a picture, such as a bracket."""
    notes: tuple[str, ...] = ()
    """What is to be said of it, in sentences."""
    ranks: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The first and the last rank of each bot, where the format itself tells bots apart."""


def repeated(lineups: Iterable[tuple[_T, int]]) -> list[_T]:
    """Return line-ups, each as often as it has deals; raise ArenaError for too many."""
    wanted = [*lineups]
    check_size(sum(deals for _, deals in wanted))
    return [lineup for lineup, deals in wanted for _ in range(deals)]


def check_size(deals: int) -> None:
    """Raise ArenaError if a round has too many deals."""
    if deals > DEALS_LIMIT:
        raise ArenaError(
            f"a round would have {deals:,} deals; at most {DEALS_LIMIT:,} can be played: ask for "
            f"fewer deals."
        )


def drawn(chance: Chance, keys: Iterable[str], *event: Key) -> list[str]:
    """Return bots in an order that is drawn.

    Each draws a number by its key, so a bot more or less leaves the others in their order.
    """
    return sorted(keys, key=lambda key: (chance.below(_DRAWN_FROM, *event, key), key))


class RoundFormat(Protocol):
    """One format. `field` is who can play now, in the order of the league's file."""

    def next_round(
        self, past: Sequence[Round], field: Sequence[Entrant], terms: RoundTerms
    ) -> Sequence[Lineup] | Over:
        """Return the line-ups of the next round, one for each deal, in the order of play."""

    def standings(
        self,
        past: Sequence[Round],
        field: Sequence[Entrant],
        terms: RoundTerms,
        name: Callable[[Entrant], str],
    ) -> Standings:
        """Return how it stands after the rounds that are over."""


@dataclass(frozen=True)
class Frame:
    """What of a league stays the same for all its rounds."""

    seats: int
    matches_a_deal: int
    key: Callable[[], str]
    """Returns what all chance of the league comes from, which takes a while to be made."""

    @cached_property
    def chance(self) -> Chance:
        """What is drawn by; an event is named by the format, the round and what is drawn."""
        return Chance(self.key())
