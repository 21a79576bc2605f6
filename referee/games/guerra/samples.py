"""A legal reply in Guerra at random: first the kind of reply, then what it names."""

from collections.abc import Mapping
from random import Random

from referee.games.guerra.battle import STEPS, ZONES, Army, Attacks
from referee.rules.chance import any_below, any_of
from referee.rules.game import Move

_KINDS = ("attackers", "sweeps", "duels", "archers")
"""Those of the lists of open attacks that each stand for a kind of attack."""


def sample_deploy(army: Army, asked: Mapping[str, int], rng: Random) -> Move:
    """Return cards of the hand for the zones `asked` for."""
    cards = rng.sample(army.hand, sum(asked.values()))
    return {zone: [cards.pop() for _ in range(count)] for zone, count in asked.items()}


def sample_orders(army: Army, transfers: int, rng: Random) -> Move:
    """Return an attack, an incorporation or a mass transfer."""
    actions = ["attack", "mass_transfer"]
    if army.hand:
        actions.append("incorporate")
    action = any_of(actions, rng)
    if action == "mass_transfer":
        return {"action": action, "moves": _moves(army, rng)}
    move: Move = {"action": action, "transfers": _transfers(army, transfers, rng)}
    if action == "incorporate":
        move["card"] = any_of(army.hand, rng)
        move["zone"] = any_of(ZONES, rng)
    return move


def sample_attack(attacks: Attacks, rng: Random) -> Move:
    """Return the stop, a group's attack, a sweep, a duel or a shot."""
    kinds = [kind for kind, cards in attacks.items() if cards and kind in _KINDS]
    kind = any_of([*kinds, "stop"], rng)
    if kind == "attackers":
        group = rng.sample(attacks["attackers"], 1 + any_below(len(attacks["attackers"]), rng))
        return {"attackers": group, "target": any_of(attacks["targets"], rng)}
    if kind == "sweeps":
        return {"attackers": [any_of(attacks["sweeps"], rng)], "target": None}
    if kind == "duels":
        knight, target = any_of(attacks["duels"], rng)
        return {"attackers": [knight], "target": target}
    if kind == "archers":
        archer, target = any_of(attacks["archers"], rng), any_of(attacks["in_range"], rng)
        return {"attackers": [archer], "target": target}
    return {"attackers": [], "target": None}


def _transfers(army: Army, most: int, rng: Random) -> list[Move]:
    free = [(card, name) for name, zone in army.zones.items() for card in zone]
    transfers = []
    for _ in range(any_below(most + 1, rng)):
        if not free:
            break
        card, here = free.pop(any_below(len(free), rng))
        to = any_of(STEPS[here], rng)
        swaps = [*((other, zone) for other, zone in free if zone == to), None]
        swap = any_of(swaps, rng)
        if swap:
            free.remove(swap)
        transfers.append({"card": card, "to": to, "swap_with": swap[0] if swap else None})
    return transfers


def _moves(army: Army, rng: Random) -> list[Move]:
    moves: list[Move] = []
    while not moves:
        moves = [
            {"card": card, "to": to}
            for name, zone in army.zones.items()
            for card in zone
            if (to := any_of(("", *STEPS[name]), rng))
        ]
    return moves
