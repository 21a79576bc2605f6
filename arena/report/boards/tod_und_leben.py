"""The board of Tod und Leben: the score, and the pairs of the last round."""

from collections.abc import Sequence

from arena.report.boards.cards import called, french
from arena.report.scene import Area, Card, Facts, Fixed, Group, Row, Views, public
from arena.text import counted
from referee.games.war_family.cards import strength

_PAIRS = 8
"""Pairs beside each other: so many cards that they fit on a narrow screen."""


def board(views: Views, names: Sequence[str], _fixed: Fixed) -> Sequence[Area]:
    """Return the score, then the cards in the order they met, A's above B's."""
    table = public(views)
    packs: Sequence[Sequence[str]] = table["packs"]
    score = [
        (called(seat, names), str(table["cards_won"][seat]), str(table["rounds_won"][seat]))
        for seat in (0, 1)
    ]
    rounds = table["round"]
    return [
        Facts(
            f"After {counted(rounds, 'round')}",
            ("Bot", "Cards in the last", "Rounds won"),
            score,
            (0, 1),
        ),
        *(
            _pairs([pack[first : first + _PAIRS] for pack in packs], first, names)
            for first in range(0, len(packs[0]), _PAIRS)
        ),
    ]


def _pairs(packs: Sequence[Sequence[str]], first: int, names: Sequence[str]) -> Group:
    rows = [Row(called(seat, names), _met(packs[seat], packs[1 - seat]), seat) for seat in (0, 1)]
    return Group(f"Pairs {first + 1} to {first + len(packs[0])}", rows)


def _met(own: Sequence[str], other: Sequence[str]) -> list[Card]:
    """Return a seat's cards; equal ones, which stay on the table, have no mark."""
    cards = []
    for card, met in zip(own, other, strict=True):
        ahead = strength(card) - strength(met)
        cards.append(french(card, "won" if ahead > 0 else "lost" if ahead else ""))
    return cards
