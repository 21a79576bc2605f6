"""What the five games of the War family share: the cards and the deal.

A card is its rank and its suit, `TC` the ten of clubs; a joker is `X1`, `X2` ... Suits never
matter. (War's rules page, "Cards".)
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta

SUITS = "CDHS"
RANKS = "23456789TJQKAX"
STRENGTH = {rank: number for number, rank in enumerate(RANKS, start=2)}
"""By a card's first character, how high it is: 2 to 14, a joker 15."""

MOST_JOKERS = 10
LIKE = ["7H", "TC"]
"""How cards are written."""

FrenchCard = Annotated[str, Meta(title="a card", pattern="^([2-9TJQKA][CDHS])$", examples=LIKE)]
"""A card in a reply."""
CardOrJoker = Annotated[
    str, Meta(title="a card", pattern="^([2-9TJQKA][CDHS]|X([1-9]|10))$", examples=LIKE)
]
"""A card or a joker in a reply, whether or not it is in play."""


def strength(card: str) -> int:
    """Return how high `card` is: the number printed on it, then J, Q, K, A and the joker."""
    return STRENGTH[card[0]]


def deck(lowest: str = "2", jokers: int = 0) -> list[str]:
    """Return the cards from rank `lowest` to the ace, and so many jokers, in order."""
    ranks = RANKS[RANKS.index(lowest) : RANKS.index("X")]
    cards = [rank + suit for rank in ranks for suit in SUITS]
    return [*cards, *(f"X{number}" for number in range(1, jokers + 1))]


def lasting(ran_out: Mapping[int, tuple[int, int]], held: Sequence[int]) -> list[tuple[int, ...]]:
    """Return scores: seats still in by the cards `held`, then the last to run out first.

    By each seat that is out, `ran_out` has its last battle, and how many cards it laid there.
    """
    return [
        (1, *(-number for number in ran_out[seat])) if seat in ran_out else (0, -count)
        for seat, count in enumerate(held)
    ]


def deal(shuffled: Sequence[str], seats: int) -> list[list[str]]:
    """Return the packs, top first: as many cards as give each seat the same number."""
    each = len(shuffled) // seats
    return [list(shuffled[seat * each : (seat + 1) * each]) for seat in range(seats)]
