"""Piles its armies up behind its borders and attacks only with overwhelming force."""

from __future__ import annotations

import kit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORCE = 3
"""How many times the defender's armies it wants before it attacks."""


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the seven decisions."""
    if ask.decision in ("setup", "deploy"):
        return place(ask)
    if ask.decision == "trade":
        return ask.legal[0]
    if ask.decision == "attack":
        return attack(ask)
    if ask.decision == "defend":
        return ask.legal[-1]
    if ask.decision == "occupy":
        return {"armies": ask.limits["max_armies"] // 2}
    return fortify(ask)


def by_name(ask: kit.Ask, field: str) -> dict[str, int]:
    """Return the owner or the armies of every territory."""
    return dict(zip(ask.table["territories"], ask.view[field], strict=True))


def foes(ask: kit.Ask, name: str) -> list[str]:
    """Return the neighbours of a territory that others hold."""
    territories, owner = ask.table["territories"], ask.view["owner"]
    borders: list[str] = territories[name]["borders"]
    return [other for other in borders if owner[territories[other]["number"]] != ask.seat]


def danger(ask: kit.Ask, name: str) -> int:
    """Return by how many armies the strongest hostile neighbour exceeds a territory."""
    armies = by_name(ask, "armies")
    return max((armies[foe] for foe in foes(ask, name)), default=-100) - armies[name]


def place(ask: kit.Ask) -> kit.Move:
    """Strengthen the border most in danger, army by army."""
    fears = {name: danger(ask, name) for name in ask.limits["territories"]}
    placed = dict.fromkeys(fears, 0)
    for _ in range(ask.limits["armies"]):
        name = max(fears, key=lambda each: fears[each])
        fears[name] -= 1
        placed[name] += 1
    return {"armies": placed}


def attack(ask: kit.Ask) -> kit.Move:
    """Attack where the odds are greatest, if they are great enough."""
    armies = by_name(ask, "armies")
    best, move = float(FORCE), None
    for entry in ask.limits["attacks"]:
        for goal in entry["to"]:
            odds = (armies[entry["from"]] - 1) / armies[goal]
            if odds > best and entry["max_dice"] == 3:
                best, move = odds, order(ask, entry, goal)
    return move or {"action": "stop"}


def order(ask: kit.Ask, entry: dict[str, Any], goal: str) -> kit.Move:
    """Return an attack that is broken off when half of the armies are lost."""
    move = {"action": "attack", "from": entry["from"], "to": goal, "dice": entry["max_dice"]}
    if "max_rolls" in ask.limits:
        move["rolls"] = ask.limits["max_rolls"]
        move["stop_at"] = max(1, entry["max_stop_at"] // 2)
    return move


def fortify(ask: kit.Ask) -> kit.Move:
    """Bring the largest force that has no enemy beside it one step on."""
    idle = [entry for entry in ask.limits["moves"] if not foes(ask, entry["from"])]
    if not idle:
        return {"action": "stay"}
    entry = max(idle, key=lambda each: int(each["max_armies"]))
    goal = max(entry["to"], key=lambda name: danger(ask, name))
    return {"action": "move", "from": entry["from"], "to": goal, "armies": entry["max_armies"]}


if __name__ == "__main__":
    kit.run(choose, samples=0)
