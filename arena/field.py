"""A field of bots and what they played: all that a table is made of."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from arena.league import League, read_league
from arena.schedule import Deal
from arena.stats.outcomes import Deals, Result, deals_of, results_of
from arena.store import Store, StoredMatch
from referee.game import Game


@dataclass(frozen=True, kw_only=True)
class Field:
    """The bots of one league or results file, and the deals they played whole."""

    name: str
    """The league's folder or the file, as it was named."""
    bots: tuple[str, ...]
    """In order of name, also those that have played nothing."""
    deals: Deals
    game: type[Game] | None = None
    """None for a file, which does not say."""
    missing: int = 0
    """The matches that the league asks for and nobody has played."""
    faults: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """How many of each kind, by bot."""
    forfeits: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def results(self) -> Counter[Result]:
        """How many matches had each result."""
        return results_of(self.deals)

    @property
    def duels(self) -> bool:
        """Whether every match had two seats."""
        return all(len(result.bots) == 2 for result in self.results)

    @property
    def matches(self) -> int:
        """How many matches the deals have."""
        return self.results.total()

    @property
    def deal_count(self) -> int:
        """How many deals there are."""
        return sum(self.deals.values())


def read_field(path: Path) -> Field:
    """Return the field of a league; raise ArenaError if there is nothing to read."""
    league = read_league(path)
    with Store(league.database) as store:
        return field_of(league, store)


def field_of(league: League, store: Store) -> Field:
    """Return the field of the league's present bots, with their whole deals.

    Other versions of them, and bots that have left, do not count. The deal is the unit of
    statistics: half a deal would favour whoever sat better.
    """
    present = {(bot.name, bot.version) for bot in league.bots}
    stored = [
        match
        for match in store.matches()
        if all((bot.name, bot.version) in present for bot in match.bots)
    ]
    whole = _whole_deals(league, stored)
    return Field(
        name=str(league.folder),
        game=league.game,
        bots=tuple(bot.name for bot in league.bots),
        deals=deals_of(
            (match.deal, Result(tuple(bot.name for bot in match.bots), match.places))
            for match in whole
        ),
        missing=_missing(league, stored),
        faults=_faults(whole),
        forfeits=Counter(match.bots[seat].name for match in whole for seat in match.forfeits),
    )


def _whole_deals(league: League, matches: Iterable[StoredMatch]) -> list[StoredMatch]:
    deals: dict[str, list[StoredMatch]] = defaultdict(list)
    for match in matches:
        deals[match.deal].append(match)
    whole = league.schedule.rotation_count
    return [match for deal in deals.values() if len(deal) == whole for match in deal]


def _missing(league: League, matches: Iterable[StoredMatch]) -> int:
    """Return how many matches the league asks for beyond these of its present bots."""
    schedule = league.schedule
    entrants = {bot.name: number for number, bot in enumerate(league.bots)}
    wanted = sum(
        schedule.asks_for(
            Deal(tuple(sorted(entrants[bot.name] for bot in match.bots)), match.number)
        )
        for match in matches
    )
    return schedule.deal_count() * schedule.rotation_count - wanted


def _faults(matches: Iterable[StoredMatch]) -> dict[str, Counter[str]]:
    faults: dict[str, Counter[str]] = defaultdict(Counter)
    for match in matches:
        for bot, kinds in zip(match.bots, match.faults, strict=True):
            faults[bot.name].update(kinds)
    return faults
