"""Which matches of a league are missing: those that it asks for, and that are not stored.

To these come those that replaced versions of bots are to finish.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from arena.league.plan import LeaguePlan
from arena.play.messages import Task
from arena.schedule.asked import AskedDeals
from arena.schedule.deal import BotIndex, Deal, Schedule, numbered
from arena.store.departures import Departures, departures
from arena.store.known import KnownMatches
from arena.store.store import Store
from arena.store.tournament import Tournament, asked_deals
from arena.text import counted


class Part(NamedTuple):
    """One of so many parts of a league's deals, which several machines share out."""

    number: int
    """The number of the part, from 1."""
    of: int

    def holds(self, deal: str) -> bool:
        """Return whether a deal, by its id, is in this part; every deal is in one."""
        return self.of == 1 or int(deal, 16) % self.of == self.number - 1


WHOLE = Part(1, 1)

FIRST_DEALS = 10
"""Deals of each line-up that a new bot plays before anybody else plays, to get its place."""


class Missing:
    """The deals that are asked for, or a part of them, with the rotations that are not stored.

    The first deals of the bots `new`, which have no place in the table yet, come before all others.
    """

    def __init__(
        self,
        asked: AskedDeals,
        schedule: Schedule,
        known: KnownMatches,
        part: Part = WHOLE,
        new: Collection[BotIndex] = (),
        is_mirrored: Callable[[tuple[BotIndex, ...]], bool] = lambda _: True,
    ) -> None:
        self._asked = asked
        self._schedule = schedule
        self._known = known
        self._part = part
        self._is_all = part == WHOLE and not known
        self._is_mirrored = lru_cache(1 << 12)(is_mirrored)  # a line-up plays many deals
        self._new = frozenset(new) if len(new) < len(schedule.entrants) else frozenset()

    def __iter__(self) -> Iterator[Task]:
        return (self._task(deal, absent) for deal, absent in self._lacking())

    def _lacking(self) -> Iterator[tuple[Deal, Sequence[int]]]:
        """Yield the deals of which something is missing, with these rotations."""
        rotations = range(self._schedule.rotation_count)
        for deal in self._in_turn():
            absent = rotations if self._is_all else self._absent(deal, rotations)
            if absent:
                yield deal, absent

    def _in_turn(self) -> Iterator[Deal]:
        """Yield every deal, the first ones of new bots before the others."""
        if not self._new:
            yield from self._asked.plan()
            return
        yield from (deal for deal in self._asked.plan(FIRST_DEALS) if self._is_first(deal))
        yield from (deal for deal in self._asked.plan() if not self._is_first(deal))

    def _is_first(self, deal: Deal) -> bool:
        return deal.number < FIRST_DEALS and not self._new.isdisjoint(deal.lineup)

    def _absent(self, deal: Deal, rotations: range) -> list[int]:
        name = self._schedule.deal_id(deal)
        return self._known.lacking(name, rotations) if self._part.holds(name) else []

    def _task(self, deal: Deal, absent: Sequence[int]) -> Task:
        """Return what is to be played of a deal; one that has begun goes on as it began."""
        begun = None
        if len(absent) < self._schedule.rotation_count:
            begun = self._known.begun_mirrored(self._schedule.deal_id(deal))
        is_mirrored = self._is_mirrored(deal.lineup) if begun is None else begun
        order = self._schedule.order(Deal(deal.lineup, deal.number, is_mirrored))
        rotations = absent if order is None else [each for each in order if each in absent]
        return Task(deal.lineup, deal.number, tuple(rotations), is_mirrored)

    def count(self) -> tuple[int, int]:
        """Return how many deals they are, and how many matches."""
        deals = matches = 0
        for _, absent in self._lacking():
            deals += 1
            matches += len(absent)
        return deals, matches


def count_missing(league: LeaguePlan, store: Store, part: Part = WHOLE) -> tuple[int, int]:
    """Return how many deals of a league, or of a part of it, are missing, and how many matches."""
    return count_of(league, asked_deals(league, store), store, part)


def count_of(league: LeaguePlan, asked: AskedDeals, store: Store, part: Part) -> tuple[int, int]:
    """Return how many of the deals that a league asks for are missing, and how many matches.

    Where all are asked for, the stored ones are counted and not the others, which may be a hundred
    times as many: a server counts whenever a bot is accepted.
    """
    rotations = league.rotation_count
    if part != WHOLE or not asked.complete_below:
        return Missing(asked, league.schedule, store.known.matches(rotations), part).count()
    deals, matches = store.known.count(league.entrants, asked.complete_below, rotations)
    return asked.deal_count - deals, asked.match_count - matches


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
