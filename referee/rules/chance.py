"""Chance keyed by event: every random event is a function of the deal's seed and its own name.

There is no generator to fall out of step: whatever a seat chooses, the events that the rules
still hold in common fall the same. An event's name ends in its place in the rules (round, seat,
attack, roll), never in a running count of draws.
"""

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from math import log
from random import Random
from struct import unpack
from typing import TypeVar

T = TypeVar("T")
Card = TypeVar("Card", bound=Hashable)
Key = str | int

_WORD = 8  # bytes of the stream behind each draw
_WORDS = 2.0**64  # how many of them there are


class Chance:
    """The dice and cards of one deal.

    The stream of an event is SHAKE-128 of the seed and the event's name, read in 64-bit
    little-endian words; a word w becomes a number below n as w * n >> 64, whose bias (n / 2**64)
    no league can see. Nothing here depends on the Python version.
    """

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self._base = hashlib.shake_128(seed.encode() + b"\0")

    def _words(self, count: int, event: tuple[Key, ...]) -> list[int]:
        stream = self._base.copy()
        stream.update("\x1f".join(map(str, event)).encode())
        return [*unpack(f"<{count}Q", stream.digest(count * _WORD))]

    def below(self, limit: int, *event: Key) -> int:
        """Return a whole number from 0 to `limit` - 1."""
        return self._words(1, event)[0] * limit >> 64

    def die(self, sides: int, *event: Key) -> int:
        """Return one roll of a die, from 1 to `sides`."""
        return self.below(sides, *event) + 1

    def dice(self, count: int, sides: int, *event: Key) -> list[int]:
        """Return several rolls of one event; a roll does not depend on how many follow it."""
        return [(word * sides >> 64) + 1 for word in self._words(count, event)]

    def choice(self, items: Sequence[T], *event: Key) -> T:
        """Return one of `items`, which may not be empty."""
        return items[self.below(len(items), *event)]

    def weighted(self, outcomes: Sequence[tuple[int, float]], *event: Key) -> int:
        """Return one of `outcomes`: whole numbers from 0, each with its probability.

        Every number has a word of the event's stream to itself, whichever others are left. So an
        outcome less, as after another choice of a bot, changes the answer only if it was the
        answer. It is an exponential race: the least of -log(u) / probability wins.
        """
        words = self._words(1 + max(number for number, _ in outcomes), event)
        first, likely = outcomes[0][1], [each for each in outcomes if each[1] > 0]
        if all(probability == first for _, probability in likely):  # then the greatest u does
            return max(likely, key=lambda each: words[each[0]])[0]
        return min(likely, key=lambda each: -log((words[each[0]] + 0.5) / _WORDS) / each[1])[0]

    def shuffled(self, items: Sequence[T], *event: Key) -> list[T]:
        """Return a new list of `items` in random order (Fisher and Yates, from the end)."""
        deck = list(items)
        for last, word in zip(
            range(len(deck) - 1, 0, -1), self._words(len(deck), event), strict=False
        ):
            other = word * (last + 1) >> 64
            deck[last], deck[other] = deck[other], deck[last]
        return deck

    def arranged(self, pile: Iterable[Card], universe: Sequence[Card], *event: Key) -> list[Card]:
        """Return the cards of `pile` in random order: as they lie in a shuffled `universe`.

        The event orders all cards there are, whichever of them are at hand. So a card more or
        less, after another choice of a bot, moves no other card, and the order that the pile had
        before does not matter. Of equal cards the pile takes the first in the universe: which
        they are must not depend on the shuffle, or cards with copies elsewhere would come up early.

        Raises `ValueError` if the pile is no part of the universe.
        """
        left = Counter(pile)
        taken = set()
        for place, card in enumerate(universe):
            if left.get(card):
                left[card] -= 1
                taken.add(place)
        if extra := [*left.elements()]:
            raise ValueError(f"more in the pile than in the universe: {extra}")
        order = self.shuffled(range(len(universe)), *event)
        return [universe[place] for place in order if place in taken]


def any_below(limit: int, rng: Random) -> int:
    """Return a whole number from 0 to `limit` - 1, in a third of the time of `rng.randrange`."""
    return int(rng.random() * limit)


def any_of(items: Sequence[T], rng: Random) -> T:
    """Return one of `items`, likewise."""
    return items[any_below(len(items), rng)]
