"""Steal War in words for people: a trick with its thefts."""

from referee.games.steal_war.trick import DOWN, Theft, Trick
from referee.games.war_family.text import NAMES, listed

_OUTCOMES = {
    "stolen": "steals {}'s pile with {}",
    "protected": "fails to steal {}'s protected pile and plays {}",
    "slower": "is too slow to steal {}'s pile and plays {}",
}


def told_trick(trick: Trick) -> str:
    """Return a trick that is over: thefts, cards, and who has won them."""
    told = [*map(_told_theft, trick.thefts)]
    told += [", ".join(told_laid(trick, seat) for seat in trick.laid)]
    if trick.winner is None:
        end = f"drawn by {listed(trick.level)}"
    else:
        end = f"{NAMES[trick.winner]} wins {sum(map(len, trick.laid.values()))}"
        end += f", {trick.top} on top" if trick.top else ""
    return f"{trick.number}: {'; '.join(told)}: {end}"


def _told_theft(theft: Theft) -> str:
    return f"{NAMES[theft.seat]} " + _OUTCOMES[theft.result].format(NAMES[theft.target], theft.card)


def told_laid(trick: Trick, seat: int) -> str:
    """Return the cards that a seat has laid, the face-down ones in brackets."""
    told: list[str] = []
    cards = trick.laid[seat]
    for at in range(0, len(cards), DOWN + 1):
        told.append(cards[at])
        if down := cards[at + 1 : at + 1 + DOWN]:
            told.append(f"({' '.join(down)})")
    return f"{NAMES[seat]} {' '.join(told) or '-'}"
