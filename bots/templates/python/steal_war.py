"""Steals the largest pile it can, and tops its own with the rank that lies open most often.

To try first: play a high card, instead of stealing a small pile with it, in a war over many cards.
"""

from __future__ import annotations

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Return the first of the moves that are worth most."""
    best = ask.legal[0]
    for move in ask.legal:
        if worth(ask, move) > worth(ask, best):
            best = move
    return best


def worth(ask: kit.Ask, move: kit.Move) -> int:
    """Return how many cards a theft takes, or how few can match the card on top."""
    piles = ask.view["piles"]
    if ask.decision == "top":
        rank = move["top"][0]
        seen = count(rank, ask.view["won"]) + sum(count(rank, pile) for pile in piles)
        return seen + 2 if rank == "X" else seen  # there are only two jokers
    if ask.decision == "steal" and move["action"] == "steal":
        return 0 if move["target"] in ask.view["protected"] else len(piles[move["target"]])
    return 0


def count(rank: str, cards: list[str]) -> int:
    """Return how many of the cards are of a rank."""
    return sum(card[0] == rank for card in cards)


if __name__ == "__main__":
    kit.run(choose)
