"""Steals whatever is worth more than the trick, and tops its pile with a card hard to match."""

from __future__ import annotations

from math import fsum

import kit

RANKS = "23456789TJQKAX"


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the two decisions."""
    return top(ask) if ask.decision == "top" else steal(ask)


def top(ask: kit.Ask) -> kit.Move:
    """Show the rank of which the fewest cards can come out of a pack; the lowest of such."""
    visible = "".join(card[0] for pile in (*ask.view["piles"], ask.view["won"]) for card in pile)

    def matches(move: kit.Move) -> tuple[int, int]:
        rank = move["top"][0]
        return (2 if rank == "X" else 4) - visible.count(rank), RANKS.index(rank)

    return min(ask.legal, key=matches)


def steal(ask: kit.Ask) -> kit.Move:
    """Rob the biggest pile, unless the card at hand wins more by being played."""
    view = ask.view
    safe = view["protected"]
    open_piles = [move for move in ask.legal if "target" in move and move["target"] not in safe]
    if not open_piles:
        return {"action": "play"}
    best = max(open_piles, key=lambda move: len(view["piles"][move["target"]]))
    gain = len(view["piles"][best["target"]]) + 1
    spread = chance_to_win(view, view["card"]) - average_chance(view)
    return best if gain > spread * pot(view) else {"action": "play"}


def pot(view: kit.Move) -> int:
    """Return how many cards the trick will hold once all have played."""
    waiting = sum(view["up"][seat] is None for seat in view["in_trick"])
    return sum(map(len, view["laid"])) + waiting


def chance_to_win(view: kit.Move, card: str) -> float:
    """Return the chance that `card` is the highest, the cards to come being any."""
    chance = 1.0
    for seat in view["in_trick"]:
        played = view["up"][seat]
        if seat == view["seat"]:
            continue
        if played is None:
            chance *= RANKS.index(card[0]) / len(RANKS)
        elif RANKS.index(played[0]) >= RANKS.index(card[0]):
            return 0.0
    return chance


def average_chance(view: kit.Move) -> float:
    """Return the same for the next card of the pack, which nobody knows."""
    return fsum(chance_to_win(view, rank) for rank in RANKS) / len(RANKS)


if __name__ == "__main__":
    kit.run(choose, samples=0)
