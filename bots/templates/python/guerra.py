"""Attacks with a Soldier that is stronger than a card it faces, and else brings in cards.

To try first: attack with two Soldiers together, where neither is strong enough alone.
"""

from __future__ import annotations

import kit

ZONES = ("vanguard", "centre", "rearguard")


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the four decisions."""
    if ask.decision == "deploy":
        return deploy(ask.view["hand"], ask.limits)
    if ask.decision == "orders":
        return orders(ask)
    if ask.decision == "attack":
        if ask.limits["sweeps"]:
            return {"attackers": [ask.limits["sweeps"][0]], "target": None}
        return strike(ask.limits["attackers"], ask.limits["targets"])
    return ask.legal[0]


def strength(card: str) -> int:
    """Return how many wounds a card deals, not counting Banners."""
    number = int(card[:-1])
    return number if number < 10 else 2 if number == 11 else 1


def deploy(hand: list[str], limits: dict[str, int]) -> kit.Move:
    """Put the strongest cards in front."""
    left = list(hand)
    move = {}
    for zone in ZONES:
        if zone in limits:
            move[zone] = [strongest(left) for _ in range(limits[zone])]
    return move


def strongest(cards: list[str]) -> str:
    """Take the strongest card out of `cards` and return it."""
    best = max(cards, key=strength)
    cards.remove(best)
    return best


def orders(ask: kit.Ask) -> kit.Move:
    """Attack where a strike is possible, else bring the strongest card of the hand to the front."""
    own, enemy = (front(ask.view["zones"][seat]) for seat in (ask.seat, 1 - ask.seat))
    fighters = [card for card in own if 2 <= int(card[:-1]) <= 7]
    hand = list(ask.view["hand"])
    if not hand or strike(fighters, enemy)["target"]:
        return {"action": "attack"}
    return {"action": "incorporate", "card": strongest(hand), "zone": "vanguard"}


def front(zones: dict[str, dict[str, int]]) -> list[str]:
    """Return the cards of the foremost zone that is not empty."""
    return list(zones["vanguard"] or zones["centre"] or zones["rearguard"])


def strike(attackers: list[str], targets: list[str]) -> kit.Move:
    """Return the first attack that its attacker survives, else the stop."""
    for attacker in attackers:
        for target in targets:
            if strength(attacker) > strength(target):
                return {"attackers": [attacker], "target": target}
    return {"attackers": [], "target": None}


if __name__ == "__main__":
    kit.run(choose)
