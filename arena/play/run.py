"""One run over a league: find what is missing, play it, store it."""

import datetime
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Self

from arena.folders import locked
from arena.league.bot import Bot
from arena.league.plan import LeaguePlan
from arena.play.building import build_all
from arena.play.events import Problem, RoundBegan, RunEvent, Stored, Suspended
from arena.play.messages import News, Results, Setup
from arena.play.missing import (
    WHOLE,
    Missing,
    Outstanding,
    of_departures,
    outstanding,
    with_departures,
)
from arena.play.quiet import timing
from arena.play.runner import Runner
from arena.play.staffing import RunTerms, Staff, remotes_of, setup_of, staff_of
from arena.schedule.deal import BotIndex
from arena.store.opening import open_store, remember
from arena.store.rounds import Drawn
from arena.store.store import Store
from arena.store.timing import Timing
from arena.store.unchanged import check_code, check_unchanged
from arena.store.under_way import SLOW_FILE, MatchesUnderWay, under_way
from arena.store.versions import changed, left, likely_renamed, unknown_keys
from referee.catalog.identity import code_of

_ELSEWHERE = "plays from its author's machine, and only in a league that is served: `arena serve`"
_PART_IS_PLAYED = (
    "Round {}: this part of it is played. The next one is drawn when all of it is here: import "
    "what the other parts export, then run again."
)


class Run:
    """What a league asks for and the store lacks; `play` gets it.

    Args:
        league: which the store belongs to.
        store: open for writing.
        todo: what is missing.
        setup: what workers are told.
        staff: who plays; `staffed` starts them.
        terms: how it is played.
        remarks: what is to be said of how the bots were built.

    """

    def __init__(
        self,
        league: LeaguePlan,
        store: Store,
        todo: Outstanding,
        setup: Setup,
        staff: Staff,
        terms: RunTerms,
        remarks: Sequence[str],
    ) -> None:
        self.bots = (*league.bots, *todo.departures.bots)
        """Those whose matches are stored, by the numbers in them: the league's, and versions that
        were replaced and finish what they had begun."""
        self.asked = todo.asked
        """How many matches the league asked for when the run was opened."""
        self.missing = todo.matches
        """How many matches are missing now."""
        self.workers = staff.at_once
        """How many matches are played at once, if that is known beforehand."""
        self.processes = staff.processes
        """How many of bots each worker keeps, where memory suffices."""
        self.hints = [
            *unknown_keys(league, store),
            *likely_renamed(league, store),
            *changed(league, store),
            *left(league, store),
            *remarks,
        ]
        """What to say and ask about the bots, in sentences."""
        self._tournament = tournament = todo.tournament
        if tournament is not None and tournament.upcoming is None and not todo.matches:
            self.hints.append(_PART_IS_PLAYED.format(tournament.number))
        self._league = league
        self._store = store
        self._setup = setup
        self._part = terms.part
        self._is_slow = league.limits.pace == "slow"
        self._departures = todo.departures
        finishing = of_departures(league, todo.departures)
        self._drawn: list[RunEvent] = []  # that were not told yet
        if self.missing:
            self._drawn += map(News, finishing)
        else:
            self.hints += finishing
        self._signatures = [bot.signature() for bot in self.bots]
        self._under_way: MatchesUnderWay | None = None
        self._timing: Timing | None = None  # of this machine, where it plays
        more = None if tournament is None else self._next_round
        begun = [match for match, answers in under_way(league.folder).items() if answers]
        self._runner = Runner(
            setup,
            todo.tasks,
            staff.force,
            more,
            terms.connected,
            begun,
            is_closed=terms.is_closed,
        )

    @contextmanager
    def staffed(self) -> Iterator[Self]:
        """Start workers in a proven sandbox; raise as `Workforce.running`.

        Raises RunError if nothing could be stored.
        """
        if not self.missing:
            if (self._league.folder / SLOW_FILE).exists():  # of a run that was killed as it ended
                with MatchesUnderWay(self._league.folder) as self._under_way:
                    self._clear()
            yield self
            return
        self._store.db.check_writable()
        with ExitStack() as stack:
            if self._is_slow:
                self._under_way = stack.enter_context(MatchesUnderWay(self._league.folder))
                known = self._store.known.matches(self._league.rotation_count)
                self._under_way.drop(filter(known.has, self._under_way.matches()))
                self._under_way.drop(self._departures.lost)
                self._under_way.enter(self.bots)
                stack.callback(self._clear)  # once nobody plays
            if self.workers is not None:
                self._timing = timing()
            stack.enter_context(self._runner.staffed())
            yield self

    def _clear(self) -> None:
        """Forget what is kept of slow matches on their way, if all are over, of other parts too."""
        if self._under_way is not None and not self.missing and self._part == WHOLE:
            self._under_way.clear()

    @property
    def is_slow(self) -> bool:
        """Whether a stop leaves matches on their way, whose bots are then asked again for all."""
        return self._is_slow

    def stop(self) -> None:
        """Let the matches that are being played be the last; slow ones are left on their way."""
        self._runner.stop()

    @property
    def absent(self) -> list[Bot]:
        """The remote bots without which the rest could not be played, once `play` is over."""
        present = self._league.bots
        return [present[bot] for bot in self._runner.absent if bot < len(present)]

    @property
    def on_stop(self) -> str:
        """What is done at a stop, in words that begin a sentence."""
        if self._is_slow:
            return "Leaving the matches on their way, which go on in the next run"
        return "Finishing the matches being played"

    def play(self) -> Iterator[RunEvent]:
        """Play and store what is missing; yield what happened, already stored."""
        bots = self._league.bots
        rows = self._store.bots.rows(self.bots)
        row_of = {bot.name: row for bot, row in zip(bots, rows, strict=False)}
        self._store.bots.reinstate(rows)
        self._store.settings.keep(self._league.conditions())
        if self._timing is not None:
            self._store.timings.keep(self._timing, _now())
        for happened in self._runner.run():
            events: list[RunEvent] = []  # kept before any is seen, as the caller may leave at one
            for event in happened:
                match event:
                    case Results():
                        self._store.add(event.matches, rows, played_at=_now())
                        if self._under_way is not None:
                            self._under_way.drop(each.result.match for each in event.matches)
                        self.missing -= len(event.matches)
                        events.append(Stored(event.matches, self.missing))
                    case Timing():
                        self._store.timings.keep(event, _now())
                    case Suspended():
                        if event.reason != _ELSEWHERE:  # which holds for this run alone
                            self._store.bots.suspend(row_of[event.bot], event.reason)
                        events.append(event)
                    case _:
                        events.append(event)
            yield from (*self._drawn, *events)
            self._drawn.clear()
        yield from self._drawn
        yield from self._edited()
        yield from self._game_edited()

    def _next_round(self, suspended: Collection[BotIndex]) -> Missing | None:
        """Draw the next round of a league that goes by results, and return what of it is missing.

        Returns None if there is none, or some matches of the last one are missing: those of remote
        bots wait until the league is served.
        """
        assert self._tournament is not None
        suspended = [
            bot
            for bot in suspended
            if self._setup.unbuilt.get(bot) != _ELSEWHERE and bot not in self._setup.replaced
        ]
        league, store, tournament = self._league, self._store, self._tournament
        found = tournament.advance(suspended, is_part=self._part != WHOLE)
        if isinstance(found, Drawn):
            known = store.known.matches(league.rotation_count)
            tasks = Missing(
                tournament.latest,
                league.schedule,
                known,
                self._part,
                is_mirrored=league.is_mirrored,
            )
            _, self.missing = tasks.count()
            asked = tournament.drawn.match_count
            self._drawn.append(RoundBegan(tournament.number, asked, self.missing))
            return tasks
        if found is not None:
            self.missing = 0
        elif self._part != WHOLE:
            self._drawn.append(News(_PART_IS_PLAYED.format(tournament.number)))
        return None

    def _game_edited(self) -> Iterator[Problem]:
        """Yield a message if the game's code is not that with which the run began."""
        rules = self._league.rules
        code = self._setup.code
        if code and rules is not None and code_of(rules) != code:
            yield Problem(
                f"the game {self._league.game.name} was changed while it played: only workers "
                f"that had it already have gone on. Run again, which plays all matches again first."
            )

    def _edited(self) -> Iterator[News | Problem]:
        """Yield a message on each bot whose files are no longer those that were entered."""
        again = [(bot, replace(bot, known_digest="")) for bot in self.bots]  # not yet read
        same = [
            now
            for (then, now), before in zip(again, self._signatures, strict=True)
            if now.is_as(then) and now.signature() == before
        ]
        remember([bot for bot in same if bot in self._league.bots], self._store)
        old = "was changed since the run began: its old version has played. Run again."
        either = (
            "was changed while it played: what is stored under its old version may have been "
            "played by either. Put the bot under another name."
        )
        for bot in (then for then, now in again if now not in same):
            if bot not in self._league.bots:
                yield Problem(
                    f"the files of bot {bot.name!r} as it was before it was replaced were changed "
                    f"before its matches were over: some may have been played by either. Put files "
                    f"that are to replace others into a folder of their own."
                )
            elif (
                self.workers is None or bot.build
            ):  # the version that was entered was sent, or built
                yield News(f"Bot {bot.name!r} {old}")
            else:
                yield Problem(f"bot {bot.name!r} {either}")


@contextmanager
def open_run(
    league: LeaguePlan,
    terms: RunTerms = RunTerms(),  # noqa: B008 - it cannot be changed
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[Run]:
    """Open a run: bots that are to be built are built, and whoever plays is started.

    `tell` is called with what is being done. Raises ArenaError if another one is going on, or the
    league has changed.
    """
    with locked(league.folder), open_store(league, create=True) as store:
        if store.db.has_matches():
            check_unchanged(league, store)
            check_code(league, store)
        else:
            league.check_openings()
        todo = outstanding(league, store, terms.part)
        entered = with_departures(league, todo.departures)
        bots = entered.bots if todo.matches else ()
        built = build_all(bots, league.build, terms.sandbox_uid, tell, league.environments)
        elsewhere = remotes_of(entered) if terms.connected is None else ()
        unreached = dict.fromkeys(elsewhere, _ELSEWHERE)
        setup = setup_of(entered, built, terms, unreached, len(todo.departures.bots))
        staff = staff_of(entered, setup, built, todo, terms)
        opened = Run(league, store, todo, setup, staff, terms, built.remarks)
        with opened.staffed() as run:
            if not run.missing:
                remember(league.bots, store)
            yield run


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
