"""The formats of leagues, by name: who plays whom. A new one is a module and a line here.

There are two kinds. What a plain format asks for depends on no result: it is all known at once. A
format of rounds goes by results, and says what is played next when a round is over.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from arena.schedule.asked import AskedDeals
from arena.schedule.bracket_options import check_bracket
from arena.schedule.deal import BotIndex
from arena.schedule.double_elimination import (
    DoubleElimination,
    DoubleEliminationOptions,
    check_double_elimination,
)
from arena.schedule.even import Even
from arena.schedule.first import First
from arena.schedule.knockout import Knockout, KnockoutOptions
from arena.schedule.lineups import GauntletLineups, Lineups
from arena.schedule.round_robin import RoundRobin
from arena.schedule.rounds import Frame, RoundFormat
from arena.schedule.settled import Settled, SettledOptions, check_settled, settled_by_key
from arena.schedule.swiss import Swiss, SwissOptions, check_swiss
from protocol.errors import ArenaError
from referee.chance import Chance

FormatName = Literal[
    "round-robin", "gauntlet", "swiss", "knockout", "double-elimination", "settled"
]


@dataclass(frozen=True, kw_only=True)
class FormatTerms:
    """What a format must know of a league."""

    names: tuple[str, ...]
    """The bots by their present names, in the order of the league's entrants."""
    first: str
    """The bot that stands first in the league's file; empty if there is none."""
    seats: int
    matches_a_deal: int
    deals: int | None
    """How many each line-up plays; None if the file does not say."""
    share: float
    is_in_share: Callable[[tuple[BotIndex, ...], int, float], bool]
    matches: int | None
    """How many are played at most."""
    matches_per_bot: int | None
    chance: Callable[[], Chance]
    """What is drawn by, whatever is; it takes a while to be made."""


class NoOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a format that has none."""


class GauntletOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The table `[gauntlet]` of a league's file."""

    challengers: list[str] = []
    """Names of bots; if there are none, the first bot of the file is the challenger."""


def round_robin(terms: FormatTerms, _: NoOptions) -> AskedDeals:
    """Return the deals of all line-ups, or line-ups drawn so that all play as often."""
    if terms.matches_per_bot is None:
        return _of_lineups(terms, Lineups(len(terms.names), terms.seats, terms.matches_a_deal))
    if terms.deals is not None or terms.share < 1:
        raise ArenaError("matches_per_bot takes the place of deals and share: take these out.")
    return Even(
        bots=len(terms.names),
        seats=terms.seats,
        matches_a_deal=terms.matches_a_deal,
        matches_a_bot=terms.matches_per_bot,
        chance=terms.chance,
    )


def gauntlet(terms: FormatTerms, options: GauntletOptions) -> AskedDeals:
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
    challengers = frozenset(
        BotIndex(index) for index, name in enumerate(terms.names) if name in names
    )
    size = len(terms.names), terms.seats, terms.matches_a_deal
    return _of_lineups(terms, GauntletLineups(*size, challengers))


def _of_lineups(terms: FormatTerms, lineups: Lineups) -> AskedDeals:
    return RoundRobin(
        lineups, DEALS if terms.deals is None else terms.deals, terms.share, terms.is_in_share
    )


DEALS = 50
"""The deals of each line-up, where the file of a league of a plain format does not say."""


@dataclass(frozen=True)
class Plain:
    """A format whose deals are all known at once."""

    options: type[msgspec.Struct]
    """The type of its table in a league's file."""
    choose: Callable[[FormatTerms, Any], AskedDeals]
    deals: int = DEALS
    deals_are: str = "for each line-up of bots, in all rotations of the seats"
    """What `deals` in a league's file are, as a remark there."""

    def asked(self, terms: FormatTerms, options: msgspec.Struct) -> AskedDeals:
        """Return the deals that a league asks for; raise ArenaError for what cannot be meant."""
        _check_extent(terms)
        asked = self.choose(terms, options)
        if terms.matches is None:
            return asked
        return First(asked, terms.matches, terms.matches_a_deal)


@dataclass(frozen=True)
class InRounds:
    """A format that goes by results."""

    options: type[msgspec.Struct]
    check_options: Callable[[Any, int], None]
    """Raises ArenaError for options that cannot be meant with so many seats."""
    make: Callable[[Frame], RoundFormat]
    deals: int
    """The deals of a line-up, where a league's file does not say."""
    deals_are: str
    by_key: Callable[[Any, Mapping[str, str]], Any] = lambda options, _: options
    """Returns options that name bots with their keys in place of their present names."""

    def check(self, name: FormatName, terms: FormatTerms, options: msgspec.Struct) -> None:
        """Raise ArenaError for settings that do not go with a format of rounds."""
        _check_extent(terms)
        self.check_options(options, terms.seats)
        for key, is_set in (
            ("share", terms.share < 1),
            ("matches_per_bot", terms.matches_per_bot is not None),
        ):
            if is_set:
                raise ArenaError(
                    f"{key} does not go with format = {name!r}, where results say who plays "
                    f"next: take it out."
                )


FORMATS: Mapping[FormatName, Plain | InRounds] = {
    "round-robin": Plain(NoOptions, round_robin),
    "gauntlet": Plain(GauntletOptions, gauntlet),
    "swiss": InRounds(SwissOptions, check_swiss, Swiss, 10, "for each table of a round"),
    "knockout": InRounds(KnockoutOptions, check_bracket, Knockout, 10, "for each tie"),
    "double-elimination": InRounds(
        DoubleEliminationOptions, check_double_elimination, DoubleElimination, 10, "for each tie"
    ),
    "settled": InRounds(
        SettledOptions,
        check_settled,
        Settled,
        DEALS,
        "no more than a round-robin of so many deals would have",
        settled_by_key,
    ),
}


def _check_extent(terms: FormatTerms) -> None:
    for key, most in (("matches", terms.matches), ("matches_per_bot", terms.matches_per_bot)):
        if most is not None and most < terms.matches_a_deal:
            raise ArenaError(
                f"{key} = {most} is less than the {terms.matches_a_deal} matches of a deal: "
                f"nothing would be played."
            )
