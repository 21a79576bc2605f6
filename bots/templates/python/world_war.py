"""Gathers one large army at a border, and rolls with it over whatever is much weaker.

To try first: place and attack where a continent lacks least, for its bonus every turn.
"""

from __future__ import annotations

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the seven decisions."""
    if ask.decision in ("setup", "deploy"):
        return {"armies": {strongest(ask): ask.limits["armies"]}}
    if ask.decision == "attack":
        return attack(ask)
    if ask.decision == "defend":
        return ask.legal[-1]  # with as many dice as possible
    if ask.decision == "occupy":
        return {"armies": ask.limits["max_armies"]}
    if ask.decision == "fortify":
        return fortify(ask)
    return ask.legal[0]  # trade whenever there is a set


def on(ask: kit.Ask, name: str, field: str) -> int:
    """Return the owner of a territory, or its armies."""
    number: int = ask.view[field][ask.table["territories"][name]["number"]]
    return number


def at_border(ask: kit.Ask, name: str) -> bool:
    """Return whether others hold a neighbour of a territory."""
    borders = ask.table["territories"][name]["borders"]
    return any(on(ask, other, "owner") != ask.seat for other in borders)


def strongest(ask: kit.Ask) -> str:
    """Return our territory with most armies among those at a border."""
    names: list[str] = ask.limits["territories"]
    most, best = 0, names[0]
    for name in names:
        armies = on(ask, name, "armies")
        if at_border(ask, name) and armies > most:
            most, best = armies, name
    return best


def attack(ask: kit.Ask) -> kit.Move:
    """Attack where we have most armies more than the defender, if at least three more."""
    most, move = 2, {"action": "stop"}
    for entry in ask.limits["attacks"]:
        for goal in entry["to"]:
            lead = on(ask, entry["from"], "armies") - on(ask, goal, "armies")
            if lead > most:
                most = lead
                move = {"action": "attack", "from": entry["from"], "to": goal}
                move["dice"] = entry["max_dice"]
                if "max_rolls" in ask.limits:
                    move["rolls"] = ask.limits["max_rolls"]
                    move["stop_at"] = min(3, entry["max_stop_at"])
    return move


def fortify(ask: kit.Ask) -> kit.Move:
    """Bring the largest army that has no enemy beside it one step on, to a border if it can."""
    most, move = 0, {"action": "stay"}
    for entry in ask.limits["moves"]:
        if entry["max_armies"] > most and not at_border(ask, entry["from"]):
            most = entry["max_armies"]
            goals = [name for name in entry["to"] if at_border(ask, name)]
            goal = goals[0] if goals else entry["to"][0]
            move = {"action": "move", "from": entry["from"], "to": goal, "armies": most}
    return move


if __name__ == "__main__":
    kit.run(choose)
