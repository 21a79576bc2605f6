"""What is said of a game's events of chance, and what two plays of one deal have in common of them.

`test_chance_by_event.py` lets one seat choose otherwise and holds the two plays against the table
of the game in `chances.py`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from referee.chance import Chance, Key
from referee.game import Game, Move

Name = tuple[Key, ...]
"""The whole name of an event; what it is comes first, then its place in the rules."""
Place = Callable[[Any], tuple[Key, ...]]
"""Where a game has come to, read off the table: an event's name must go on with it."""


class Draw(NamedTuple):
    """One draw on chance: what was asked and what came of it."""

    question: tuple[Any, ...]
    answer: list[Any]
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

    def below(self, limit: int, *event: Key) -> int:
        number = super().below(limit, *event)
        self._keep(event, ("below", limit), [number])
        return number

    def dice(self, count: int, sides: int, *event: Key) -> list[int]:
        rolls = super().dice(count, sides, *event)
        self._keep(event, ("dice", count, sides), rolls)
        return rolls

    def shuffled(self, items: Sequence[Any], *event: Key) -> list[Any]:
        deck = super().shuffled(items, *event)
        self._keep(event, ("shuffled", *items), [*deck])
        return deck

    def arranged(self, pile: Iterable[Any], universe: Sequence[Any], *event: Key) -> list[Any]:
        cards = super().arranged(pile, universe, *event)
        self._keep(event, ("arranged", *universe), [*cards])
        return cards

    def _keep(self, event: Name, question: tuple[Any, ...], answer: list[Any]) -> None:
        self.draws[event] = Draw(question, answer, self.step, self.place(str(event[0])))


# --- what two plays have in common where both come to an event


Holds = Callable[[Draw, Draw], bool]


def the_same_as_far_as_both_throw(one: Draw, other: Draw) -> bool:
    """Whoever throws more dice throws the others' first."""
    return all(die == another for die, another in zip(one.answer, other.answer, strict=False))


def the_same_of_as_many(one: Draw, other: Draw) -> bool:
    """With as many to choose among, it falls on the same of them."""
    return one.question != other.question or one.answer == other.answer


def as_deep(one: Draw, other: Draw) -> bool:
    """The card lies as deep in what is left, to less than one card; among as many, the same."""
    (one_at, one_left), (other_at, other_left) = (
        (draw.answer[0], draw.question[1]) for draw in (one, other)
    )
    if one_left == other_left:
        return one_at == other_at
    apart = abs(one_at / one_left - other_at / other_left)
    return apart < 1 / min(one_left, other_left)


def in_one_order_of_all_cards(one: Draw, other: Draw) -> bool:
    """All cards there are lie in one order, whichever of them are at hand.

    That shows in the cards of which both plays have as many: nobody sees which copy is missing.
    """
    ours, theirs = Counter(one.answer), Counter(other.answer)
    seen = [[card for card in draw.answer if ours[card] == theirs[card]] for draw in (one, other)]
    return one.question == other.question and seen[0] == seen[1]


# --- the tables


@dataclass(frozen=True)
class Event:
    """An event in the course of a game, after the first choice."""

    place: Place
    holds: Holds
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
