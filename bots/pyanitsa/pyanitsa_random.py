"""The cards won in random order."""

from __future__ import annotations

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Shuffle what was won."""
    won = ask.limits["won"]
    return {"order": ask.rng.sample(won, len(won))}


if __name__ == "__main__":
    kit.run(choose, samples=0)
