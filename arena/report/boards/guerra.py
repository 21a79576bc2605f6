"""The board of Guerra: both armies face to face, B's above A's, each with its hand behind it."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from arena.report.boards.cards import EMPTY, LETTERS, Mark, back, called, counted, spanish
from arena.report.scene import Area, Card, Facts, Group, Row, Token, Views, public
from referee.game import Observation
from referee.games.guerra.battle import (
    ARCHERS,
    BANNERS,
    CAPTAINS,
    DECK,
    KNIGHTS,
    TROOPS,
    ZONES,
    Zone,
    value,
)

_ROLES = {
    card: role
    for role, cards in (
        ("Banner", BANNERS),
        ("Archer", ARCHERS),
        ("Knight", KNIGHTS),
        ("Captain", CAPTAINS),
    )
    for card in cards
}
_DRAWN = ("orders", "attack", "discard")
"""The decisions of a turn, at whose start a card was drawn."""


def board(views: Views, names: Sequence[str], _table: Mapping[str, Any]) -> Sequence[Area]:
    """Return the strength of both armies, then B's hand and rows, then A's rows and hand."""
    table = public(views)
    armies = [_army(table, seat, names) for seat in (0, 1)]
    reserves = [_reserve(views, table, seat, names) for seat in (0, 1)]
    return [_strength(table, names), reserves[1], armies[1], armies[0], reserves[0]]


def _strength(table: Observation, names: Sequence[str]) -> Facts:
    """Return the Troops on the table, and how many cards each seat can still send in."""
    rows = [
        (
            called(seat, names),
            str(sum(TROOPS[card] for zone in zones.values() for card in zone)),
            str(table["pack"][seat] + table["hand_size"][seat]),
        )
        for seat, zones in enumerate(table["zones"])
    ]
    return Facts(_stage(table), ("Army", "Troops", "Cards to come"), rows, (0, 1))


def _stage(table: Observation) -> str:
    stage = f"Turn {table['turn']} of {table['options']['max_turns']}"
    if table["decision"] is None:
        return f"{stage}, over"
    return f"{stage if table['turn'] else 'Opening'}, {LETTERS[table['to_move']]} to move"


def _army(table: Observation, seat: int, names: Sequence[str]) -> Group:
    """Return the three rows of a seat, so that the vanguards of both meet in the middle."""
    zones: Mapping[str, Zone] = table["zones"][seat]
    foremost = next((name for name in ZONES if zones[name]), "")
    spent = table["attacked"] if seat == table["to_move"] else ()
    rows = [
        Row(name.capitalize(), _standing(zones[name], spent), note="in front" * (name == foremost))
        for name in (ZONES if seat == 0 else reversed(ZONES))
    ]
    return Group(called(seat, names), rows, seat)


def _standing(zone: Zone, spent: Sequence[str]) -> list[Card | Token]:
    """Return the cards of a zone, each wounded one with its wounds behind it."""
    items: list[Card | Token] = []
    for card in DECK:
        if card in zone:
            items.append(_card(card, "used" if card in spent else ""))
            if wounds := zone[card]:
                worth = value(card, zone)
                items.append(
                    Token(f"{wounds}/{worth}", "wounds", name=f"{wounds} of {worth} wounds")
                )
    return items or [EMPTY]


def _reserve(views: Views, table: Observation, seat: int, names: Sequence[str]) -> Group:
    """Return what a seat has behind its army: the hand, if it is seen, the pack and the dead."""
    dead, size = table["cemetery"][seat], table["hand_size"][seat]
    view = views[seat]
    hand = [back(size)] if view is None else _hand(view, seat)
    rows = [
        Row("Hand", hand, note=counted(size)),
        Row("Pack", [back(table["pack"][seat])]),
        Row("Cemetery", [_pile(dead)]),
    ]
    return Group(f"{called(seat, names)}: reserve", rows, seat)


def _hand(view: Observation, seat: int) -> list[Card]:
    """Return the cards of a hand; the last one is new to a seat that has just drawn it."""
    drew = seat == view["to_move"] and view["decision"] in _DRAWN and view["pack"][seat]
    hand: Sequence[str] = view["hand"]
    cards = [_card(card, "new" if drew and card == hand[-1] else "") for card in hand]
    return cards or [EMPTY]


def _pile(dead: Sequence[str]) -> Card:
    return msgspec.structs.replace(_card(dead[-1], ""), count=len(dead)) if dead else EMPTY


@cache
def _card(code: str, mark: Mark) -> Card:
    """Return a card, called by what it is in battle, too."""
    card = spanish(code, mark)
    if code not in _ROLES:
        return card
    return msgspec.structs.replace(card, name=f"{card.name}, {_ROLES[code]}")
