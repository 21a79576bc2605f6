"""Parries what it can, rests when weak, and strikes when the rival has few cards.

To try first: attack as soon as the rival's answer costs more than the attack, with long ladders.
"""

import kit

PRICE = {"O": 1, "C": 2}
"""What a defence costs in dexterity, by suit."""
RESERVE = 4
"""The stamina and the dexterity below which it rests."""


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the four decisions."""
    if ask.decision == "action":
        return act(ask)
    if ask.decision == "defend":
        return defend(ask)
    if ask.decision == "emergency_parry":
        return {"use": ask.view["stamina"][ask.seat] > RESERVE}
    return ask.legal[0]  # choose_trait: the first die


def act(ask: kit.Ask) -> kit.Move:
    """Rest when weak, strike a rival with few cards, prepare, else draw; one action a turn."""
    view, me = ask.view, ask.seat
    wanted = ["end_turn"]
    if view["stamina"][me] < RESERVE:
        wanted.append("breathe")
    if view["dexterity"][me] < RESERVE:
        wanted.append("footwork")
    if view["hand_size"][1 - me] < 3 and view["dexterity"][me] > 2:
        wanted.append("attack")
    wanted += ["observe", "feint"]
    for action in wanted:
        for move in ask.legal:
            if move["action"] == action:
                return move
    return ask.legal[0]


def defend(ask: kit.Ask) -> kit.Move:
    """Return the first defence that holds and can be paid, else none."""
    for move in ask.legal:
        if move["cards"]:
            suit = move["cards"][0][0]
            guard = len(move["cards"]) + ask.view["bonus"][ask.seat][suit]
            holds = guard >= ask.view["attack"]["strength"]
            if holds and ask.view["dexterity"][ask.seat] > PRICE[suit]:
                return move
    return {"cards": []}


if __name__ == "__main__":
    kit.run(choose)
