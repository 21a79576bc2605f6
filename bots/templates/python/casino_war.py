"""Bets the least, never on a tie, and always goes to war: so it loses as slowly as one can.

To try first: when the last rounds come and a rival has more money, bet enough to get past it.
"""

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the two decisions."""
    if ask.decision == "bet":
        return {"bet": ask.limits["bet"]["min"], "tie_bet": 0}
    return ask.legal[0]  # war, which on average is never worse than to surrender


if __name__ == "__main__":
    kit.run(choose)
