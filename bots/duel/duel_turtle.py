"""Parries whatever it can, keeps its hand full, and thrusts only where nothing can come back."""

from __future__ import annotations

import kit

TRAITS = (5, 1, 6, 8, 2, 3, 4, 7)
"""The traits, the one it likes best first."""
RESERVE = 4
"""The stamina and the dexterity below which it rests."""


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the four decisions."""
    if ask.decision == "choose_trait":
        return min(ask.legal, key=lambda move: TRAITS.index(move["trait"]))
    if ask.decision == "action":
        return act(ask)
    if ask.decision == "defend":
        return min(ask.legal, key=lambda move: left_open(ask, move["cards"]))
    return {"use": ask.view["stamina"][ask.seat] > RESERVE or lost(ask)}


def act(ask: kit.Ask) -> kit.Move:
    """Rest when weak, draw when the hand is thin, strike the helpless, and wait otherwise."""
    view, me = ask.view, ask.seat
    names = [move["action"] for move in ask.legal]
    if "end_turn" in names:
        return {"action": "end_turn"}
    for rest, point in (("breathe", "stamina"), ("footwork", "dexterity")):
        if rest in names and view[point][me] < RESERVE:
            return {"action": rest}
    attacks = [move for move in ask.legal if move["action"] == "attack"]
    if attacks and (view["hand_size"][1 - me] <= 2 or view["dexterity"][1 - me] == 1):
        return max(attacks, key=lambda move: len(move["cards"]))
    potentiators = [m for m in ask.legal if m["action"] == "observe" and m["card"][0] in "OC"]
    if potentiators and view["hand_size"][me] > 3:
        return potentiators[0]
    return {"action": "feint"} if "feint" in names else ask.legal[0]


def left_open(ask: kit.Ask, cards: list[str]) -> tuple[bool, int, int]:
    """Return how bad a defence is: if it is the last, the points it leaves, the cards it takes."""
    guard = len(cards) + ask.view["bonus"][ask.seat][cards[0][0]] if cards else 0
    price = {"O": 1, "C": 2}[cards[0][0]] if cards else 0
    fatal = ask.view["dexterity"][ask.seat] <= price
    return fatal, max(0, ask.view["attack"]["strength"] - guard), len(cards)


def lost(ask: kit.Ask) -> bool:
    """Return whether the retreat would end the duel, and a parry would not."""
    steps = ask.view["pawn"] if ask.seat == 0 else -ask.view["pawn"]
    fatal = steps + ask.view["attack"]["retreat"][ask.seat] >= 4
    return bool(fatal and ask.view["stamina"][ask.seat] > 2)


if __name__ == "__main__":
    kit.run(choose, samples=0)
