"""Steal War in words for people: packs and piles, the trick, and those before it."""

from collections.abc import Sequence

from referee.games.steal_war.trick import DOWN, Holdings, Theft, Trick
from referee.games.war_family.text import NAMES, folded

OUTCOMES = {
    "stolen": "steals {}'s pile with {}",
    "protected": "fails to steal {}'s protected pile and plays {}",
    "slower": "is too slow to steal {}'s pile and plays {}",
}


def told_holdings(seat: int, held: Holdings, *, protected: bool, open_cards: bool) -> list[str]:
    """Return a seat's pack and pile, the pile's top last."""
    pack, pile = held.packs[seat], held.piles[seat]
    safe = " (protected)" if protected else ""
    label = f"{seat} {NAMES[seat]}  pack {len(pack):2}, pile {len(pile):2}{safe}: "
    lines = [folded(label, " ".join(pile) or "-")]
    if open_cards and pack:
        lines.append(folded("     pack: ", " ".join(pack)))
    return lines


def told_laid(trick: Trick, seat: int, *, open_cards: bool) -> str:
    """Return the cards that a seat has laid in the trick, the face-down ones in brackets."""
    told: list[str] = []
    cards = trick.laid[seat]
    for at in range(0, len(cards), DOWN + 1):
        told.append(cards[at])
        if down := cards[at + 1 : at + 1 + DOWN]:
            told.append(f"({' '.join(down if open_cards else '?' * len(down))})")
    return f"{NAMES[seat]} {' '.join(told) or '-'}"


def told_theft(theft: Theft) -> str:
    """Return who has stolen from whom, or tried to."""
    return f"{NAMES[theft.seat]} " + OUTCOMES[theft.result].format(NAMES[theft.target], theft.card)


def told_trick(trick: Trick) -> str:
    """Return a trick that is over: thefts, cards, and who has won them."""
    told = [*map(told_theft, trick.thefts)]
    told += [", ".join(told_laid(trick, seat, open_cards=True) for seat in trick.laid)]
    if trick.winner is None:
        end = f"drawn by {_listed(trick.level)}"
    else:
        end = f"{NAMES[trick.winner]} wins {sum(map(len, trick.laid.values()))}"
        end += f", {trick.top} on top" if trick.top else ""
    return folded(f"{trick.number:4}  ", f"{'; '.join(told)}: {end}")


def _listed(seats: Sequence[int]) -> str:
    return " and ".join(NAMES[seat] for seat in seats)
