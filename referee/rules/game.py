"""The contract a game fulfils: pure rules, without processes, clocks or input and output."""

import copy
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Self, TypeVar

import msgspec

from protocol.errors import ArenaError
from referee.rules.chance import Chance
from referee.rules.field import Schema, Wrong
from referee.rules.form import AnyForm, Reading, reading_of, schema_of
from referee.rules.notation import Notation
from referee.rules.scene import Area, Facts, Ground

_Game = TypeVar("_Game", bound="Game")

Move = dict[str, Any]
"""A reply's `move`: a JSON object, decoded but not yet trusted."""

Observation = dict[str, Any]
"""What one seat may know, as plain JSON; nothing another seat's secret could change."""


def plain(view: Observation) -> Observation:
    """Return a copy of a game's view as plain JSON, which the caller may keep and change."""
    copied: Observation = msgspec.to_builtins(view, enc_hook=_read)
    return copied


def _read(ready: Any) -> Any:
    """Return what JSON that is ready says."""
    if isinstance(ready, msgspec.Raw):
        return msgspec.json.decode(ready)
    raise TypeError(f"a view holds a {type(ready).__name__}, which is no JSON")


def ranked(scores: Sequence[Any]) -> list[int]:
    """Return the place of each score, the least best: 1 + the number of scores below it."""
    return [1 + sum(other < score for other in scores) for score in scores]


def twin(game: _Game, rng: Random | None = None) -> _Game:
    """Return a copy of `game` that can go another way; with `rng`, other chance is to come."""
    chance = game.chance if rng is None else Chance(f"{rng.getrandbits(64):x}")
    return copy.deepcopy(game, {id(game.chance): chance})


def redealt(
    game: _Game, seat: int, rng: Random, deal_anew: Callable[[_Game, Random], None]
) -> _Game:
    """Return a copy of `game` in which `deal_anew` has replaced what `seat` cannot know.

    It is called again until every other seat that is asked has a choice, as it has in `game`.
    """
    other = twin(game, rng)
    while True:
        deal_anew(other, rng)
        lists = (other.decision(each).legal for each in other.deciders() if each != seat)
        if all(legal is None or len(legal) > 1 for legal in lists):
            return other


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game's options: types, ranges and defaults as its rules page lists them.

    `__post_init__` raises ValueError, with a sentence for the organizer, for values that are
    allowed alone but not together.
    """


class Decision(msgspec.Struct, frozen=True, gc=False):
    """One choice that is asked of one seat now.

    Either `legal` lists every legal move, or, where the list would be huge, `limits` holds the
    numbers and names a program needs to make one. `samples` are the referee's to fill in.
    """

    name: str
    legal: list[Move] | None = None
    limits: dict[str, Any] | None = None
    samples: list[Move] | None = None
    """A few legal moves, where none are listed and the seat wants some."""


class Game(ABC):
    """One play of a game, from the deal to the places; a mutable state with its rules.

    The loop that drives it::

        while seats := game.deciders():
            game.apply({seat: choose(game.decision(seat), game.view(seat)) for seat in seats})
        print(game.places())

    A decision with only one legal answer is never asked: the game plays it by itself. Several
    deciders at once choose simultaneously and sealed. All randomness comes from `chance`.
    """

    name: ClassVar[str]
    """The name on the command line, in league files and on the wire."""
    title: ClassVar[str]
    """One sentence for people."""
    seat_counts: ClassVar[range]
    """The numbers of seats the game can be played by."""
    options_type: ClassVar[type[Options]]
    """The game's options."""
    rules_version: ClassVar[int] = 1
    """Raised when a change of the rules would make an old replay end differently."""
    library: ClassVar[str] = ""
    """A library that holds rules of the game, with its version, such as "open_spiel 2.0.2".

    A game by another version of it counts as a game whose code has changed.
    """
    program: ClassVar[Path | None] = None
    """The folder of the program that plays it, where no class of Python does."""
    decisions: ClassVar[Mapping[str, AnyForm]]
    """Every decision's name and the form of its `move`, fields described."""
    typical_decisions: ClassVar[int]
    """About how many decisions a match takes, for estimates of time."""
    has_chance: ClassVar[bool] = True
    """Whether anything is left to chance.

    Where nothing is, bots that answer alike in the same seats repeat a match move by move.
    """
    mirroring: ClassVar[float | None] = None
    """How many deals of independent matches a mirrored one is worth among near equals, if that was
    measured: `python -m tests.benchmarks.mirrored`."""
    ground: ClassVar[Ground | None] = None
    """What never changes of the map, where the game is played on one."""
    illegal_is_sanctioned: ClassVar[bool] = False
    """Whether the rules page has a sanction of its own for an illegal reply.

    Then the fault is recorded, but does not count towards the forfeit.
    """
    score: ClassVar[str] = ""
    """What `scores` counts, as "the money at the end"; empty in a game without scores."""
    less_is_better: ClassVar[bool] = False
    """Whether a lower score is the better one."""
    measures: ClassVar[Mapping[str, str]] = {}
    """The names of the `numbers` of a match, each with what it counts."""
    formats: ClassVar[Mapping[str, Notation | str]] = {}
    """Formats of other programs in which `arena export` writes its matches, by name.

    Each has what writes a match, or the reason why none is written, as the end of a sentence.
    """

    _readings: ClassVar[Mapping[str, Reading]]
    _has_canonical: ClassVar[bool] = False
    """Whether it says how moves are recorded."""

    def __init_subclass__(cls) -> None:
        """Work out how replies are read; raise TypeError for a form that cannot be."""
        super().__init_subclass__()
        cls._has_canonical = cls.canonical is not Game.canonical
        if "decisions" in cls.__dict__:
            cls._readings = {name: reading_of(form) for name, form in cls.decisions.items()}

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        self.seats = seats
        self.options = options
        self.chance = chance
        self.reason = ""
        """In a word, why the game ended; empty while it goes on."""

    @classmethod  # noqa: B027 - most games have a match for all
    def check_seats(cls, options: Options, seats: int) -> None:
        """Raise ValueError, with a sentence for the organizer, if it has no such match.

        The number of seats is one of `seat_counts`. Options that contradict each other with any
        number of seats are refused by their own type.
        """

    @abstractmethod
    def deciders(self) -> Sequence[int]:
        """Return the seats that must decide now; none when the game is over."""

    @abstractmethod
    def decision(self, seat: int) -> Decision:
        """Return what is asked of `seat`, one of the deciders."""

    @abstractmethod
    def view(self, seat: int) -> Observation:
        """Return all that `seat` may know, except what `start` holds: options and `table`.

        It is enough for a program that remembers nothing else, and holds `game`, `seat` and
        `decision` (None when the game is over). It may hold lists, dictionaries and structs that
        the game itself goes on to change; a caller who keeps it calls `plain`.
        """

    def read(self, seat: int, move: Move) -> Move | str:
        """Return `move` as it is recorded, or in words for the bot's author why it is refused.

        It may be any JSON object, for nothing about a reply is trusted, and is not changed; but
        what is returned may be the same object. First it is read by the form of the decision that
        is asked, then `check` has its say, and `canonical` the last.
        """
        if seat not in self.deciders():
            return "nothing is asked of you now"
        return self.read_answer(self.asks(seat), seat, move)

    def read_answer(self, asked: str, seat: int, move: Move) -> Move | str:
        """Return what `read` does, for a caller who knows the name of what `seat` is asked now."""
        is_right, read = self._readings[asked]
        if not is_right(move):
            try:
                move = read(move)
            except Wrong as wrong:
                return str(wrong)
        reason = self.check(seat, move)
        if reason is not None:
            return reason
        return self.canonical(seat, move) if self._has_canonical else move

    def refusal(self, seat: int, move: Move) -> str | None:
        """Return why `move` is refused, in words for the bot's author; None if it is legal."""
        found = self.read(seat, move)
        return found if isinstance(found, str) else None

    def asks(self, seat: int) -> str:
        """Return the name of what is asked of `seat`, one of the deciders.

        A game whose decisions take time to make says it without making one.
        """
        return self.decision(seat).name

    @classmethod
    def schemas(cls) -> dict[str, Schema]:
        """Return every decision's name and the JSON Schema of its `move`."""
        return {name: schema_of(form) for name, form in cls.decisions.items()}

    @abstractmethod
    def check(self, seat: int, move: Move) -> str | None:
        """Return which rule `move` breaks, in words for the bot's author; None if it is legal.

        The seat is one of the deciders, and the move has the form of what is asked of it: its
        fields and their types are right, and those that were left out have their defaults.
        """

    def canonical(self, seat: int, move: Move) -> Move:
        """Return a legal `move` as it is recorded, where that is more than its form can say.

        So moves that differ only in what means nothing, such as the order of cards, become one.
        """
        return move

    @abstractmethod
    def apply(self, moves: Mapping[int, Move]) -> None:
        """Carry out one move of every decider: each legal and in its form, or the `default`.

        `withdraw` may come between asking and applying; what was collected is still applied.
        """

    @abstractmethod
    def default(self, seat: int) -> Move:
        """Return the move that stands in for a missing or refused one (the rules page's)."""

    @abstractmethod
    def sample(self, seat: int, rng: Random) -> Move:
        """Return a legal move at random; every legal move can come up."""

    @abstractmethod
    def places(self) -> list[int]:
        """Return each seat's place once the game is over: 1 is best, equal numbers share it."""

    def called(self, seat: int) -> str:
        """Return what `seat` is called in the game's own words, such as A or South."""
        return f"seat {seat}"

    def scene(self, seat: int | None = None) -> Sequence[Area]:
        """Return the table as `seat` sees it, or with all eyes open; what has happened, too.

        A game that says nothing of its own is shown by the fields of its views.
        """
        views = self.views(seat)
        open_views = [view for view in views if view is not None]
        shared = {
            field
            for field, value in open_views[0].items()
            if len(open_views) > 1 and all(view.get(field) == value for view in open_views)
        }
        areas = [
            _fields(f"What {self.called(each)} sees", view, {*view} - shared)
            for each, view in enumerate(views)
            if view is not None
        ]
        everybody = [_fields("What all see", open_views[0], shared)] if shared else []
        return [area for area in (*everybody, *areas) if area.rows]

    def views(self, seat: int | None) -> list[Observation | None]:
        """Return by seat its view, where its eyes are open: those of `seat`, or all."""
        return [
            plain(self.view(each)) if seat in (None, each) else None for each in range(self.seats)
        ]

    def scores(self) -> list[int] | list[float] | None:
        """Return what each seat has, counted as `score` says, once the game is over.

        None where nothing is counted. Places follow from the rules alone, never from scores, and
        a match in which a seat forfeited has no scores.
        """
        return None

    def numbers(self) -> dict[str, int | float]:
        """Return a number of the match for each of the `measures`, once the game is over."""
        return {}

    def text(self, seat: int | None = None) -> str:
        """Return the scene in at most 80 columns: as `seat` sees it, or with all eyes open."""
        from referee.rules.drawing import drawn  # here, as most matches are never drawn

        names = [self.called(each) for each in range(self.seats)]
        areas = [*self.scene(seat)]
        if not self.deciders():
            places = (f"{name} {place}" for name, place in zip(names, self.places(), strict=True))
            areas.insert(0, Facts("Over", (), [[f"{self.reason}; places: {', '.join(places)}"]]))
        return drawn(areas, names, seat, self.ground)

    def withdraw(self, seat: int) -> None:  # noqa: B027 - most games have nothing to do
        """Take `seat` out: from now on only its default moves are played."""

    def resample(self, seat: int, rng: Random) -> Self | None:
        """Return another state that `seat` cannot tell from this one by what it is shown now.

        What it has not seen and all that chance is still to bring are drawn anew by `rng`, in a
        new game; this one stays as it is. Where nothing is hidden, `twin(self, rng)` says so. None
        is no such answer: this game does not say what is hidden.
        """
        return None

    def set_up(self, position: str) -> None:
        """Put a match that was just dealt at a position, as the game writes it.

        Raises ArenaError if it is none, and in games whose matches always begin alike.
        """
        raise ArenaError(f"matches of {self.name} cannot begin from a position: give moves.")

    def named(self, seat: int, text: str) -> Move | None:
        """Return the legal move of a decider that people call so; None unless it is just one.

        By default, those that a decision lists are called as `describe` says.
        """
        legal = self.decision(seat).legal or ()
        meant = [move for move in legal if self.describe(seat, move) == text]
        return meant[0] if len(meant) == 1 else None

    def has_played(self, text: str) -> bool:
        """Return whether a move that people call so was made without asking, as the only one.

        Such as were made since the last moves were applied; a list of all moves names them, too.
        """
        return False

    def table(self) -> dict[str, Any]:
        """Return the constants of the game that are worth sending once, at the start."""
        return {}

    def all_moves(self) -> Iterable[tuple[str, list[Move]]]:
        """Yield each decision's name and every move that it may ever list, always in one order.

        A learner gives every move a number by these, or else by what the forms allow.
        """
        return ()

    def describe(self, seat: int, move: Move) -> str:
        """Return `move`, not yet applied, in a few words for people."""
        return json.dumps(move, ensure_ascii=False)


_SAID_ELSEWHERE = ("game", "seat", "decision")


def _fields(label: str, view: Observation, wanted: Collection[str]) -> Facts:
    """Return some fields of a view as a table."""
    rows = [
        (field, json.dumps(value, ensure_ascii=False))
        for field, value in view.items()
        if field in wanted and field not in _SAID_ELSEWHERE
    ]
    return Facts(label, ("Field", "Value"), rows)
