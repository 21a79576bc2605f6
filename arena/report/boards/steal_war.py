"""The board of Steal War: the trick, what was stolen in it, and what each seat holds."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.report.boards.cards import EMPTY, LETTERS, Mark, back, called, face_down, french
from arena.report.scene import Area, Card, Fixed, Group, Row, Views, public
from arena.text import counted
from referee.game import Observation
from referee.games.steal_war.trick import DOWN

_MOST_THEFTS = 6
_RESULTS: Mapping[str, tuple[Mark, str]] = {
    "stolen": ("won", "stolen"),
    "protected": ("lost", "was protected"),
    "slower": ("lost", "was too slow"),
}


def board(views: Views, names: Sequence[str], _fixed: Fixed) -> Sequence[Area]:
    """Return the trick, its thefts if there are any, then pack, card and pile of each seat."""
    table = public(views)
    areas: list[Area] = [_trick(table, names)]
    if table["thefts"]:
        areas.append(_thefts(table["thefts"]))
    areas += [_seat(views, table, seat, names) for seat in range(len(views))]
    return areas


def _trick(table: Observation, names: Sequence[str]) -> Group:
    """Return the cards laid by each seat; those that are compared now stand out."""
    winner = _winner(table)
    label = f"Trick {table['trick']}" + f", war {table['war']}" * bool(table["war"])
    if winner is not None:
        label += f": {LETTERS[winner]} takes {counted(sum(map(len, table['laid'])), 'card')}"
    elif table["decision"] is None:
        label += ": drawn"
    rows = []
    for seat, cards in enumerate(table["laid"]):
        out = cards and seat not in table["in_trick"]
        items = _laid(cards, table["up"][seat], _mark(table, seat, winner))
        rows.append(Row(called(seat, names), items, seat, "out of this trick" if out else ""))
    return Group(label, rows)


def _winner(table: Observation) -> int | None:
    """Return who has won the trick; None if it goes on or is drawn."""
    if table["decision"] == "steal":
        return None
    if table["decision"] is None:
        winner: int | None = table["since"][-1]["winner"]
        return winner
    own = table["won"][-1]  # the winner's cards are the last of those won
    return next(seat for seat, cards in enumerate(table["laid"]) if own in cards)


def _mark(table: Observation, seat: int, winner: int | None) -> Mark:
    if table["decision"] == "steal":
        return "new"
    if winner is None:
        return ""
    return "won" if seat == winner else "lost"


def _laid(cards: Sequence[str | None], up: str | None, mark: Mark) -> list[Card]:
    """Return what a seat has laid, in order; `mark` is of the card that is compared now."""
    items = []
    for at, card in enumerate(cards):
        if card is None:
            items.append(back())
        elif at % (DOWN + 1):
            items.append(face_down(card))
        else:
            items.append(french(card, mark if card == up else ""))
    return items or [EMPTY]


def _thefts(thefts: Sequence[Mapping[str, Any]]) -> Group:
    """Return the last cards that were sent to steal, and whether they did."""
    rows = []
    for theft in thefts[-_MOST_THEFTS:]:
        mark, result = _RESULTS[theft["result"]]
        label = f"{LETTERS[theft['seat']]} from {LETTERS[theft['target']]}"
        rows.append(Row(label, [french(theft["card"], mark)], theft["seat"], result))
    return Group("Thefts in this trick", rows)


def _seat(views: Views, table: Observation, seat: int, names: Sequence[str]) -> Group:
    """Return what a seat holds: unseen pack, the card it looks at, the pile all can see."""
    pack, pile = table["packs"][seat], table["piles"][seat]
    safe = seat in table["protected"]
    rows = [
        Row("Pack", [back(pack)]),
        Row("Drawn", [_drawn(views, table, seat)]),
        Row(
            "Pile",
            [french(pile[-1], count=len(pile)) if pile else EMPTY],
            note="protected" * safe,
        ),
    ]
    return Group(called(seat, names), rows, seat)


def _drawn(views: Views, table: Observation, seat: int) -> Card:
    """Return the card that a seat has drawn and not yet played: a back, if its eyes are closed."""
    view = views[seat]
    if view is not None:
        return french(view["card"], "new") if view["card"] else EMPTY
    waiting = seat in table["in_trick"] and table["up"][seat] is None
    return back() if waiting and table["decision"] == "steal" else EMPTY
