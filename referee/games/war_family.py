"""What the five games of the War family share: the cards and the deal.

A card is its rank and its suit, `TC` the ten of clubs; a joker is `X1`, `X2` ... Suits never
matter. (Rules page "The War family", common ground.)
"""

from collections.abc import Mapping, Sequence
from typing import Any

SUITS = "CDHS"
RANKS = "23456789TJQKAX"
STRENGTH = {rank: number for number, rank in enumerate(RANKS, start=2)}
"""By a card's first character, how high it is: 2 to 14, a joker 15."""


MOST_JOKERS = 4


def strength(card: str) -> int:
    """Return how high `card` is: the number printed on it, then J, Q, K, A and the joker."""
    return STRENGTH[card[0]]


def deck(lowest: str = "2", jokers: int = 0) -> list[str]:
    """Return the cards from rank `lowest` to the ace, and so many jokers, in order."""
    ranks = RANKS[RANKS.index(lowest) : RANKS.index("X")]
    cards = [rank + suit for rank in ranks for suit in SUITS]
    return [*cards, *(f"X{number}" for number in range(1, jokers + 1))]


CARDS = frozenset(deck(jokers=MOST_JOKERS))
"""The names of all cards there are."""


def deal(shuffled: Sequence[str], seats: int) -> list[list[str]]:
    """Return the packs, top first: as many cards as give each seat the same number."""
    each = len(shuffled) // seats
    return [list(shuffled[seat * each : (seat + 1) * each]) for seat in range(seats)]


JSON_TYPES = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
}


def wrong_fields(move: Mapping[str, Any], *fields: str) -> str | None:
    """Return which of `fields` is missing in `move`, or what it has besides; None if neither."""
    for field in fields:
        if field not in move:
            return f'"{field}" is missing'
    for field in move:
        if field not in fields:
            named = " and ".join(f'"{known}"' for known in fields)
            return f"{field[:20]!r} is no field of this reply, which has {named} only"
    return None


def wrong_card(card: object, example: str = "'7H' or 'TC'") -> str | None:
    """Return why `card` is not a card's name, whether or not it is in play; None if it is one."""
    if not isinstance(card, str):
        return f"a card is written like {example}, not as {JSON_TYPES[type(card)]}"
    if card in CARDS:
        return None
    return f"{card[:20]!r} is not a card; a card is written like {example}"
