"""Picks up the highest card first, so that it comes up again before the low ones.

To try first: where both packs are known, put each card where it meets one that it just beats.
"""

import kit

RANKS = "23456789TJQKAX"


def choose(ask: kit.Ask) -> kit.Move:
    """Sort what was won, the highest first; equal ranks stay in the order listed."""
    if ask.decision != "pickup":
        return ask.legal[0]
    won = ask.limits["won"]
    return {"order": [card for rank in reversed(RANKS) for card in won if card[0] == rank]}


if __name__ == "__main__":
    kit.run(choose)
