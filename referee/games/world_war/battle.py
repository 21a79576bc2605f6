"""World War's combats: an attack, its rolls, and what they cost."""

from collections.abc import Sequence
from operator import gt
from typing import NamedTuple

from referee.games.world_war.forces import Forces
from referee.rules.chance import Chance, Key

MOST_DICE = 3
MOST_ROLLS = 1000

Roll = list[list[int]]
"""The attacker's dice and the defender's, each from high to low."""


class Attack(NamedTuple):
    """An attack that was ordered, its territories by number."""

    source: int
    target: int
    dice: int
    rolls: int = 1
    stop_at: int = 1


def most_dice(armies: int) -> int:
    """Return the most dice that so many armies can throw."""
    return min(MOST_DICE, armies)


def losses(attack: Sequence[int], defence: Sequence[int]) -> tuple[int, int]:
    """Return what attacker and defender lose by dice that are sorted from high to low."""
    pairs = min(len(attack), len(defence))
    beaten = sum(map(gt, attack, defence))
    return pairs - beaten, beaten


class Fought(NamedTuple):
    """What became of an attack."""

    rolls: list[Roll]
    attacker_lost: int
    defender_lost: int


def fight(
    forces: Forces, attack: Attack, defence: int, chance: Chance, place: Sequence[Key]
) -> Fought:
    """Roll an attack out and take off the losses.

    A roll is one event, named by the attack's `place` in the rules and its number: three dice
    for each side, whatever is thrown of them, so that the numbers chosen change no die.
    """
    source, target = attack.source, attack.target
    ours, theirs = before = forces.armies[source], forces.armies[target]
    rolls = []
    for number in range(1, attack.rolls + 1):
        faces = chance.dice(2 * MOST_DICE, 6, "roll", *place, number)
        thrown = sorted(faces[: min(attack.dice, ours - 1)], reverse=True)
        against = sorted(faces[MOST_DICE:][: min(defence, theirs)], reverse=True)
        rolls.append([thrown, against])
        lost, killed = losses(thrown, against)
        ours -= lost
        theirs -= killed
        if theirs == 0 or ours <= attack.stop_at:
            break
    forces.armies[source], forces.armies[target] = ours, theirs
    return Fought(rolls, before[0] - ours, before[1] - theirs)
