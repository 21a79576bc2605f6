"""World War's cards: what is a set, and what an exchange brings."""

from collections.abc import Sequence
from itertools import combinations

from referee.games.world_war.board import JOKER, WEAPON

SET = 3
MOST_IN_HAND = 5
ALIKE = {"cannon": 4, "infantry": 6, "cavalry": 8}
DIFFERENT = 10
"""One of each weapon, or a joker in place of one."""
WITH_JOKER = 12
"""A joker with two alike, or two jokers."""
BY_EXCHANGE = (4, 6, 8, 10, 12, 15, 20, 25)
"""In the form `world`, the armies of the first exchanges of the whole table."""
LATER = 5
"""How much more each later exchange brings than the one before."""
ON_OWN = 2
"""The armies that appear at once on an own territory whose card is shown."""


def worth(cards: Sequence[int]) -> int:
    """Return what the secret form pays for three cards; 0 if they are no set."""
    weapons = [WEAPON[card] for card in cards if WEAPON[card] != JOKER]
    kinds = len(set(weapons))
    jokers = SET - len(weapons)
    if jokers == 0:
        return DIFFERENT if kinds == SET else ALIKE[weapons[0]] if kinds == 1 else 0
    return DIFFERENT if kinds == len(weapons) == SET - 1 else WITH_JOKER


def exchange_armies(exchange: int) -> int:
    """Return what the form `world` pays for the exchange of this number, from 0, at the table."""
    beyond = exchange - len(BY_EXCHANGE)
    return BY_EXCHANGE[exchange] if beyond < 0 else BY_EXCHANGE[-1] + LATER * (beyond + 1)


def sets(hand: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the sets in a hand that is in order, the first by the board's order first."""
    return [cards for cards in combinations(hand, SET) if worth(cards)]
