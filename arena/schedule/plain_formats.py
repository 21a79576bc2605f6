"""The plain formats: the round-robin, whole or drawn so that all play as often; the gauntlet."""

import msgspec

from arena.schedule.asked import AskedDeals
from arena.schedule.deal import BotIndex
from arena.schedule.even import Even
from arena.schedule.format_kinds import FormatTerms, NoOptions, Plain
from arena.schedule.lineups import GauntletLineups, Lineups
from arena.schedule.round_robin import RoundRobin
from protocol.errors import ArenaError


class GauntletOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The table `[gauntlet]` of a league's file."""

    challengers: list[str] = []
    """Names of bots; if there are none, the first bot of the file is the challenger."""


def _round_robin(terms: FormatTerms, _: NoOptions) -> AskedDeals:
    """Return the deals of all line-ups, or line-ups drawn so that all play as often."""
    if terms.matches_per_bot is None:
        return _of_lineups(terms, Lineups(len(terms.names), terms.seats, terms.matches_a_deal))
    if terms.says_deals or terms.share < 1:
        raise ArenaError("matches_per_bot takes the place of deals and share: take these out.")
    return Even(
        bots=len(terms.names),
        seats=terms.seats,
        matches_a_deal=terms.matches_a_deal,
        matches_a_bot=terms.matches_per_bot,
        chance=terms.chance,
    )


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
    challengers = frozenset(
        BotIndex(index) for index, name in enumerate(terms.names) if name in names
    )
    size = len(terms.names), terms.seats, terms.matches_a_deal
    return _of_lineups(terms, GauntletLineups(*size, challengers))


def _of_lineups(terms: FormatTerms, lineups: Lineups) -> AskedDeals:
    return RoundRobin(lineups, terms.deals, terms.share, terms.is_in_share)


ROUND_ROBIN = Plain(NoOptions, _round_robin)
GAUNTLET = Plain(GauntletOptions, _gauntlet)
