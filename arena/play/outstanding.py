"""What a league asks for and lacks: its own deals, and those that replaced versions finish."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from arena.league.plan import LeaguePlan
from arena.play.messages import Task
from arena.play.missing import FIRST_DEALS, Missing, Part, count_of
from arena.schedule.deal import numbered
from arena.store.departures import Departures, departures
from arena.store.store import Store
from arena.store.tournament import Tournament
from arena.text import counted


class Outstanding(NamedTuple):
    """What a league asks for and its store lacks."""

    tournament: Tournament | None
    """If the league goes by results."""
    asked: int
    """How many matches the league asks for."""
    tasks: Iterable[Task]
    deals: int
    """How many deals are missing; of a league that goes by results, or will be at the most."""
    matches: int
    """How many matches are missing."""
    departures: Departures
    """What of them versions are to finish that were replaced."""


def outstanding(league: LeaguePlan, store: Store, part: Part) -> Outstanding:
    """Return what is missing of a part; a league that goes by results draws its round first."""
    placed = store.known.placed(league.rotation_count, FIRST_DEALS)
    new = [index for index, bot in numbered(league.bots) if (bot.key, bot.version) not in placed]
    tournament = Tournament(league, store) if league.goes_by_results else None
    if tournament is not None:
        tournament.catch_up()
    asked = league.asked if tournament is None else tournament.asked
    drawn = asked if tournament is None else tournament.drawn
    known = store.known.matches(league.rotation_count)
    tasks = Missing(drawn, league.schedule, known, part, new, league.is_mirrored)
    deals, matches = count_of(league, asked, store, part)
    if tournament is not None:  # later rounds may have more deals than are missing now
        deals = max(deals, asked.deal_count)
    found = departures(league, known.has) if league.limits.pace == "slow" else Departures()
    more = len(found.matches)
    to_finish = [*_to_finish(league, found)]
    return Outstanding(
        tournament=tournament,
        asked=asked.match_count + more,
        tasks=chain(to_finish, tasks),
        deals=deals + more,
        matches=matches + more,
        departures=found,
    )


def _to_finish(league: LeaguePlan, found: Departures) -> Iterator[Task]:
    """Yield what replaced versions are to finish, deal by deal."""
    schedule = with_departures(league, found).schedule
    deals = defaultdict(list)
    for deal, rotation in found.matches.values():
        deals[deal].append(rotation)
    for deal, rotations in deals.items():
        order = schedule.order(deal) or sorted(rotations)
        left = tuple(rotation for rotation in order if rotation in rotations)
        yield Task(deal.lineup, deal.number, left, deal.is_mirrored)


def with_departures(league: LeaguePlan, found: Departures) -> LeaguePlan:
    """Return a league with the replaced versions after its own bots."""
    return replace(league, bots=(*league.bots, *found.bots)) if found.bots else league


def of_departures(league: LeaguePlan, found: Departures) -> Iterator[str]:
    """Yield what is to be said of matches that had begun when a bot of them was replaced."""
    if count := len(found.matches):
        names = ", ".join(sorted({league.names[bot.key] for bot in found.bots}))
        what = counted(count, "match is", "matches are")
        yield f"{what} left of deals that had begun before {names} had another version."
    if count := len(found.lost):
        what = counted(count, "match is over", "matches are over")
        yield (
            f"{what} that had begun, and nothing of it is stored: a bot was taken out, or has lost "
            f"its round by another version, or its files are others now."
        )
