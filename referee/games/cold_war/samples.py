"""Plays of Cold War at random."""

from collections.abc import Sequence
from random import Random

from referee.games.cold_war.seats import REACH, RIVALS
from referee.rules.game import Move


def sample_arm(seat: int, deployable: int, rng: Random) -> Move:
    """Return an arm of any missiles, at most `deployable`."""
    total = int(rng.random() * (deployable + 1))
    low, high = sorted((int(rng.random() * (total + 1)), int(rng.random() * (total + 1))))
    add = [low, high - low, total - high]
    add.insert(seat, 0)
    return {"play": "arm", "add": add}


def sample_shift(seat: int, own: Sequence[int], rng: Random) -> Move:
    """Return a shift of any of its `own` markers."""
    first = int(rng.random() * 3)
    hub, one, two = (RIVALS[seat][(first + turn) % 3] for turn in range(3))
    move = [0, 0, 0, 0]
    if rng.random() < 0.5:  # one marker feeds the two others
        moved = int(rng.random() * (min(REACH, own[hub]) + 1))
        move[one] = int(rng.random() * (moved + 1))
        move[two] = moved - move[one]
    else:
        move[one] = -int(rng.random() * (min(REACH, own[one]) + 1))
        move[two] = -int(rng.random() * (min(REACH + move[one], own[two]) + 1))
    move[hub] = -move[one] - move[two]
    return {"play": "shift", "move": move}


def sample_cards(seat: int, rng: Random) -> Move:
    """Return an arm or a shift of any numbers."""
    kind, field, lowest = ("arm", "add", 0) if rng.random() < 0.5 else ("shift", "move", -REACH)
    entries = [lowest + int(rng.random() * (REACH + 1 - lowest)) for _ in RIVALS[seat]]
    entries.insert(seat, 0)
    return {"play": kind, field: entries}
