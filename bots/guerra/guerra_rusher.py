"""The strongest first, always against the weakest."""

from __future__ import annotations

import kit

SOLDIERS = ("2", "3", "4", "5", "6", "7")


def choose(ask: kit.Ask) -> kit.Move:
    """Deploy the strong in front, attack, and bring in the strongest card between attacks."""
    hand = sorted(ask.view["hand"], key=strength)
    if ask.decision == "deploy":
        return {zone: [hand.pop() for _ in range(count)] for zone, count in ask.limits.items()}
    if ask.decision == "discard":
        return {"cards": [hand[0]]}
    if ask.decision == "attack":
        return attack(ask)
    own, enemy = (front(ask.view["zones"][seat]) for seat in (ask.seat, 1 - ask.seat))
    army = sum(strength(card) for card in own)
    if not hand or any(army >= 2 * strength(card) for card in enemy):
        return {"action": "attack"}
    return {"action": "incorporate", "card": hand[-1], "zone": "vanguard"}


def strength(card: str) -> int:
    """Return what `card` is good for in an attack."""
    return int(card[:-1]) if card[:-1] in SOLDIERS else 1


def front(zones: dict[str, dict[str, int]]) -> dict[str, int]:
    """Return the foremost zone that is not empty."""
    return zones["vanguard"] or zones["centre"] or zones["rearguard"]


def attack(ask: kit.Ask) -> kit.Move:
    """Sweep if possible, else send the strongest against the weakest card."""
    if ask.limits["sweeps"]:
        return {"attackers": ask.limits["sweeps"][:1], "target": None}
    if not ask.limits["attackers"]:
        return {"attackers": [], "target": None}
    strongest = max(ask.limits["attackers"], key=strength)
    return {"attackers": [strongest], "target": min(ask.limits["targets"], key=strength)}


if __name__ == "__main__":
    kit.run(choose, samples=0)
