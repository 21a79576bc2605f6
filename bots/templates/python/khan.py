"""Gathers in peace, and defends itself with whatever it has.

To try first: attack a seat that has tokens in front but few cards, when you hold a leader and a
ladder of two.
"""

import kit

LEADERS = ("C10", "C11", "C12")
FIGHT = ("reveal", "gunpowder", "poison", "replace_leader", "retreat")


def choose(ask: kit.Ask) -> kit.Move:
    """Draw, give up what makes no ladder, and in a combat show and use all there is."""
    if ask.decision == "discard":
        for move in ask.legal:
            if move["from"] == "hand" and not useful(ask, move["discard"]):
                return move
    if ask.decision in FIGHT:
        return ask.legal[-1]  # the first one listed does nothing
    return ask.legal[0]  # of a turn's moves it is the draw


def useful(ask: kit.Ask, card: str) -> bool:
    """Return whether a card is a leader or an ace, or has a neighbour of its suit in the hand."""
    rank = int(card[1:])
    if card in LEADERS or rank == 1:
        return True
    return any(f"{card[0]}{rank + step}" in ask.view["hand"] for step in (-1, 1))


if __name__ == "__main__":
    kit.run(choose)
