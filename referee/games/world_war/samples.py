"""A legal reply in World War at random: every one can come up, bold ones oftener."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from referee.games.world_war.battle import MOST_ROLLS, most_dice
from referee.games.world_war.board import TERRITORIES
from referee.games.world_war.forces import Forces, Reach
from referee.rules.game import Move

T = TypeVar("T")

STOPS = 0.1
"""The share of attack decisions at which combats are ended."""
STAYS = 0.2


def sample_placement(own: Sequence[int], total: int, rng: Random) -> Move:
    """Return armies all on one territory, or each wherever it falls."""
    armies: dict[str, int] = {}
    if rng.random() < 0.5:
        armies[TERRITORIES[_pick(own, rng)]] = total
    else:
        for _ in range(total):
            name = TERRITORIES[_pick(own, rng)]
            armies[name] = armies.get(name, 0) + 1
    return {"armies": armies}


def sample_attack(forces: Forces, reach: Reach, mode: str, rng: Random) -> Move:
    """Return the stop, or an attack by as many dice as possible or fewer."""
    if rng.random() < STOPS:
        return {"action": "stop"}
    source, targets = _pick(reach, rng)
    spare = forces.armies[source] - 1
    move: Move = {
        "action": "attack",
        "from": TERRITORIES[source],
        "to": TERRITORIES[_pick(targets, rng)],
        "dice": _up_to(most_dice(spare), most_dice(spare), rng),
    }
    if mode == "order":
        move["rolls"] = _up_to(MOST_ROLLS, 1 + _below(20, rng), rng)
        move["stop_at"] = _up_to(spare, 1, rng)
    return move


def sample_fortify(forces: Forces, reach: Reach, rng: Random) -> Move:
    """Return the stay, or the move of some or all armies that can go."""
    if rng.random() < STAYS:
        return {"action": "stay"}
    source, goals = _pick(reach, rng)
    spare = forces.armies[source] - 1
    return {
        "action": "move",
        "from": TERRITORIES[source],
        "to": TERRITORIES[_pick(goals, rng)],
        "armies": _up_to(spare, spare, rng),
    }


def sample_number(field: str, least: int, most: int, rng: Random) -> Move:
    """Return a reply that is one number, oftenest the most."""
    usual = most if rng.random() < 0.5 else least + _below(most - least + 1, rng)
    return {field: usual}


def _up_to(most: int, usual: int, rng: Random) -> int:
    """Return the usual number, or any from 1 to the most."""
    return usual if rng.random() < 0.5 else 1 + _below(most, rng)


def _below(limit: int, rng: Random) -> int:
    return int(rng.random() * limit)  # a third of the time of `randrange`


def _pick(items: Sequence[T], rng: Random) -> T:
    return items[_below(len(items), rng)]
