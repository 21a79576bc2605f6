"""Nothing is ever asked in this game: it waits for the end."""

from __future__ import annotations

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Return any legal move, were one ever asked for."""
    return ask.rng.choice(ask.legal)


if __name__ == "__main__":
    kit.run(choose, samples=0)
