"""Orders carried out: matches played one after another, with the bots' processes beside us."""

import os
import signal
import time
import traceback
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Set
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from arena.play.memory import Room, size_of
from arena.play.messages import (
    Away,
    Broken,
    Check,
    Done,
    Failed,
    Fit,
    Left,
    News,
    Play,
    Renew,
    Results,
    Setup,
    StalledError,
    Task,
    Unfit,
    Word,
    Work,
)
from arena.play.watchdog import Watchdog
from arena.schedule.deal import LIVE_PROCESSES, BotIndex, Deal
from arena.store.result import PlayedMatch, Record, result_of
from arena.store.wheels import with_wheels
from protocol.errors import ArenaError
from referee.catalog.loading import GAME_ERRORS
from referee.match.evidence import Played
from referee.match.match import Due, Match, starts
from referee.match.opening import DRAWS, Opening, begun, opening_of
from referee.match.seat import EmptySeat, ProcessSeat, Seat, play_match
from referee.process.polling import ALONE, Polling
from referee.rules.game import Game, Options
from referee.sandbox import Launcher, MachineError, SandboxError, ServerDiedError
from referee.turn.answer import Answer, BotError, Kind
from referee.turn.starting import end_processes, start_bot
from referee.turn.wire import Wire

if TYPE_CHECKING:
    from arena.play.slow.keeping import Keeping, KeptMatch

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What ends a run: the runner heeds it, and whoever plays for it may get it too."""
SERVICE_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
"""Those that bots may get too, as when a service is stopped: Ctrl-C does not reach their groups."""

_REPORT_SECONDS = 0.5
_ENDED_BY_THEM = {code for number in SERVICE_SIGNALS for code in (-number, 128 + number)}
_UNFINISHED: frozenset[Kind] = frozenset({"crash", "startup"})
_TOLD_SECONDS = 0.2  # in which a signal reaches all whom it is sent to


class Fixture(NamedTuple):
    """One match of a schedule, before it is played."""

    deal: Deal
    rotation: int
    match: str
    """Its id."""
    bots: tuple[BotIndex, ...]
    """By seat."""


class Executor:
    """Carries out orders, one match after another, and keeps the bots' processes between them.

    A process belongs to a bot and a rotation and plays no other rotation, so that it never sees
    a deal twice.
    """

    def __init__(
        self,
        setup: Setup,
        game: type[Game],
        launchers: Mapping[str, Launcher],
        polling: Polling = ALONE,
        keeping: "Keeping | None" = None,
    ) -> None:
        """Take what to play, a launcher for each sandbox of its bots, and how they are waited for.

        Only matches that may last for hours are kept as they are played.

        Slow bots are started for each match anew: what one remembers is not there after a restart.
        """
        self._polling = polling
        self._keeping = keeping
        self._is_fresh = setup.limits.fresh or setup.limits.pace == "slow"
        self._setup = setup
        self._launchers = launchers
        self._game = game
        self._options: Options = msgspec.convert(setup.options, self._game.options_type)
        self._machine = os.uname().nodename
        self._matches: list[PlayedMatch] = []  # not yet reported
        self._lag = 0.0  # seconds, of these
        self._reported = -_REPORT_SECONDS  # the first match is reported at once
        self._leaving = False
        self._interrupted = False
        self.watchdog = Watchdog()
        self._processes: OrderedDict[tuple[int, int], Wire] = OrderedDict()
        self._room = Room()
        self._fewest = 0  # processes that were kept when memory was short; 0 while all are
        self._is_shortage_told = False
        self._uneven: str | None = ""  # what to say of openings that are not open; None once said

    def leave(self) -> None:
        """Finish the match that is being played, and leave the rest of every order."""
        self._leaving = True

    def interrupt(self) -> None:
        """Note a signal to end that all may have got, the bots too, as when a service stops.

        The match that is being played is not stored, whatever becomes of it: which bot ends by such
        a signal, and which does not, is the bot's choice.
        """
        self._interrupted = True

    def carry_out(self, order: Work) -> Iterator[Word]:
        """Carry out an order; yield what comes of it, and last whether all of it was done."""
        end: Word = Done()
        try:
            match order:
                case Check():
                    yield self._checked(order.bot)
                case Renew():
                    self._renew(order.setup)
                case Play():
                    yield from self._play(order.tasks)
        except MachineError as error:
            self._leaving = True
            end = Broken(str(error))
        else:
            if self._leaving:
                end = Left()
        yield from self._results()
        if self._fewest and not self._is_shortage_told:
            self._is_shortage_told = True
            yield News(
                f"Memory is short: a worker on {self._machine} keeps only {self._fewest} "
                f"processes of bots. The other bots are started anew for each of their matches."
            )
        if self._uneven:
            yield News(self._uneven)
            self._uneven = None
        yield end

    def _play(self, tasks: list[Task]) -> Iterator[Word]:
        """Play; yield what was played about two times a second, and errors of our own."""
        for task in tasks:
            for rotation in task.rotations:
                if self._leaving:
                    return
                try:
                    found = self._match(task, rotation)
                except (ServerDiedError, MachineError):
                    raise
                except GAME_ERRORS as error:  # reported; the run ends with 1
                    is_told = isinstance(error, ArenaError)  # as what a game's program did wrong
                    text = f"{error}\n" if is_told else traceback.format_exc()
                    found = Failed(task, rotation, text)
                if isinstance(found, Failed | Away):
                    for bot in task.lineup:
                        self._discard((bot, rotation))  # sent a start and never an end
                    yield from self._results()  # first, as nothing of the deal is awaited then
                    yield found
                    break
                if found is None:
                    self._leaving = True
                else:
                    self._matches.append(found)
                if time.monotonic() - self._reported > _REPORT_SECONDS:
                    yield from self._results()

    def _results(self) -> Iterator[Results]:
        """Yield what was played since the last time, if anything was."""
        if self._matches:
            yield Results(self._matches, self._lag)
            self._matches, self._lag = [], 0.0
            self._reported = time.monotonic()

    def close(self) -> None:
        """End all processes; those that end by themselves get a moment for it."""
        end_processes(self._processes.values())
        self._processes.clear()

    def _renew(self, setup: Setup) -> None:
        """Go on with other bots; the processes of those that are still there are kept."""
        before, self._setup = self._setup, setup
        self._leaving = False
        now = {found: BotIndex(bot) for bot, found in enumerate(setup.entered)}
        processes, self._processes = self._processes, OrderedDict()
        gone = []
        entered = before.entered
        for (bot, rotation), process in processes.items():
            if (found := now.get(entered[bot])) is None:
                gone.append(process)
            else:
                self._processes[found, rotation] = process
        end_processes(gone)

    def _checked(self, bot: BotIndex) -> Fit | Unfit:
        """Start a bot, and say whether it gets ready; raise MachineError if nothing can."""
        try:
            limits = self._setup.limits_of(bot)
            self._launcher_of(bot).check(self._setup.programs[bot], limits)
            return Fit(bot, size_of(self._process(bot, 0).family))
        except SandboxError as error:
            return Unfit(bot, error.what.rstrip("."))
        except BotError as error:
            return Unfit(bot, str(error))
        finally:
            if self._is_fresh:
                self._discard((bot, 0))

    def _match(self, task: Task, rotation: int) -> PlayedMatch | Failed | Away | None:
        """Play one match of a task; return it, what keeps it from going on, or None.

        None is for one during which a signal to end was sent to all processes, bots among them.
        """
        deal, schedule = task.deal, self._setup.schedule
        match, bots = schedule.match_id(deal, rotation), schedule.seating(deal, rotation)
        fixture = Fixture(deal, rotation, match, bots)
        began = time.monotonic()
        keeping = self._keeping
        with nullcontext() if keeping is None else keeping.kept(fixture, self._polling) as kept:
            try:
                played = self._played(fixture, kept)
            except StalledError as error:
                if self._interrupted:
                    return None
                assert kept is not None
                left = task.rotations[task.rotations.index(rotation) :]
                return Away(task.of(left), str(error), kept.has_begun)
        result = result_of(
            played,
            deal=schedule.deal_id(deal),
            number=deal.number,
            order=schedule.order(deal),
            rotation=rotation,
            bots=bots,
        )
        kinds = {kind for faults in result.faults for kind in faults}
        if self._is_cut_short(kinds, fixture):
            return None
        if any(_UNFINISHED & {*faults} for faults in result.faults):
            for launcher in self._launchers.values():
                launcher.check_copies()  # or whoever removed them is to blame
        for bot, faults in zip(bots, result.faults, strict=True):
            process = self._processes.get((bot, rotation))
            gone = process is not None and process.ended is not None
            if self._is_fresh or faults or gone:
                self._discard((bot, rotation))
        self._lag += sum(played.evidence.lag) * 1e-6
        # what was answered before an interruption took longer than being asked again
        took = max(time.monotonic() - began, sum(played.evidence.wall) * 1e-6)
        record = Record.of(played, took)
        sandboxes = " and ".join(sorted({self._sandbox_of(bot) for bot in bots}))
        return PlayedMatch(result, record, machine=self._machine, sandbox=sandboxes)

    def _played(self, fixture: Fixture, kept: "KeptMatch | None") -> Played:
        """Play a match, or go on with it.

        Raises StalledError where it cannot go on now, by no bot's doing: it may another time.
        """
        deal, rotation, match, bots = fixture
        schedule, limits = self._setup.schedule, self._setup.limits
        seed = schedule.seed(deal, rotation)
        opening = self._opening(deal, seed)
        game = begun(self._game, len(bots), self._options, seed, opening)
        seats = self._seats(fixture, kept)
        seeds = [schedule.bot_seed(match, bot) for bot in bots]
        playing = Match(game, limits.faults_allowed, opening)
        controls = [self._setup.limits_of(bot).time_control for bot in bots]
        begin = starts(game, match, controls, seeds)
        with self.watchdog.watching(playing):
            if kept is None:
                return play_match(playing, seats, begin)

            def after(due: Due, answer: Answer) -> Answer:
                if answer.fault is not None and self._is_cut_short({answer.fault.kind}, fixture):
                    raise StalledError("a signal to end came")  # before it is kept
                return kept.after(due, answer)

            kept.seated(seats)
            return kept.played(play_match(playing, seats, begin, kept.before, after))

    def _sandbox_of(self, bot: BotIndex) -> str:
        """Return the sandbox around a bot with its version, and what is let through it."""
        if bot in self._setup.remotes:
            return "remote"
        name, devices = self._launcher_of(bot).sandbox.name, self._setup.limits_of(bot).devices
        sandbox = " with ".join((name, *devices))
        wheels = self._setup.wheels.get(bot)
        version = self._setup.schedule.entrants[bot].version
        return with_wheels(sandbox, wheels, version) if wheels else sandbox

    def _launcher_of(self, bot: BotIndex) -> Launcher:
        return self._launchers[self._setup.limits_of(bot).sandbox]

    def _opening(self, deal: Deal, seed: str) -> Opening | None:
        """Return what a match of a deal begins with; raise ArenaError if nothing does."""
        schedule, terms = self._setup.schedule, self._setup.opening
        if terms is None:
            return None
        found = opening_of(
            self._game,
            schedule.seats,
            self._options,
            terms,
            key=schedule.key,
            number=deal.number,
            seed=seed,
        )
        if not found.is_open and self._uneven == "":
            names = ", ".join(self._setup.names[bot] for bot in deal.lineup)
            self._uneven = (
                f"Deal {deal.number} of {names}: none of {DRAWS} openings that were drawn is open, "
                f"as a seat came first in more than {terms.open:g} of the random matches from it. "
                f"The first one is played, here and in any other deal like it."
            )
        return found.opening

    def _is_cut_short(self, kinds: Set[str], fixture: Fixture) -> bool:
        """Return whether a signal to end was sent to all, given the faults in the match so far."""
        if not kinds.isdisjoint(_UNFINISHED) and not self._interrupted:
            found = [self._processes.get((bot, fixture.rotation)) for bot in fixture.bots]
            codes = {each.ended.code for each in found if each is not None and each.ended}
            is_absent = "startup" in kinds and self._setup.out.keys().isdisjoint(fixture.bots)
            if is_absent or not codes.isdisjoint(_ENDED_BY_THEM):
                self._polling.sleep(_TOLD_SECONDS)  # it may be on its way to us
        return self._interrupted

    def _seats(self, fixture: Fixture, kept: "KeptMatch | None") -> list[Seat]:
        seats: list[Seat] = []
        for bot in fixture.bots:
            if why := self._setup.out.get(bot):
                seats.append(EmptySeat(why, ""))
                continue
            try:
                seat = None if kept is None else kept.reach(bot)
                if seat is None:
                    seat = ProcessSeat(self._process(bot, fixture.rotation))
                elif isinstance(seat, ProcessSeat):
                    self._processes[bot, fixture.rotation] = seat.process
                seats.append(seat)
            except BotError as error:
                seats.append(EmptySeat(str(error), error.stderr))
        return seats

    def _process(self, bot: BotIndex, rotation: int) -> Wire:
        """Return a bot's process of a rotation, started if need be."""
        key = (bot, rotation)
        process = self._processes.get(key)
        if process is None:
            while len(self._processes) >= LIVE_PROCESSES:
                self._discard(next(iter(self._processes)))
            setup = self._setup
            while len(self._processes) >= setup.schedule.seats and self._room.is_short():
                self._discard(next(iter(self._processes)))
                self._fewest = len(self._processes) + 1
            program, name = setup.programs[bot], setup.names[bot]
            launcher, limits = self._launcher_of(bot), setup.limits_of(bot)
            beside = self._processes.values()
            try:
                process = start_bot(launcher, program, limits, name, beside, self._polling)
            except BotError:
                launcher.check_copies()
                raise
            self._processes[key] = process
            self._room.count(process.family)
        self._processes.move_to_end(key)
        return process

    def _discard(self, key: tuple[int, int]) -> None:
        process = self._processes.pop(key, None)
        if process is not None:
            process.stop()
