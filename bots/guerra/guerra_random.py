"""Any legal move at random."""

from __future__ import annotations

import kit

STEPS = {"vanguard": ("centre",), "centre": ("vanguard", "rearguard"), "rearguard": ("centre",)}


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the four decisions."""
    if ask.decision == "deploy":
        return deploy(ask)
    if ask.decision == "orders":
        return orders(ask)
    if ask.decision == "attack":
        return attack(ask)
    return ask.rng.choice(ask.legal)


def deploy(ask: kit.Ask) -> kit.Move:
    """Deal cards of the hand to the zones that are asked for."""
    cards = ask.rng.sample(ask.view["hand"], len(ask.view["hand"]))
    return {zone: [cards.pop() for _ in range(count)] for zone, count in ask.limits.items()}


def orders(ask: kit.Ask) -> kit.Move:
    """Attack, incorporate a card or move several."""
    hand = ask.view["hand"]
    action = ask.rng.choice(("attack", "incorporate", "mass_transfer"))
    if action == "mass_transfer":
        return {"action": action, "moves": mass_transfer(ask)}
    move: kit.Move = {"action": "attack", "transfers": transfers(ask)}
    if action == "incorporate" and hand:
        move.update(action=action, card=ask.rng.choice(hand), zone=ask.rng.choice(list(STEPS)))
    return move


def standing(ask: kit.Ask) -> list[tuple[str, str]]:
    """Return our cards on the table, each with its zone, in random order."""
    cards = [(card, zone) for zone in STEPS for card in ask.view["zones"][ask.seat][zone]]
    ask.rng.shuffle(cards)
    return cards


def mass_transfer(ask: kit.Ask) -> list[kit.Move]:
    """Return one step for each of some cards."""
    cards = standing(ask)
    some = cards[: ask.rng.randint(1, len(cards))]
    return [{"card": card, "to": ask.rng.choice(STEPS[zone])} for card, zone in some]


def transfers(ask: kit.Ask) -> list[kit.Move]:
    """Return no transfer, or some, of cards that have not moved yet."""
    cards = standing(ask)
    moves = []
    for _ in range(ask.rng.randint(0, ask.limits["transfers"])):
        if cards:
            card, zone = cards.pop()
            goal = ask.rng.choice(STEPS[zone])
            other = ask.rng.choice([None, *(pair for pair in cards if pair[1] == goal)])
            if other:
                cards.remove(other)
            moves.append({"card": card, "to": goal, "swap_with": other and other[0]})
    return moves


def attack(ask: kit.Ask) -> kit.Move:
    """Stop, or send a group, a sweep or a duel."""
    rng, limits = ask.rng, ask.limits
    kind = rng.choice(
        [name for name in ("attackers", "sweeps", "duels") if limits[name]] + ["stop"]
    )
    if kind == "attackers":
        group = rng.sample(limits["attackers"], rng.randint(1, len(limits["attackers"])))
        return {"attackers": group, "target": rng.choice(limits["targets"])}
    if kind == "sweeps":
        return {"attackers": [rng.choice(limits["sweeps"])], "target": None}
    if kind == "duels":
        knight, target = rng.choice(limits["duels"])
        return {"attackers": [knight], "target": target}
    return {"attackers": [], "target": None}


if __name__ == "__main__":
    kit.run(choose, samples=0)
