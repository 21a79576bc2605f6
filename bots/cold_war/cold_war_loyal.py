"""Loyal to the seat opposite, against the two neighbours."""

from __future__ import annotations

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Arm against the neighbours until the alliance is the stronger one, then offer it."""
    if ask.decision == "talk":
        return {"say": ""}
    ally = (ask.seat + 2) % 4
    foes = [(ask.seat + 1) % 4, (ask.seat + 3) % 4]
    markers = ask.view["markers"]
    force = sum(markers[a][b] for a in (ask.seat, ally) for b in foes)
    against = sum(markers[b][a] for a in (ask.seat, ally) for b in foes)
    if force > against:
        return {"play": "attack", "with": ally}
    add = [0, 0, 0, 0]
    for foe in foes:
        add[foe] = 2
    return {"play": "arm", "add": add}


if __name__ == "__main__":
    kit.run(choose, samples=0)
