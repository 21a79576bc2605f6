"""A battle of War and P'yanitsa as it is drawn, and in words once it is over."""

from collections.abc import Sequence
from itertools import groupby

from referee.games.war_family.battle import Battle
from referee.rules.cards import face_down, french, pack
from referee.rules.scene import Card, Group, Look, Row
from referee.rules.words import counted

NAMES = "ABCDEFGHIJKL"


def told_battle(battle: Battle, order: Sequence[str] | None) -> str:
    """Return what was laid, face-down cards in brackets, who won it, and the `order` if seen."""
    rows = [
        f"{NAMES[seat]} {_told_laid(cards, battle.down)}" for seat, cards in battle.laid.items()
    ]
    return f"{battle.number}: {', '.join(rows)}: {_outcome(battle, order)}"


def listed(seats: Sequence[int]) -> str:
    """Return who shares something."""
    return " and ".join(NAMES[seat] for seat in seats)


def _told_laid(cards: Sequence[str], down: Sequence[str]) -> str:
    told = " ".join(f"({card})" if card in down else card for card in cards)
    return told.replace(") (", " ")


def _outcome(battle: Battle, order: Sequence[str] | None) -> str:
    if battle.winner is None:
        return f"drawn by {listed(battle.level)}"
    won = f"{NAMES[battle.winner]} wins {sum(map(len, battle.laid.values()))}"
    return f"{won} > {' '.join(order)}" if order else won


_MOST_OF_PACK = 8
"""Items that are drawn of a pack: the cards that come up next, then the rest as a pile."""
_MOST_DOWN = 3
"""Cards laid face down one after the other that are drawn beside each other."""


def fought(battle: Battle, most: int) -> Group:
    """Return the cards laid in the battle fought last, one of `most`, and who has won them."""
    winner = battle.winner
    count = sum(map(len, battle.laid.values()))
    outcome = "drawn" if winner is None else f"{NAMES[winner]} takes {counted(count, 'card')}"
    rows = [
        Row("", _laid(cards, battle.down, _look(seat, winner)), seat)
        for seat, cards in battle.laid.items()
    ]
    return Group(f"Battle {battle.number} of at most {most}: {outcome}", rows)


def _look(seat: int, winner: int | None) -> Look:
    """Return how the card fared with which `seat` fought last."""
    if winner is None:
        return ""
    return "won" if seat == winner else "lost"


def _laid(cards: Sequence[str], down: Sequence[str], look: Look) -> list[Card]:
    """Return what a seat has laid, in order; many cards that lay face down are a pile."""
    fought = [card for card in cards if card not in down][-1]
    items: list[Card] = []
    for hidden, run in groupby(cards, key=lambda card: card in down):
        row = [*run]
        if not hidden:
            items += [french(card, look if card == fought else "") for card in row]
        elif len(row) > _MOST_DOWN:
            items.append(face_down(row[-1], len(row)))
        else:
            items += [face_down(card) for card in row]
    return items


def pack_row(cards: Sequence[str | None], note: str) -> Row:
    """Return a pack, top first, with None for each card that is not known."""
    return Row("Pack, top first", pack(cards), note=note, most=_MOST_OF_PACK)
