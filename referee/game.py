"""The contract a game fulfils: pure rules, without processes, clocks or input and output."""

import copy
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, Self, TypeVar

import msgspec

from referee.chance import Chance

_Game = TypeVar("_Game", bound="Game")

Move = dict[str, Any]
"""A reply's `move`: a JSON object, decoded but not yet trusted."""

Observation = dict[str, Any]
"""What one seat may know, as plain JSON; nothing another seat's secret could change."""


def plain(view: Observation) -> Observation:
    """Return a copy of a game's view as plain JSON, which the caller may keep and change."""
    copied: Observation = msgspec.to_builtins(view)
    return copied


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

    added: ClassVar[frozenset[str]] = frozenset()
    """The options that older matches lack, and that are not stored at their defaults."""

    def stored(self) -> dict[str, Any]:
        """Return the options as replays and the settings of leagues hold them."""
        usual = {field.name: field.default for field in msgspec.structs.fields(self)}
        return {
            name: value
            for name, value in msgspec.to_builtins(self).items()
            if name not in self.added or value != usual[name]
        }


class Decision(msgspec.Struct, frozen=True, gc=False):
    """One choice that is asked of one seat now.

    Either `legal` lists every legal move, or, where the list would be huge, `limits` holds the
    numbers and names a program needs to make one.
    """

    name: str
    legal: list[Move] | None = None
    limits: dict[str, Any] | None = None


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
    decisions: ClassVar[Mapping[str, Mapping[str, Any]]]
    """Every decision's name and the JSON Schema of its `move`, fields described."""
    typical_decisions: ClassVar[int]
    """About how many decisions a match takes, for estimates of time."""
    has_chance: ClassVar[bool] = True
    """Whether anything is left to chance.

    Where nothing is, bots that answer alike in the same seats repeat a match move by move.
    """
    illegal_is_sanctioned: ClassVar[bool] = False
    """Whether the rules page has a sanction of its own for an illegal reply.

    Then the fault is recorded, but does not count towards the forfeit.
    """

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        self.seats = seats
        self.options = options
        self.chance = chance
        self.reason = ""
        """In a word, why the game ended; empty while it goes on."""

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

    @abstractmethod
    def check(self, seat: int, move: Move) -> str | None:
        """Return why `move` is refused, in words for the bot's author; None if it is legal."""

    def canonical(self, seat: int, move: Move) -> Move:
        """Return a legal `move` with nothing but what the rules read: that is what is recorded.

        A game whose `check` refuses fields that it does not know has nothing to do here.
        """
        return move

    @abstractmethod
    def apply(self, moves: Mapping[int, Move]) -> None:
        """Carry out one move of every decider; each is legal or the seat's `default`.

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

    @abstractmethod
    def text(self, seat: int | None = None) -> str:
        """Return the table in at most 80 columns: as `seat` sees it, or with all cards open."""

    def withdraw(self, seat: int) -> None:  # noqa: B027 - most games have nothing to do
        """Take `seat` out: from now on only its default moves are played."""

    def resample(self, seat: int, rng: Random) -> Self | None:
        """Return another state that `seat` cannot tell from this one by what it is shown now.

        What it has not seen and all that chance is still to bring are drawn anew by `rng`, in a
        new game; this one stays as it is. Where nothing is hidden, `twin(self, rng)` says so. None
        is no such answer: this game does not say what is hidden.
        """
        return None

    def table(self) -> dict[str, Any]:
        """Return the constants of the game that are worth sending once, at the start."""
        return {}

    def all_moves(self) -> Iterable[tuple[str, list[Move]]]:
        """Yield each decision's name and every move that it may ever list, always in one order.

        A learner gives every move a number by these. None at all means: too many to be numbered.
        """
        return ()

    def describe(self, seat: int, move: Move) -> str:
        """Return `move`, not yet applied, in a few words for people."""
        return json.dumps(move, ensure_ascii=False)
