"""The two kinds of formats, and what each says of itself.

What a plain format asks for depends on no result: it is all known at once. A format of rounds goes
by results, and says what is played next when a round is over.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from arena.schedule.asked import AskedDeals, first_deals
from arena.schedule.deal import BotIndex
from arena.schedule.rounds import Frame, RoundFormat
from protocol.errors import ArenaError
from referee.rules.chance import Chance


@dataclass(frozen=True, kw_only=True)
class FormatTerms:
    """What a format must know of a league."""

    names: tuple[str, ...]
    """The bots by their present names, in the order of the league's entrants."""
    first: str
    """The bot that stands first in the league's file; empty if there is none."""
    seats: int
    matches_a_deal: int
    deals: int
    """How many each line-up plays."""
    says_deals: bool
    """Whether the file says how many."""
    share: float
    is_in_share: Callable[[tuple[BotIndex, ...], int, float], bool]
    matches: int | None
    """How many are played at most."""
    matches_per_bot: int | None
    chance: Callable[[], Chance]
    """What is drawn by, whatever is; it takes a while to be made."""


class NoOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a format that has none."""


@dataclass(frozen=True)
class Plain:
    """A format whose deals are all known at once."""

    options: type[msgspec.Struct]
    """The type of its table in a league's file."""
    choose: Callable[[FormatTerms, Any], AskedDeals]
    deals_are: str = "for each line-up of bots, in all rotations of the seats"
    """What `deals` in a league's file are, as a remark there."""

    def asked(self, terms: FormatTerms, options: msgspec.Struct) -> AskedDeals:
        """Return the deals that a league asks for; raise ArenaError for what cannot be meant."""
        _check_extent(terms)
        asked = self.choose(terms, options)
        if terms.matches is None:
            return asked
        return first_deals(asked, terms.matches, terms.matches_a_deal)


@dataclass(frozen=True)
class InRounds:
    """A format that goes by results."""

    options: type[msgspec.Struct]
    check_options: Callable[[Any, int], None]
    """Raises ArenaError for options that cannot be meant with so many seats."""
    make: Callable[[Frame], RoundFormat]
    deals_are: str
    """What `deals` in a league's file are, as a remark there."""
    by_key: Callable[[Any, Mapping[str, str]], Any] = lambda options, _: options
    """Returns options that name bots with their keys in place of their present names."""
    finishes: bool = False
    """Whether a version that is replaced finishes what it has begun; else it has lost it."""

    def check(self, name: str, terms: FormatTerms, options: msgspec.Struct) -> None:
        """Raise ArenaError for settings that do not go with a format of rounds."""
        _check_extent(terms)
        self.check_options(options, terms.seats)
        for key, is_set in (
            ("share", terms.share < 1),
            ("matches_per_bot", terms.matches_per_bot is not None),
        ):
            if is_set:
                raise ArenaError(
                    f"{key} does not go with tournament = {name!r}, where results say who plays "
                    f"next: take it out."
                )


def _check_extent(terms: FormatTerms) -> None:
    for key, most in (("matches", terms.matches), ("matches_per_bot", terms.matches_per_bot)):
        if most is not None and most < terms.matches_a_deal:
            raise ArenaError(
                f"{key} = {most} is less than the {terms.matches_a_deal} matches of a deal: "
                f"nothing would be played."
            )
