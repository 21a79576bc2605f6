"""Guerra's table and its words: both armies face to face, then what each has in reserve."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import msgspec

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
from referee.rules.cards import EMPTY, back, spanish
from referee.rules.game import Move, Observation
from referee.rules.scene import Area, Card, Facts, Group, Look, Row, Text, Token
from referee.rules.words import counted

NAMES = "AB"


def told(seat: int, decision: str, move: Move) -> str:
    """Return what a move does, in a few words."""
    who = NAMES[seat]
    if decision == "orders":
        return f"{who} {_told_orders(move)}"
    if decision == "attack":
        return f"{who} {_told_attack(move)}"
    if decision == "discard":
        return f"{who} discards {' '.join(move['cards'])}"
    placed = (f"{' '.join(move[zone])} to {zone}" for zone in ZONES if zone in move)
    return f"{who} deploys {', '.join(placed)}"


def _told_attack(move: Move) -> str:
    attackers, target = move["attackers"], move["target"]
    if not attackers:
        return "stops attacking"
    if target is None:
        return f"sweeps with {attackers[0]}"
    verb = "duels" if attackers[0] in KNIGHTS else "attacks"
    if attackers[0] in ARCHERS:
        verb = "shoots"
    return f"{verb} {' + '.join(attackers)} > {target}"


def _told_orders(move: Move) -> str:
    if move["action"] == "mass_transfer":
        return "moves " + ", ".join(f"{step['card']} to {step['to']}" for step in move["moves"])
    told = [_told_transfer(transfer) for transfer in move.get("transfers", ())]
    if move["action"] == "incorporate":
        told.append(f"incorporates {move['card']} to {move['zone']}")
    else:
        told.append("goes to attack")
    return ", ".join(told)


def _told_transfer(transfer: Move) -> str:
    swap = transfer.get("swap_with")
    return f"transfers {transfer['card']} to {transfer['to']}" + (f" for {swap}" if swap else "")


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
_DOWN = (1, 0)
"""The seats from the top of the board."""
_DEAD = 3
"""Cards of a cemetery that are shown: the latest."""
_DRAWN = ("orders", "attack", "discard")
"""The decisions of a turn, at whose start a card was drawn."""


def areas(views: Sequence[Observation | None], turns: int, past: Sequence[str]) -> Iterator[Area]:
    """Yield both armies with what was done between them, their strength, the reserves, the past.

    Each seat's view is None where its eyes are closed; there are at most so many `turns`.
    """
    table = next(view for view in views if view is not None)
    upper, lower = (_army(table, each) for each in _DOWN)
    yield Group(_stage(table, turns), [upper, _fighting(table), lower])
    yield _strength(table)
    yield from (_reserve(views[each], table, each) for each in _DOWN)
    if past:
        yield Text("In this turn and the one before", past, most=0)


def _strength(table: Observation) -> Facts:
    """Return the Troops on the table, and how many cards each seat can still send in."""
    rows = [
        (
            str(sum(TROOPS[card] for zone in table["zones"][seat].values() for card in zone)),
            str(table["pack"][seat] + table["hand_size"][seat]),
        )
        for seat in _DOWN
    ]
    return Facts("Strength", ("Troops", "Cards to come"), rows, _DOWN)


def _stage(table: Observation, most: int) -> str:
    stage = f"Turn {table['turn']} of {most}"
    if table["decision"] is None:
        return f"{stage}, over"
    asked = f"{NAMES[table['to_move']]} decides ({table['decision']})"
    return f"{stage if table['turn'] else 'Opening'}, {asked}"


def _fighting(table: Observation) -> Facts:
    """Return who has attacked in this turn, who of them died of it, and who is wounded."""
    rows = []
    for seat in _DOWN:
        dead = table["cemetery"][seat]
        spent = table["attacked"] if seat == table["to_move"] else ()
        attackers = [f"{card} (died)" if card in dead else card for card in spent]
        wounded = [
            f"{card} {zone[card]} of {value(card, zone)}"
            for zone in table["zones"][seat].values()
            for card in DECK
            if zone.get(card)
        ]
        told = (", ".join(cards) or "none" for cards in (attackers, wounded))
        rows.append((*told,))
    return Facts("Between the armies", ("Has attacked", "Wounds"), rows, _DOWN)


def _army(table: Observation, seat: int) -> Group:
    """Return the three rows of a seat, so that the vanguards of both meet in the middle."""
    zones: Mapping[str, Zone] = table["zones"][seat]
    foremost = next((name for name in ZONES if zones[name]), "")
    spent = table["attacked"] if seat == table["to_move"] else ()
    rows = [
        Row(name.capitalize(), _standing(zones[name], spent), note="in front" * (name == foremost))
        for name in (ZONES if seat == 0 else reversed(ZONES))
    ]
    return Group("", rows, seat)


def _standing(zone: Zone, spent: Sequence[str]) -> list[Card | Token]:
    """Return the cards of a zone, each wounded one with its wounds behind it."""
    items: list[Card | Token] = []
    for card in DECK:
        if card in zone:
            items.append(_card(card, "used" if card in spent else ""))
            if wounds := zone[card]:
                worth = value(card, zone)
                told = f"({wounds} of {worth} wounds)"
                items.append(
                    Token(f"{wounds}/{worth}", "wounds", 1, f"{wounds} of {worth} wounds", told)
                )
    return items or [EMPTY]


def _reserve(view: Observation | None, table: Observation, seat: int) -> Group:
    """Return what a seat has behind its army: the hand, if it is seen, the pack and the dead."""
    dead, size = table["cemetery"][seat], table["hand_size"][seat]
    hand = [back(size)] if view is None else _hand(view, seat)
    latest = [_card(card, "") for card in dead[-_DEAD:]]
    buried = counted(len(dead), "card") + ", the latest last" * (len(dead) > 1)
    rows = [
        Row("Hand", hand, note=counted(size, "card")),
        Row("Pack", [back(table["pack"][seat])]),
        Row("Cemetery", latest or [EMPTY], note=buried),
    ]
    return Group("reserve", rows, seat)


def _hand(view: Observation, seat: int) -> list[Card]:
    """Return the cards of a hand; the last one is new to a seat that has just drawn it."""
    drew = seat == view["to_move"] and view["decision"] in _DRAWN and view["pack"][seat]
    hand: Sequence[str] = view["hand"]
    cards = [_card(card, "new" if drew and card == hand[-1] else "") for card in hand]
    return cards or [EMPTY]


@cache
def _card(code: str, mark: Look) -> Card:
    """Return a card, called by what it is in battle, too."""
    card = spanish(code, mark)
    if code not in _ROLES:
        return card
    return msgspec.structs.replace(card, name=f"{card.name}, {_ROLES[code]}")
