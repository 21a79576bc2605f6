"""War and P'yanitsa in words for people: what the seats are called, and a battle that is over."""

from collections.abc import Sequence

from referee.games.war_family.battle import Battle

NAMES = "ABCDEFGHIJKL"


def told_battle(battle: Battle, order: Sequence[str] | None) -> str:
    """Return what was laid, face-down cards in brackets, who won it, and the `order` if seen."""
    rows = [f"{NAMES[seat]} {_laid(cards, battle.down)}" for seat, cards in battle.laid.items()]
    return f"{battle.number}: {', '.join(rows)}: {_outcome(battle, order)}"


def listed(seats: Sequence[int]) -> str:
    """Return who shares something."""
    return " and ".join(NAMES[seat] for seat in seats)


def _laid(cards: Sequence[str], down: Sequence[str]) -> str:
    told = " ".join(f"({card})" if card in down else card for card in cards)
    return told.replace(") (", " ")


def _outcome(battle: Battle, order: Sequence[str] | None) -> str:
    if battle.winner is None:
        return f"drawn by {listed(battle.level)}"
    won = f"{NAMES[battle.winner]} wins {sum(map(len, battle.laid.values()))}"
    return f"{won} > {' '.join(order)}" if order else won
