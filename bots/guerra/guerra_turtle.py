"""Digs in: gathers all it can in the Rearguard, and strikes only where it loses nothing."""

from __future__ import annotations

import kit

SOLDIERS = range(2, 8)
TROOPS = {1: 4, 10: 1, 11: 2, 12: 3}
"""What a card that is no Soldier counts at the end."""


def choose(ask: kit.Ask) -> kit.Move:
    """Keep what counts most furthest back, and bring in more of it whenever no blow is free."""
    hand = sorted(ask.view["hand"], key=lambda card: (troops(card), card))
    if ask.decision == "deploy":
        return {
            zone: [hand.pop(0 if zone == "vanguard" else -1) for _ in range(count)]
            for zone, count in ask.limits.items()
        }
    if ask.decision == "discard":
        return {"cards": hand[:1]}
    if ask.decision == "attack":
        return attack(ask.limits["attackers"], ask.limits["targets"], ask.limits["sweeps"])
    own, enemy = (front(ask.view["zones"][seat]) for seat in (ask.seat, 1 - ask.seat))
    if not hand or (len(hand) < 8 and attack(own, enemy, [])["attackers"]):
        return {"action": "attack"}
    return {"action": "incorporate", "card": hand[-1], "zone": "rearguard"}


def troops(card: str) -> int:
    """Return what `card` counts at the end."""
    number = int(card[:-1])
    return TROOPS.get(number, number)


def value(card: str, zone: list[str]) -> int:
    """Return the value of `card`, doubled beside its Banner."""
    number = int(card[:-1])
    if number in (1, 11):
        return 2 if number == 11 else 1
    return (number if number in SOLDIERS else 1) * (2 if "1" + card[-1] in zone else 1)


def front(zones: dict[str, dict[str, int]]) -> list[str]:
    """Return the cards of the foremost zone that is not empty."""
    return list(zones["vanguard"] or zones["centre"] or zones["rearguard"])


def attack(own: list[str], enemy: list[str], sweeps: list[str]) -> kit.Move:
    """Sweep if possible, else send the weakest Soldier that is stronger than some enemy card."""
    if sweeps:
        return {"attackers": sweeps[:1], "target": None}
    for card in sorted(own, key=troops):
        weaker = [other for other in enemy if value(other, enemy) < troops(card)]
        if weaker and int(card[:-1]) in SOLDIERS:
            return {"attackers": [card], "target": max(weaker, key=troops)}
    return {"attackers": [], "target": None}


if __name__ == "__main__":
    kit.run(choose, samples=0)
