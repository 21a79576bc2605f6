"""Keeps a league played, as a process beside a server: `python -m arena.serve.player LEAGUE`.

It is told by lines on its standard input, and says what happens by lines on its standard output.
"""

import argparse
import os
import select
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TypeAlias

import msgspec

from arena.archive.agreement import Agreement, agreement_needed
from arena.folders import holder, stamp_of
from arena.handin.calendar import phase
from arena.handin.database import HANDED_IN, HandIns, now
from arena.handin.final import final_to_play, note_over
from arena.handin.stale import settle
from arena.league.bot import Bot
from arena.league.file import FILE, read_asked
from arena.league.plan import LeaguePlan
from arena.play.events import Forfeiting, Problem, RoundBegan, RunEvent, Stored, Suspended
from arena.play.local import IdleWorkers
from arena.play.messages import News
from arena.play.remotes import ConnectedBots, RemoteKey
from arena.play.run import Run, open_run
from arena.play.staffing import RunTerms
from arena.serve.messages import (
    EndPlay,
    Here,
    Idle,
    Order,
    Playing,
    Progress,
    Stopped,
    Trouble,
    Word,
    line,
    take_output,
)
from arena.store.opening import read_league
from arena.store.under_way import under_way
from arena.text import counted
from protocol.errors import ArenaError
from referee.sandbox import own_cores

_LOOK_SECONDS = 0.5  # between looks at the league's file, which other commands change too
_RETRY_SECONDS = 10.0  # after trouble
_BUSY_SECONDS = 0.5  # after the league was found in use, as by a player whose end is near
SLOW_REST = 120.0
"""Seconds for which slow matches are let go on, at least, before they are left for a change of the
league: else one who hands in again and again would keep all from coming to their ends."""
_KEEP_SECONDS = 60.0  # that workers and bots are kept for the next run
_READ = 1 << 16

_Entry: TypeAlias = tuple[Path, str, str]
"""A bot in a league: the league's folder, the bot's key and its version."""

_read_order = msgspec.json.Decoder(Order).decode


class Orders:
    """What the player is told, heard by a thread of its own, and changes of the league's file.

    Who is there of remote bots is no reason to stop a run, and one to look again if it was missed.
    If the input ends, so does the whole process, at once: the server has been killed. Workers and
    bots end with it.
    """

    def __init__(self, folder: Path) -> None:
        self.ending = False
        """Whether the player is to end."""
        self.connected = ConnectedBots(folder / HANDED_IN)
        """Which remote bots are there."""
        self.missed: set[RemoteKey] = set()
        """The remote bots that were missed in the last run, if none is going on."""
        self._file = folder / FILE
        self._seen = stamp_of(self._file)
        self.news = threading.Event()
        """Set once anything was told since the league was read."""
        self._lock = threading.Lock()
        self._run: Run | None = None
        self._began = 0.0  # when that run did
        threading.Thread(target=self._listen, daemon=True).start()

    def begin(self) -> None:
        """Take note that the league is read now: what was told before is done with it."""
        with self._lock:
            self._seen = stamp_of(self._file)
            self.missed = set()
            if not self.ending:
                self.news.clear()

    @contextmanager
    def stopping(self, run: Run) -> Iterator[None]:
        """Stop a run, softly, as soon as anything else is told than who is there.

        Slow matches are let go on for a while before, as their bots must think again after a stop.
        """
        with self._lock:
            self._run, self._began = run, monotonic()
        if self.news.is_set():
            run.stop()
        try:
            yield
        finally:
            with self._lock:
                self._run = None
                self.missed = {(bot.key, bot.remote_digest) for bot in run.absent}
                self._look_for_missed()

    def _look_for_missed(self) -> None:
        """Let the league be played again if a bot that was missed is there."""
        if any(self.connected.room(*bot) for bot in self.missed):
            self.news.set()

    def _listen(self) -> None:
        rest = b""
        while True:
            lines = []
            if select.select([0], [], [], _LOOK_SECONDS)[0]:
                found = os.read(0, _READ)
                if not found:
                    os._exit(1)
                *lines, rest = (rest + found).split(b"\n")
            with self._lock:
                for each in lines:
                    self._heed(_read_order(each))
                if (stamp := stamp_of(self._file)) != self._seen:
                    self._seen = stamp
                    self.news.set()
                self._stop_in_time()

    def _heed(self, order: Order) -> None:
        if isinstance(order, Here):
            self.connected.tell({(key, digest): room for key, digest, room in order.rooms})
            self._look_for_missed()
            return
        self.ending |= isinstance(order, EndPlay)
        self.news.set()

    def _stop_in_time(self) -> None:
        run = self._run
        if run is None or not self.news.is_set():
            return
        if self.ending or not run.is_slow or monotonic() - self._began > SLOW_REST:
            run.stop()


class Player:
    """Plays what a league lacks, again and again.

    Args:
        folder: of the league.
        workers: how many matches are played at once; None for as many as have cores of their own.
        uid: as root, the first user that bots are run as; None for an unused one.
        tell: called with whatever happens.

    """

    def __init__(
        self, folder: Path, workers: int | None, uid: int | None, tell: Callable[[Word], None]
    ) -> None:
        self._folder = folder
        self._workers = workers
        self._uid = uid
        self._tell = tell
        self._orders = Orders(folder)
        self._idle = IdleWorkers()
        self._suspended: dict[_Entry, str] = {}  # why
        self._missed: dict[_Entry, float] = {}  # since when, in a league that is closed
        self._absent: list[Bot] = []  # in the last run
        self._present: set[_Entry] = set()  # in it
        self._played = Counter[str]()  # matches in it, by key: those of a bot that is out are lost

    def play(self) -> None:
        """Keep the league played until told to end."""
        try:
            while not self._orders.ending:
                self._orders.begin()
                seconds = self._tried()
                if self._orders.news.wait(_KEEP_SECONDS if seconds is None else seconds):
                    continue
                if seconds is None:
                    self._idle.clear()  # nobody needs them now
                    self._orders.news.wait(None)
        finally:
            self._idle.clear()

    def _tried(self) -> float | None:
        """Play what is missing, or tell why that is not possible; return as `_play_missing`."""
        folder = self._folder
        try:
            settle(folder)  # first: what was lost from the file must not miss a round
            final = final_to_play(folder)
            if final is not None:
                folder = final
                seconds = self._play_to_the_end(folder)
                if seconds is not None or self._orders.news.is_set() or self._orders.missed:
                    return seconds
                with HandIns(self._folder) as db:
                    note_over(db)
                folder = self._folder
            return self._play_to_the_end(folder)
        except ArenaError as error:  # which somebody can mend while the server goes on
            busy = holder(folder) not in (None, os.getpid())
            seconds = _BUSY_SECONDS if busy else _RETRY_SECONDS
            self._tell(Trouble(str(error), seconds))
            return seconds

    def _play_to_the_end(self, folder: Path) -> float | None:
        """Play what a league lacks; return after how many seconds at most to look again.

        Once it is closed, who is suspended or not connected when all else is played is waited for a
        while; what it has not played then it has lost.
        """
        seconds = self._play_missing(folder)
        if seconds is not None or self._orders.ending or not self._is_closed:
            return seconds
        absence = read_asked(self._folder).hand_in.absence
        self._missed = {
            entry: self._missed.get(entry, monotonic()) for entry in self._who_is_out(folder)
        }
        left = {entry: since + absence - monotonic() for entry, since in self._missed.items()}
        over = {entry for entry, wait in left.items() if wait <= 0}
        if over:
            for entry in over:  # once more
                self._suspended.pop(entry, None)
            self._orders.begin()
            seconds = self._play_missing(folder)
            out = {
                entry[1]: why for entry, why in self._who_is_out(folder).items() if entry in over
            }
            if seconds is None and out and not self._orders.ending:
                self._orders.begin()
                seconds = self._play_missing(folder, out)
        waits = [wait for wait in left.values() if wait > 0]
        return min(waits) if seconds is None and waits else seconds

    @property
    def _is_closed(self) -> bool:
        """Whether the league takes no bots any more."""
        return phase(read_asked(self._folder).hand_in, now()) == "closed"

    def _who_is_out(self, folder: Path) -> dict[_Entry, str]:
        """Return who did not play in the last run of a league, and why."""
        away = "it was not connected after the closing"
        found = {(folder, bot.key, bot.version): away for bot in self._absent}
        return found | {
            entry: f"it {why}" for entry, why in self._suspended.items() if entry in self._present
        }

    def _play_missing(self, folder: Path, out: Mapping[str, str] | None = None) -> float | None:
        """Play what a league lacks; return after how many seconds at most to look again.

        `out` are the bots that have lost what they have not played, by key, and why.
        """
        self._absent, out = [], out or {}
        is_final = folder != self._folder
        asked = read_asked(folder)
        if len(asked.bots) < asked.seats:
            few = f"{len(asked.bots)} of the {asked.seats} bots that a match needs are in it."
            self._tell(Idle(few))
            return None
        whole = read_league(folder)
        self._present = {(folder, bot.key, bot.version) for bot in whole.bots}
        league = self._rested(whole, out)
        if agreement_needed(league):
            agreement = Agreement(league, self._workers or len(own_cores()))
            self._tell(Trouble(agreement.announcement))
            self._tell(Idle("All matches are played again first: the game's code has changed."))
            for _ in agreement.run():
                if self._orders.ending:
                    return None
        problems = 0
        self._played.clear()
        orders, suspended = self._orders, len(self._suspended)
        terms = RunTerms(
            self._workers,
            self._uid,
            out=out,
            is_closed=self._is_closed,
            idle=self._idle,
            connected=orders.connected,
        )
        with open_run(league, terms) as run, orders.stopping(run):
            if run.missing:
                self._tell(Playing(len(league.bots), run.missing, run.asked, is_final))
                problems = sum(self._note(event, run, league, is_final) for event in run.play())
        self._absent = run.absent
        for bot in league.bots:
            if bot.key in out and (lost := self._played[bot.key]):
                matches = counted(lost, "match", "matches") + " of the final" * is_final
                self._tell(Trouble(f"{bot.name} has lost {matches} by default: {out[bot.key]}."))
        if problems:
            return _RETRY_SECONDS
        if not run.missing:
            self._tell(Idle("All matches are played."))
        elif not orders.news.is_set():
            is_one_out = not run.absent or len(self._suspended) > suspended
            self._tell(Idle(_left(run.absent, with_suspended=is_one_out)))
        return None

    def _rested(self, league: LeaguePlan, out: Mapping[str, str]) -> LeaguePlan:
        """Return a league without the bots that were suspended; deals of others stay the same.

        Those that are out stay in it, and all do while matches have begun: these count.
        """
        if any(under_way(league.folder).values()):
            return league
        kept = [
            bot
            for bot in league.bots
            if bot.key in out or (league.folder, bot.key, bot.version) not in self._suspended
        ]
        return replace(league, bots=tuple(kept))

    def _note(self, event: RunEvent, run: Run, league: LeaguePlan, is_final: bool) -> bool:
        """Tell what happened in a run; return whether the run cannot be whole because of it."""
        match event:
            case Stored():
                for played in event.matches:
                    for index in played.result.bots:  # whose time is not up
                        bot = run.bots[index]
                        self._missed.pop((league.folder, bot.key, bot.version), None)
                        self._played[bot.key] += 1
                self._tell(Progress(event.played, event.missing, is_final))
            case Suspended():
                (bot,) = (bot for bot in league.bots if bot.name == event.bot)
                self._suspended[league.folder, bot.key, bot.version] = event.reason
                self._tell(Stopped(bot.name, bot.version, event.reason))
            case RoundBegan():
                self._tell(Playing(len(league.bots), event.missing, event.asked, is_final))
            case Forfeiting() | News():
                self._tell(Trouble(str(event)))
            case Problem():
                self._tell(Trouble(str(event), _RETRY_SECONDS))
                return True
        return False


def _left(absent: Sequence[Bot], *, with_suspended: bool) -> str:
    """Return what to say of what is left: the matches of suspended bots, and of absent ones."""
    whose = ["suspended bots"] if with_suspended else []
    if absent:
        *others, last = (bot.name for bot in absent)
        names = f"{', '.join(others)} and {last}" if others else last
        whose.append(f"{names}, which {'are' if others else 'is'} not connected")
    return f"All matches are played but those of {', and of '.join(whose)}."


def main() -> None:
    """Play the league of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("league", type=Path)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--sandbox-uid", type=int)
    words = parser.parse_args()
    output = take_output()

    def tell(word: Word) -> None:
        try:
            os.write(output, line(word))
        except BrokenPipeError:  # the server has been killed
            os._exit(1)

    Player(words.league, words.workers, words.sandbox_uid, tell).play()


if __name__ == "__main__":
    main()
