"""What is seen of a league while it is being played: how far it is, how fast, who moves."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from arena.folders import holder, stamp_of
from arena.league.file import FILE
from arena.league.plan import LeaguePlan
from arena.schedule.asked import AskedDeals
from arena.stats.ratings import Ratings
from arena.store.departures import answers_under_way
from arena.store.opening import has_database, open_store, read_played
from arena.store.store import Store
from arena.store.suspensions import not_playing
from arena.store.tournament import asked_deals
from arena.tables.field import Field
from arena.tables.leaderboard import leaderboard
from arena.tables.sources import asides_of, field_of, remedy_of
from arena.tables.table import Table
from arena.text import safe
from protocol.errors import ArenaError

SHARE = 0.1
"""The part of the time, at most, in which the database is read and bots are rated."""
_WINDOW = 30.0  # seconds over which the pace is taken, and at least so many looks:
_LOOKS = 5
_LEAST_SECONDS = 5.0  # of looking, before a pace is known
_ENOUGH = 20  # matches that show a pace: where fewer came in that time, all looks count
_MOST_LOOKS = 10_000


class UnderWay(NamedTuple):
    """The matches that have begun and are not over."""

    matches: int
    answers: int
    """How many were given in them so far."""


NOTHING = UnderWay(0, 0)
"""What is under way where each match is over soon."""

Rate = Callable[[Field], Ratings]


@dataclass(frozen=True, kw_only=True)
class Sight:
    """A league at one moment."""

    name: str
    """The folder, safe to show."""
    game: str
    asked: int
    """The matches that the league asks for."""
    missing: int
    remedy: str
    """How missing matches are got, in a clause; empty where `arena run` is the way."""
    faults: int
    disqualified: tuple[str, ...] = ()
    """What is to be said of the bots that do not play, safe to show."""
    sandboxes: str = ""
    """What is to be said of the sandboxes of its matches, if anything."""
    under_way: UnderWay | None = NOTHING
    """What is under way in a slow league; None if that cannot be read."""
    run: int | None = None
    """The process that has the league, if one on this machine does."""
    pace: float | None = None
    """Matches a second lately; None if it is not known yet."""
    table: Table | None = None
    """The leaderboard; None before the first match."""
    moved: Mapping[str, int] = field(default_factory=dict)
    """The places that bots went up, or down if less than 0, since the table before this one."""
    new: Mapping[str, int] = field(default_factory=dict)
    """The matches that bots played since the table before this one."""
    fresh: bool = True
    """Whether the table has all that is stored."""
    every: float = 0.0
    """Seconds between two tables, where making one takes so long that they are more than asked."""
    ended: bool = False
    """Whether a run that was seen is over, with or without all that it was asked for."""
    problem: str = ""
    """Why this is not how things stand now, but how they were seen last."""

    @property
    def arriving(self) -> bool:
        """Whether matches arrive though nobody on this machine plays them."""
        return self.run is None and bool(self.pace)

    @property
    def over(self) -> bool:
        """Whether nothing more is to be expected."""
        known = self.fresh and not self.problem
        idle = self.run is None and not self.arriving
        return known and idle and (self.ended or not self.missing)


class Watcher:
    """Looks at a league now and then; it reads only, and takes no lock that a run would miss."""

    def __init__(self, folder: Path, rate: Rate, every: float = 0.0) -> None:
        """Take how bots are rated, and the seconds between looks."""
        self._folder = folder
        self._rate = rate
        self._every = every
        self._window = max(_WINDOW, _LOOKS * every)
        self._state: object = None
        self._league: LeaguePlan | None = None
        self._last: Sight | None = None  # as it was read
        self._count = -1  # of the matches in the table
        self._deals: frozenset[str] = frozenset()  # that a slow league asks for, by their ids
        self._due = 0.0
        self._ran = False
        self._seen: deque[tuple[float, int]] = deque()

    def look(self) -> Sight:
        """Return how things stand.

        What cannot be read, as while a file is being edited, is reported in place of news. Raises
        ArenaError if nothing could be read before, or the league is gone.
        """
        run = holder(self._folder)
        self._ran = self._ran or run is not None
        try:
            return self._look(run)
        except ArenaError as error:
            if self._last is None or not (self._folder / FILE).is_file():
                raise
            self._state = None  # so that all is read again
            return replace(self._last, run=run, problem=safe(str(error)))

    def _look(self, run: int | None) -> Sight:
        league, is_new = self._present(run)
        if not has_database(league):
            self._count, self._due = -1, 0.0
            self._seen.clear()
            asked = asked_deals(league, None)
            self._note_deals(league, asked)
            self._last = Sight(
                name=safe(str(league.folder)),
                game=league.game.name,
                asked=asked.match_count,
                missing=asked.match_count,
                remedy=remedy_of(league),
                faults=0,
                disqualified=tuple(safe(bot.remark) for bot in league.disqualified),
            )
            return replace(self._last, run=run, under_way=self._under_way(league))
        with open_store(league) as store:
            count = store.record_count()
            now = monotonic()
            self._note(now, count)
            due = count != self._count and now >= self._due
            if self._last is None or is_new or self._count < 0 or due:
                self._last = _compared(self._read(league, store, run), self._last)
        more = max(0, count - self._count)  # than are in the table
        return replace(
            self._last,
            missing=max(0, self._last.missing - more),
            under_way=self._under_way(league),
            run=run,
            ended=self._ran and run is None,
            pace=self._pace(),
            fresh=not more,
        )

    def _present(self, run: int | None) -> tuple[LeaguePlan, bool]:
        """Return the league, and whether it was read anew.

        It is if its file has changed, or a run begins or ends: in between, bots whose files are
        edited are still those that play.
        """
        stamp = stamp_of(self._folder / FILE)
        state = None if stamp is None else (run, stamp)  # which is explained where it is read
        if self._league is not None and state is not None and state == self._state:
            return self._league, False
        league = read_played(self._folder)
        self._league, self._state = league, state
        self._seen.clear()
        return league, True

    def _read(self, league: LeaguePlan, store: Store, run: int | None) -> Sight:
        """Read and rate everything, and note how long that took."""
        began = monotonic()
        count = store.record_count()  # first: what is stored meanwhile is read again
        found = field_of(league, store)
        found = replace(found, asides=asides_of(league, store))
        table = leaderboard(found, self._rate(found))
        self._note_deals(league, asked_deals(league, store))
        every = (monotonic() - began) / SHARE
        self._count, self._due = count, began + every
        return Sight(
            name=found.name,
            game=league.game.name,
            asked=found.asked,
            missing=found.missing,
            remedy=remedy_of(league),
            faults=sum(sum(kinds.values()) for kinds in (found.faults or {}).values()),
            disqualified=tuple(safe(why) for _, why in not_playing(league, store)),
            sandboxes=" ".join(found.on("sandboxes").notes),
            table=table,
            every=every if every > self._every else 0.0,
        )

    def _note_deals(self, league: LeaguePlan, asked: AskedDeals) -> None:
        """Note which deals a slow league asks for: others may have been left under way."""
        if league.limits.pace == "slow":
            self._deals = frozenset(map(league.schedule.deal_id, asked.plan()))

    def _under_way(self, league: LeaguePlan) -> UnderWay | None:
        """Return what is under way of what is to be played; None if it cannot be read."""
        if league.limits.pace != "slow":
            return NOTHING
        try:
            answers = answers_under_way(league, self._deals)
        except ArenaError:
            return None
        return UnderWay(len(answers), sum(answers))

    def _note(self, now: float, count: int) -> None:
        if self._seen and count < self._seen[-1][1]:
            self._seen.clear()  # another database is in its place
            self._count = -1
        self._seen.append((now, count))
        while len(self._seen) > 2 and self._seen[1][0] <= now - self._window:
            if count - self._seen[1][1] < _ENOUGH and len(self._seen) < _MOST_LOOKS:
                break
            self._seen.popleft()

    def _pace(self) -> float | None:
        (began, first), (now, last) = self._seen[0], self._seen[-1]
        return (last - first) / (now - began) if now - began >= _LEAST_SECONDS else None


def _compared(sight: Sight, before: Sight | None) -> Sight:
    """Return what is seen, with what has changed since."""
    if sight.table is None or before is None or before.table is None:
        return sight
    old = {row["bot"]: (n, row["matches"]) for n, row in enumerate(before.table.rows)}
    moved, new = {}, {}
    for place, row in enumerate(sight.table.rows):
        bot = row["bot"]
        if bot in old:
            moved[bot] = old[bot][0] - place
            new[bot] = row["matches"] - old[bot][1]
    return replace(sight, moved=moved, new=new)
