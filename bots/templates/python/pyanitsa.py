"""Picks up the lowest card first, to lose it again; the highest where the aim is to have cards.

To try first: where both packs are known, let each card meet one that beats it, and mind the six.
"""

import kit

RISING = "23456789TJQKA"
FALLING = "AKQJT98765432"


def choose(ask: kit.Ask) -> kit.Move:
    """Sort what was won by rank; equal ranks stay in the order listed."""
    if ask.decision != "pickup":
        return ask.legal[0]
    ranks = FALLING if ask.options["aim"] == "avoid_empty" else RISING
    won = ask.limits["won"]
    return {"order": [card for rank in ranks for card in won if card[0] == rank]}


if __name__ == "__main__":
    kit.run(choose)
