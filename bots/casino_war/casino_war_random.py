"""Any legal move at random, with a tie bet every other time."""

from __future__ import annotations

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the two decisions."""
    return bet(ask) if ask.decision == "bet" else ask.rng.choice(ask.legal)


def bet(ask: kit.Ask) -> kit.Move:
    """Return any bet, and any tie bet the money allows, or none."""
    stakes, on_tie = ask.limits["bet"], ask.limits["tie_bet"]
    stake = ask.rng.randrange(stakes["min"], stakes["max"] + 1, 2)
    most = min(on_tie["max"], ask.limits["money"] - stake)
    return {"bet": stake, "tie_bet": ask.rng.choice((0, ask.rng.randint(0, most)))}


if __name__ == "__main__":
    kit.run(choose, samples=0)
