"""Any legal play at random."""

from __future__ import annotations

import random

import kit

LETTERS = " abcdefghijklmnopqrstuvwxyz"


def choose(ask: kit.Ask) -> kit.Move:
    """Pick the kind of play, then the play."""
    rng = ask.rng
    if ask.decision == "talk":
        return {"say": "".join(rng.choices(LETTERS, k=rng.randint(0, ask.limits["chars"])))}
    others = ask.limits["partners"]
    kind = rng.choice(("arm", "shift", "attack"))
    if kind == "attack":
        return {"play": kind, "with": rng.choice(others)}
    if kind == "arm":
        return {"play": kind, "add": arm(others, ask.limits["add_max"], rng)}
    own = ask.view["markers"][ask.seat]
    return {"play": kind, "move": shift(others, own, ask.limits["move_max"], rng)}


def arm(others: list[int], most: int, rng: random.Random) -> list[int]:
    """Drop missiles one by one; what is not dropped goes to the reserve."""
    add = [0, 0, 0, 0]
    for _ in range(rng.randint(0, most)):
        add[rng.choice(others)] += 1
    return add


def shift(others: list[int], own: list[int], most: int, rng: random.Random) -> list[int]:
    """Re-aim missiles one by one, each from a marker that still has some."""
    move = [0, 0, 0, 0]
    for _ in range(rng.randint(0, most)):
        loaded = [seat for seat in others if own[seat] + move[seat] > 0]
        if loaded:
            move[rng.choice(loaded)] -= 1
            move[rng.choice(others)] += 1
    return move


if __name__ == "__main__":
    kit.run(choose, samples=0)
