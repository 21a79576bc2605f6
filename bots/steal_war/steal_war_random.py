"""Any legal move at random."""

from __future__ import annotations

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Return one of the legal moves; both decisions list them."""
    return ask.rng.choice(ask.legal)


if __name__ == "__main__":
    kit.run(choose, samples=0)
