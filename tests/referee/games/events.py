"""What is said of a game's events of chance, and what two plays of one deal have in common of them.

`test_chance_by_event.py` lets one seat choose otherwise and holds the two plays against the table
of the game in `chances.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from referee.rules.chance import Chance, Key
from referee.rules.game import Game, Move

Name = tuple[Key, ...]
"""The whole name of an event; what it is comes first, then its place in the rules."""
Place = Callable[[Any], tuple[Key, ...]]
"""Where a game has come to, read off the table: an event's name must go on with it."""


class Draw(NamedTuple):
    """One draw on chance."""

    step: int
    """How many steps were taken before it; -1 at the deal."""
    place: tuple[Key, ...]
    """Where in the rules the game was."""


class WatchedChance(Chance):
    """Chance that keeps every draw."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.draws: dict[Name, Draw] = {}
        self.step = -1
        self.place: Callable[[str], tuple[Key, ...]] = lambda what: ()

    def _words(self, count: int, event: Name) -> list[int]:
        self.draws.setdefault(event, Draw(self.step, self.place(str(event[0]))))
        return super()._words(count, event)


@dataclass(frozen=True)
class Event:
    """An event in the course of a game, after the first choice."""

    place: Place
    shared: float
    """Of those to come when a seat chooses otherwise, the part that both plays must come to.

    0 for what is too rare to come up twice at the same place.
    """


def _never(event: Name) -> str | None:
    return None


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A game's table."""

    deal: frozenset[str] = frozenset()
    """The events before the first choice, which all plays have in common."""
    events: Mapping[str, Event] = field(default_factory=dict)
    """Those after it."""
    piles: Callable[[Any], Mapping[str, Sequence[Any]]] = lambda game: {}
    """The cards to come, as they were shuffled: they only get fewer, from one end."""
    renews: Callable[[Name], str | None] = _never
    """The pile that an event shuffles anew, if it does."""
    options: Sequence[Mapping[str, Any]] = ({},)
    """What to play with, so that every event comes up."""
    seats: int | None = None
    """How many play; by default the fewest."""
    prepare: Callable[[Any], None] = lambda game: None
    """What is changed on the table after the deal, so that a rare event comes up."""
    choose: Callable[[Game, int, Random], Move] = lambda game, seat, rng: game.sample(seat, rng)


def reshuffled(pile: str) -> Callable[[Name], str | None]:
    return lambda event: pile if event[0] == "reshuffle" else None


def sampled_or_default(game: Game, seat: int, rng: Random) -> Move:
    """Leave every other choice to the referee, which draws for it."""
    return game.default(seat) if rng.random() < 0.5 else game.sample(seat, rng)
