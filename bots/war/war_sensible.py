"""Plays the next battles out in its head, for each order it might pick up."""

from __future__ import annotations

from itertools import permutations

import kit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RANKS = "23456789TJQKAX"
HEIGHT = {rank: number for number, rank in enumerate(RANKS, start=2)}
HORIZON = 30
"""How many battles it looks ahead."""
VICTORY = 10_000

Packs = list[list[int]]
"""Each seat's cards, top first, by their heights."""


def choose(ask: kit.Ask) -> kit.Move:
    """Return the order that leaves us strongest; while little is known, the highest first."""
    if mostly_unseen(ask):
        return {"order": falling(ask.limits["won"])}
    packs = guessed(ask)
    orders = candidates(ask)
    ask.rng.shuffle(orders)
    return {"order": max(orders, key=lambda order: worth(order, packs, ask))}


def mostly_unseen(ask: kit.Ask) -> bool:
    """Tell whether we know less than half of the cards in the others' packs."""
    packs = [pack for seat, pack in enumerate(ask.view["packs"]) if seat != ask.seat]
    unseen = sum(pack.count(None) for pack in packs)
    return bool(2 * unseen > sum(map(len, packs)))


def falling(cards: list[str]) -> list[str]:
    """Return `cards`, the highest first."""
    return sorted(cards, key=lambda card: HEIGHT[card[0]], reverse=True)


def guessed(ask: kit.Ask) -> Packs:
    """Return all packs; where a card is unknown, one of those that are left lies there."""
    packs = ask.view["packs"]
    seen = {card for pack in packs for card in pack}.union(ask.limits["won"])
    unseen = [card for card in ask.table["cards"] if card not in seen]
    ask.rng.shuffle(unseen)
    return [[HEIGHT[(card or unseen.pop())[0]] for card in pack] for pack in packs]


def candidates(ask: kit.Ask) -> list[list[str]]:
    """Return every order of a few cards, or some of the orders of many."""
    won = ask.limits["won"]
    if len(won) <= 3:
        return [list(order) for order in permutations(won)]
    orders = [falling(won), falling(won)[::-1], won]
    return orders + [ask.rng.sample(won, len(won)) for _ in range(4)]


def worth(order: list[str], packs: Packs, ask: kit.Ask) -> int:
    """Return how strong we are some battles later, if all pick up the highest card first."""
    packs = [pack.copy() for pack in packs]
    packs[ask.seat] += [HEIGHT[card[0]] for card in order]
    for battle in range(HORIZON):
        if not packs[ask.seat]:
            return battle - VICTORY
        if sum(map(bool, packs)) == 1:
            return VICTORY - battle
        winner, pot = fight(packs, ask.options)
        packs[winner] += sorted(pot, reverse=True)
    return sum(packs[ask.seat])


def fight(packs: Packs, options: dict[str, Any]) -> tuple[int, list[int]]:
    """Fight a battle; return who wins it, or shares it, and all cards laid."""
    up = {seat: pack.pop(0) for seat, pack in enumerate(packs) if pack}
    pot = [*up.values()]
    while True:
        highest = max(up.values())
        tied = [seat for seat in up if up[seat] == highest]
        if len(tied) == 1 or not any(packs[seat] for seat in up):
            return tied[0], pot
        longest = max(up, key=lambda seat: len(packs[seat]))
        up = go_to_war(packs, up, pot, options) or {longest: 0}


def go_to_war(
    packs: Packs, up: dict[int, int], pot: list[int], options: dict[str, Any]
) -> dict[int, int]:
    """Lay the cards of a war; return the newest face-up card of each seat that fights on."""
    stands = False
    if options["war_length"] == "razboi":
        said = min(10, max(up.values()))
        count = least = min(said, *(len(packs[seat]) or said for seat in up))
    else:
        count = options["war_length"] + 1
        stands = options["out_of_cards"] == "last_card"
        least = 1 if stands else count
    after = {}
    for seat in up:
        laid = packs[seat][:count]
        del packs[seat][:count]
        pot += laid
        if len(laid) >= least:
            after[seat] = laid[-1]
        elif stands:
            after[seat] = up[seat]
    return after


if __name__ == "__main__":
    kit.run(choose, samples=0)
