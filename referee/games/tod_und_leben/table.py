"""Tod und Leben's table: the score, and the pairs of the last round."""

from collections.abc import Sequence

from referee.games.war_family.cards import strength
from referee.rules.cards import french
from referee.rules.game import Observation
from referee.rules.scene import Area, Card, Facts, Group, Row
from referee.rules.words import counted

_PAIRS = 8
"""Pairs beside each other: so many cards that they fit on a narrow screen."""


def areas(view: Observation) -> Sequence[Area]:
    """Return the score, then the cards in the order they met, A's above B's."""
    packs: Sequence[Sequence[str]] = view["packs"]
    score = [(str(view["cards_won"][seat]), str(view["rounds_won"][seat])) for seat in (0, 1)]
    label = f"After {counted(view['round'], 'round')}"
    return [
        Facts(label, ("Cards in the last", "Rounds won"), score, (0, 1)),
        *(
            _pairs([pack[first : first + _PAIRS] for pack in packs], first)
            for first in range(0, len(packs[0]), _PAIRS)
        ),
    ]


def _pairs(packs: Sequence[Sequence[str]], first: int) -> Group:
    rows = [Row("", _met(packs[seat], packs[1 - seat]), seat) for seat in (0, 1)]
    return Group(f"Pairs {first + 1} to {first + len(packs[0])}", rows)


def _met(own: Sequence[str], other: Sequence[str]) -> list[Card]:
    """Return a seat's cards; equal ones, which stay on the table, have no mark."""
    cards = []
    for card, met in zip(own, other, strict=True):
        ahead = strength(card) - strength(met)
        cards.append(french(card, "won" if ahead > 0 else "lost" if ahead else ""))
    return cards
