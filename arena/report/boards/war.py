"""The board of War: the cards of the last battle, and each seat's pack as far as it is known."""

from collections.abc import Sequence
from itertools import groupby

from arena.report.boards.cards import LETTERS, Mark, called, face_down, fan, french
from arena.report.scene import Area, Card, Fixed, Group, Row, Views, public
from arena.text import counted
from referee.game import Observation

_MOST_OF_PACK = 8
"""Items that are drawn of a pack: the cards that come up next, then the rest as a pile."""
_MOST_DOWN = 3
"""Cards laid face down one after the other that are drawn beside each other."""


def board(views: Views, names: Sequence[str], _fixed: Fixed) -> Sequence[Area]:
    """Return the battle, then the packs by seat, the top of each first."""
    table = public(views)
    packs = [
        Group(called(seat, names), [_pack(views, table, seat)], seat) for seat in range(len(views))
    ]
    return [_battle(table, names), *packs]


def _battle(table: Observation, names: Sequence[str]) -> Group:
    """Return the cards laid in the battle fought last, and who has won them."""
    battle = table["since"][-1]
    winner = battle["winner"]
    count = sum(map(len, battle["laid"]))
    outcome = "drawn" if winner is None else f"{LETTERS[winner]} takes {counted(count, 'card')}"
    rows = [
        Row(called(seat, names), _laid(cards, battle["down"], _mark(seat, winner)), seat)
        for seat, cards in enumerate(battle["laid"])
        if cards
    ]
    return Group(f"Battle {battle['battle']}: {outcome}", rows)


def _mark(seat: int, winner: int | None) -> Mark:
    """Return how the card fared with which `seat` fought last."""
    if winner is None:
        return ""
    return "won" if seat == winner else "lost"


def _laid(cards: Sequence[str], down: Sequence[str], mark: Mark) -> list[Card]:
    """Return what a seat has laid, in order; many cards that lay face down are a pile."""
    fought = [card for card in cards if card not in down][-1]
    items: list[Card] = []
    for hidden, run in groupby(cards, key=lambda card: card in down):
        row = [*run]
        if not hidden:
            items += [french(card, mark if card == fought else "") for card in row]
        elif len(row) > _MOST_DOWN:
            items.append(face_down(row[-1], len(row)))
        else:
            items += [face_down(card) for card in row]
    return items


def _pack(views: Views, table: Observation, seat: int) -> Row:
    """Return a pack; what one of the open eyes knows of it is seen."""
    known: list[Sequence[str | None]] = [view["packs"][seat] for view in views if view is not None]
    cards = [
        next((card for card in seen if card is not None), None) for seen in zip(*known, strict=True)
    ]
    note = counted(len(cards), "card") if cards else "no card left"
    if table["won"] and seat == table["winner"]:
        note = f"{counted(len(cards), 'card')}, and {len(table['won'])} to pick up"
    return Row("Pack, top first", fan(cards, _MOST_OF_PACK), note=note)
