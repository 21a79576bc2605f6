"""A process that plays slow matches: a thread for each, of which one works at a time.

It says and hears what a worker does, with the number of the slot before each message.
"""

import ctypes
import hashlib
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import msgspec

from arena.play.calls import Call
from arena.play.executor import STOP_SIGNALS, Executor
from arena.play.messages import (
    Broken,
    Finish,
    Fit,
    News,
    Order,
    Setup,
    Underway,
    Unfit,
    Up,
    Word,
    decode_order_to,
    encode,
)
from arena.play.slow.baton import Baton, Note, TurnedWaits
from arena.play.slow.doors import Doorkeeper, Doors, opened
from arena.play.slow.remote_bot import RemoteBot
from arena.play.watchdog import LOOK_SECONDS, STUCK_SECONDS, Standstill, StuckError
from arena.play.worker import end_without_server, game_of, launchers_of, played_for
from arena.schedule.deal import BotIndex, Deal
from arena.store.flights import Flight, Flights
from arena.store.result import PlayedMatch
from protocol.errors import ArenaError, RunError
from referee.bot_process import BotProcess
from referee.evidence import Played
from referee.game import Game
from referee.identity import code_of
from referee.kept import KeptAnswer, KeptSeat
from referee.polling import Polling
from referee.sandbox import Launcher, MachineError
from referee.seat import Seat
from referee.wire import Wire

ALL = 0
"""In place of a slot's number: what concerns the whole process."""

_LOOK_SECONDS = 10.0  # between looks at a bot that has not answered: there are many
_TOLD_SECONDS = 5.0  # between two words on how far the matches are
_SIGNALS = {signal.SIGVTALRM, signal.SIGUSR1, *STOP_SIGNALS}


class _LeaveError(Exception):
    """The runner wants no more to be played."""


def main(
    link: Any,
    setup: Setup,
    parent: int,
    slots: int,
    holder: str,
    folder: str,
    keeper: Doorkeeper | None,
    home: str | None,
) -> None:
    """Carry out orders from `link`, a connection, until the last one or the end of the runner.

    `holder` is the path of the note on who works, `folder` that of the league, where answers are
    kept, and `home` that of the folder with the socket by which remote bots are reached, if any.
    SIGUSR1 means: leave the matches as they are, and end; they go on in the next run.
    """
    lock = threading.Lock()

    def say(number: int, word: Word) -> None:
        with lock:  # the door says something too
            link.send_bytes(encode((number, word)))

    def tell(text: str) -> None:
        say(ALL, News(text))

    with played_for(parent), ExitStack() as stack:
        try:
            game = game_of(setup)
            launchers = launchers_of(setup, stack, slots * setup.schedule.seats)
            flights = stack.enter_context(Flights(Path(folder)))
            doors = stack.enter_context(opened(setup, keeper, Path(folder), tell))
        except ArenaError as error:
            say(ALL, Broken(str(error)))
            return
        reached = None if home is None else Path(home)
        has_left = _Slots(
            link, say, setup, game, launchers, flights, doors, Note(holder), reached
        ).serve()
    if has_left:
        os._exit(0)  # other threads still wait for bots that have gone


class _Slots:
    """The slots of this process: each plays one match at a time, on a thread of its own."""

    def __init__(
        self,
        link: Any,
        say: Callable[[int, Word], None],
        setup: Setup,
        game: type[Game],
        launchers: Mapping[str, Launcher],
        flights: Flights,
        doors: Doors | None,
        note: Note,
        home: Path | None,
    ) -> None:
        self.home = home
        """The folder with the socket by which remote bots are reached."""
        self.say = say
        """Tells the runner something of a slot."""
        self._link = link
        self._setup = setup
        self._game = game
        self._launchers = launchers
        self._flights = flights
        self.doors = doors
        self._orders: dict[int, SimpleQueue[Order]] = {}
        self._threads: list[threading.Thread] = []
        self._executors: list[SlowExecutor] = []
        self._standstill = Standstill()  # of the baton's turns
        self._answers = 0
        self._told = time.monotonic()
        self.baton = Baton(note)
        self.terms = _digest(
            setup.game.word, code_of(game), setup.options, setup.limits.stored(), setup.opening
        )
        """Stands for what the answers of all matches depend on, their bots aside."""

    def serve(self) -> bool:
        """Carry out orders until the last one; return whether matches were left on their way.

        Then no other thread works any more.
        """
        signal.signal(signal.SIGVTALRM, lambda *_: self._look())
        signal.setitimer(signal.ITIMER_VIRTUAL, LOOK_SECONDS, LOOK_SECONDS)
        for each in STOP_SIGNALS:
            signal.signal(each, lambda *_: self._interrupt())
        threading.excepthook = _end_with
        try:
            signal.signal(signal.SIGUSR1, _leave)
            self.say(ALL, Up())
            while True:
                number, order = decode_order_to(self._link.recv_bytes())
                if number == ALL:
                    break
                self._give(number, order)
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # what is left is done in a moment
        except _LeaveError:
            self.baton.take(ALL)
            return True
        for orders in self._orders.values():
            orders.put(Finish())
        for thread in self._threads:
            thread.join()
        return False

    def _give(self, number: int, order: Order) -> None:
        """Give a slot an order; with its first one, its thread begins."""
        if number not in self._orders:
            self._orders[number] = SimpleQueue()
            thread = threading.Thread(target=self._work, args=(number,), daemon=True)
            before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # they are the main one's
            thread.start()
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            self._threads.append(thread)
        self._orders[number].put(order)

    def _work(self, number: int) -> None:
        orders = self._orders[number]
        with self.baton.held(number):
            executor = SlowExecutor(
                number, self._setup, self._game, self._launchers, self._flights, self
            )
            self._executors.append(executor)
            while not isinstance(order := self._next(number, orders), Finish):
                for word in executor.carry_out(order):
                    self.say(number, word)
            executor.close()

    def _next(self, number: int, orders: SimpleQueue[Order]) -> Order:
        with self.baton.released(number):
            return orders.get()

    def note_answer(self) -> None:
        """Count an answer, and now and then say how many there were."""
        self._answers += 1
        if time.monotonic() - self._told > _TOLD_SECONDS:
            self._told = time.monotonic()
            playing = sum(executor.is_playing for executor in self._executors)
            self.say(ALL, Underway(playing, self._answers))

    def _interrupt(self) -> None:
        for executor in self._executors:
            executor.interrupt()

    def _look(self) -> None:
        """Stop the match of a thread whose turn does not end.

        Called by a signal, on the main thread.
        """
        turns, thread = self.baton.turns, self.baton.thread
        if self._standstill.lasts(turns) and thread is not None:
            why = f"the game has used {STUCK_SECONDS:g} s of CPU time: an endless loop?"
            error = type("StuckError", (StuckError,), {"__str__": lambda _: why})
            raising = ctypes.pythonapi.PyThreadState_SetAsyncExc
            raising(ctypes.c_ulong(thread), ctypes.py_object(error))


class SlowExecutor(Executor):
    """Carries out the orders of one slot, and keeps what bots answer until a match is stored."""

    def __init__(
        self,
        number: int,
        setup: Setup,
        game: type[Game],
        launchers: Mapping[str, Launcher],
        flights: Flights,
        slots: _Slots,
    ) -> None:
        self._pauses = TurnedWaits(slots.baton, number)
        polling = Polling(self._pauses.poll, _LOOK_SECONDS, lambda: self._pauses.woke)
        super().__init__(setup, game, launchers, polling)
        self._flights = flights
        self._slots = slots
        self._number = number
        self._home = slots.home
        self._flight: Flight | None = None
        self._match_id = ""
        self._bots: Sequence[BotIndex] = ()
        self._at_door = ExitStack()

    @property
    def is_playing(self) -> bool:
        """Whether a match is on its way."""
        return self._flight is not None

    def _checked(self, bot: BotIndex) -> Fit | Unfit:
        """Start a bot once, and end it: it is started anew for each match."""
        try:
            return super()._checked(bot)
        finally:
            self._discard((bot, 0))

    def _match(self, deal: Deal, rotation: int) -> PlayedMatch:
        """Play a match, or go on with it where it was."""
        schedule = self._setup.schedule
        self._match_id = schedule.match_id(deal, rotation)
        self._bots = schedule.seating(deal, rotation)
        try:
            self._flight = self._boarded(deal)
            return super()._match(deal, rotation)
        except RunError as error:
            raise MachineError(str(error)) from None  # of the file: nothing more can be kept
        finally:
            self._part(rotation)
            self._flight = None

    def _boarded(self, deal: Deal) -> Flight:
        setup = self._setup
        entrants = [setup.schedule.entrants[bot].version for bot in self._bots]
        grants = [setup.limits_of(bot).stored() for bot in self._bots]
        terms = _digest(self._slots.terms, entrants, grants, deal.is_mirrored)
        return self._flights.board(self._match_id, terms, len(self._bots))

    def _pause(self, seconds: float) -> None:
        with self._slots.baton.released(self._number):
            time.sleep(seconds)

    def _part(self, rotation: int) -> None:
        """End what is left of the match: its clients at the door, and processes."""
        with self._slots.baton.released(self._number):
            self._at_door.close()
        for bot in self._bots:
            self._discard((bot, rotation))

    def _process(self, bot: BotIndex, rotation: int) -> Wire:
        """Return a bot's process, or the copy of a remote bot; raise AwayError if there is none."""
        digest = self._setup.remotes.get(bot)
        if digest is None:
            return super()._process(bot, rotation)
        assert self._home is not None
        key = self._setup.schedule.entrants[bot].key
        call = Call(bot=key, digest=digest, match=self._match_id)
        limits, name = self._setup.limits_of(bot), self._setup.names[bot]
        copy = RemoteBot.ready(self._home, call, limits, name, self._polling)
        self._processes[bot, rotation] = copy
        return copy

    def _sandbox_of(self, bot: BotIndex) -> str:
        """Return where a bot runs: a remote one in no sandbox of ours."""
        return "remote" if bot in self._setup.remotes else super()._sandbox_of(bot)

    def _seat(self, number: int, process: Wire) -> Seat:
        """Return a seat whose answers are kept."""
        flight, doors, bot = self._flight, self._slots.doors, self._bots[number]
        assert flight is not None

        def keep(at: int, answer: KeptAnswer) -> None:
            self._flights.keep(flight, number, at, answer)
            self._slots.note_answer()

        client = None
        if doors is not None and isinstance(process, BotProcess):
            client_of = doors.at_door(self._match_id, flight, number, bot, process)
            client = self._at_door.enter_context(client_of)
        return KeptSeat(process, flight.answers[number], keep, client)

    def _finished(self, played: Played) -> Played:
        """Return the match with what was asked at doors, once all of that is answered."""
        if self._slots.doors is None:
            return played
        with self._slots.baton.released(self._number):
            self._at_door.close()
        assert self._flight is not None
        exchanges = self._flights.exchanges(self._flight)
        evidence = msgspec.structs.replace(played.evidence, exchanges=exchanges)
        return msgspec.structs.replace(played, evidence=evidence)


def _digest(*parts: object) -> str:
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()


def _leave(*_: object) -> None:
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    raise _LeaveError


def _end_with(failed: threading.ExceptHookArgs) -> None:
    """End the process as its main thread would with an error of ours; another takes its place."""
    if isinstance(failed.exc_value, ConnectionError):
        end_without_server()
    traceback.print_exception(failed.exc_value, file=sys.stderr)
    os._exit(1)
