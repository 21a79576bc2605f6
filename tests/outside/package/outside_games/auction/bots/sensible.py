"""Offers the share of its money that the pot is of all prizes to come."""

import kit


def choose(ask):
    """Return an offer."""
    pot, money = sum(ask.view["pot"]), ask.view["money"][ask.seat]
    return {"bid": money * pot // (pot + sum(ask.view["left"]))}


if __name__ == "__main__":
    kit.run(choose)
