"""Draws or attacks by the toss of a coin; else any legal move at random."""

from __future__ import annotations

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Pick one of the listed moves; the first of a turn's is the draw."""
    if ask.decision == "turn" and ask.rng.random() < 0.5:
        return ask.legal[0]
    return ask.rng.choice(ask.legal)


if __name__ == "__main__":
    kit.run(choose, samples=0)
