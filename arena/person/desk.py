"""What a person sees of a match on a page, and answers there: nothing but what their seat sees."""

import math
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Any

from arena.person.question import Question
from arena.report.frames import Areas
from arena.text import safe
from protocol.errors import ArenaError, RunError
from protocol.messages import Start
from referee.match.replay import Entry
from referee.match.seat import Seat
from referee.rules.game import Decision, Game, Move, Observation, plain
from referee.turn.answer import Answer, Fault
from referee.turn.bot_process import BotProcess
from referee.turn.clock import Turn

LONGEST_LINE = 20_000
"""Characters of an answer."""
_AWAY_SECONDS, _AWAY_AT_END = 60.0, 10.0  # without a page, which may be loaded anew
_PATIENCE = 20.0  # seconds that a page waits for what is new
_TICK = 1.0  # seconds between looks whether somebody is there
_HEARD_SECONDS = 30.0  # in which an answer is read, at the most
_NOT_ASKED: dict[str, Any] = {"problem": "This is not asked now."}


@dataclass
class Saying:
    """An answer of a person, and what became of it."""

    number: int
    """Which question it answers."""
    line: str
    """As it would be typed."""
    plays: bool = True
    """Whether to play it; or only to say in words what it means."""
    at_random: bool = False
    """Whether it is any legal move, whatever the line says."""
    heard: threading.Event = field(default_factory=threading.Event)
    found: dict[str, Any] = field(default_factory=dict)


class Desk:
    """What one seat has seen and is asked, for a page that looks at it; safe for threads."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self._areas = Areas()
        self._frames: list[dict[str, Any]] = []
        self._asked: dict[str, Any] | None = None
        self._question = 0  # the number of the last one
        self._over: dict[str, Any] | None = None
        self._version = 0
        self._changed = threading.Condition()
        self._said: queue.SimpleQueue[Saying] = queue.SimpleQueue()
        self._pages = 0  # that wait for what is new
        self._left_at: float | None = None  # when the last of them went

    # --- what the match says: one thread

    def look(self, game: Game, entries: Sequence[Entry] = ()) -> None:
        """Take down the table as the seat sees it, and what of some decisions on it is its own."""
        own = [
            safe(game.describe(self.seat, entry.move))
            for entry in entries
            if entry.seat == self.seat and entry.move is not None
        ]
        with self._changed:
            areas = self._areas.numbers(game.scene(self.seat))
            if self._frames and self._frames[-1]["areas"] == areas:
                self._frames[-1]["own"] += own
            else:
                self._frames.append({"areas": areas, "own": own})
            self._note()

    def ask(self, game: Game, decision: Decision, view: Observation, rng: Random) -> Move:
        """Ask until a legal move is played; raise RunError if the person has left.

        A move that is wanted at random is drawn by `rng`.
        """
        question = Question(game, self.seat, decision, view)
        self.look(game)
        with self._changed:
            self._question += 1
            self._asked = {
                "number": self._question,
                "decision": decision.name,
                "choices": question.choices(),
                "help": question.help(),
                "menu": [*question.menu().items()],
                "inputs": question.inputs(),
                "silence": question.silence() is not None,
                "words": question.words(),
            }
            self._note()
        try:
            while True:
                move = self._hear(game, question, rng)
                if move is not None:
                    return move
        finally:
            with self._changed:
                self._asked = None
                self._note()

    def _hear(self, game: Game, question: Question, rng: Random) -> Move | None:
        """Return the move of the next answer, if it is to be played."""
        try:
            said = self._said.get(timeout=_TICK)
        except queue.Empty:
            if self.is_left:
                raise RunError(
                    "the match was stopped before its end: its page was closed."
                ) from None
            return None
        try:
            if said.number != self._question:  # one that came too late
                said.found = _NOT_ASKED
                return None
            if said.at_random:
                move = game.sample(self.seat, rng)
            elif not said.line.strip() and (silence := question.silence()) is not None:
                move = silence
            else:
                move = question.answer(said.line)
            said.found = {"words": game.describe(self.seat, move), "played": said.plays}
            return move if said.plays else None
        except ArenaError as error:
            said.found = {"problem": str(error)}
            return None
        finally:
            said.heard.set()

    def end(self, over: Mapping[str, Any]) -> None:
        """Say that the match is over, and how."""
        with self._changed:
            self._over = dict(over)
            self._note()

    def wait_until_left(self) -> None:
        """Return when the page was closed."""
        while not self.is_left:
            with self._changed:
                self._changed.wait(_TICK)

    def _note(self) -> None:
        self._version += 1
        self._changed.notify_all()

    # --- what a page asks: any thread

    @property
    def is_left(self) -> bool:
        """Whether the page was closed, and not opened again within a while."""
        away = _AWAY_SECONDS if self._over is None else _AWAY_AT_END
        left = self._left_at
        return left is not None and not self._pages and monotonic() - left > away

    def quit(self) -> None:
        """Take note that the person has left for good."""
        self._left_at = -math.inf

    def state(
        self, version: int, frames: int, areas: int, is_gone: Callable[[], bool]
    ) -> dict[str, Any]:
        """Return what is new for a page that has so much, after waiting for it for a while.

        `is_gone` says whether nobody waits any more.
        """
        until = monotonic() + _PATIENCE
        with self._changed:
            self._pages += 1
            try:
                while self._version == version and monotonic() < until and not is_gone():
                    self._changed.wait(_TICK)
            finally:
                self._pages -= 1
                if self._left_at != -math.inf:
                    self._left_at = monotonic()
            return {
                "version": self._version,
                "from": max(0, frames - 1),  # the last one may have grown
                "frames": self._frames[max(0, frames - 1) :],
                "areas": self._areas.json[areas:],
                "asked": self._asked,
                "over": self._over,
            }

    def say(self, said: Saying) -> dict[str, Any]:
        """Return what becomes of an answer: a `problem`, or its `words`, and if it is `played`."""
        with self._changed:
            is_open = self._asked is not None and said.number == self._question
        if not is_open:
            return _NOT_ASKED
        if len(said.line) > LONGEST_LINE:
            return {"problem": f"An answer has at most {LONGEST_LINE} characters."}
        self._said.put(said)
        said.heard.wait(_HEARD_SECONDS)
        return said.found or _NOT_ASKED


class DeskSeat(Seat):
    """A seat whose decisions a person takes on a page: only legal moves leave it."""

    def __init__(self, desk: Desk, game: Game, seed: int, bots: Sequence[BotProcess]) -> None:
        self._desk = desk
        self._rng = Random(seed)  # noqa: S311 - the word `random` guards no secret
        self._game = game
        self._bots = bots

    def start(self, start: Start) -> Fault | None:
        """Do nothing: a person needs no preparation."""
        return None

    def ask(self, decision: Decision, view: Observation) -> Answer:
        """Wait for the person; the bots are frozen until they are asked."""
        for bot in self._bots:
            bot.freeze()
        began = monotonic()
        move = self._desk.ask(self._game, decision, plain(view), self._rng)
        return Answer(move, Turn(began, monotonic()))
