"""Bets the least, never on a tie, and always goes to war: it loses as slowly as one can."""

from __future__ import annotations

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the two decisions."""
    if ask.decision == "bet":
        return {"bet": ask.limits["bet"]["min"]}
    return {"action": "war"}  # on average never worse than to surrender, whatever was dealt


if __name__ == "__main__":
    kit.run(choose, samples=0)
