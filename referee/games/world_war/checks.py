"""Why a reply in World War is refused, in words for the bot's author.

Nothing about a reply is trusted here: any JSON object may come in, and none raises.
"""

from collections.abc import Collection, Sequence
from typing import Any

from referee.game import Move
from referee.games.replies import kind, no_list, wrong_fields
from referee.games.world_war.battle import MOST_ROLLS, most_dice
from referee.games.world_war.board import (
    BORDERS,
    CARD_NUMBER,
    CARDS,
    NUMBER,
    TERRITORIES,
    WEAPON,
)
from referee.games.world_war.cards import MOST_IN_HAND, SET, worth
from referee.games.world_war.forces import Forces

ATTACK_FIELDS = {
    "single": ("action", "from", "to", "dice"),
    "order": ("action", "from", "to", "dice", "rolls", "stop_at"),
}
"""By `attack_mode`, the fields of an attack."""


def placement_refusal(move: Move, forces: Forces, seat: int, total: int) -> str | None:
    """Return why `move` does not place exactly `total` armies on territories of `seat`."""
    if reason := wrong_fields(move, "armies"):
        return reason
    armies = move["armies"]
    if not isinstance(armies, dict):
        return f'"armies" must be an object of territories, not {kind(armies)}'
    for name, count in armies.items():
        if reason := _not_own(name, forces, seat, "armies are placed on your own"):
            return reason
        if type(count) is not int:
            return f"'{name}' takes a whole number of armies, not {kind(count)}"
        if count < 0:
            return f"'{name}' cannot take fewer than 0 armies"
    if (placed := sum(armies.values())) != total:
        return f'"armies" adds up to {_number(placed)}, not to the {total} you have to place'
    return None


def trade_refusal(move: Move, hand: Sequence[int], *, forced: bool) -> str | None:
    """Return why `move` neither exchanges a set of the `hand` nor keeps the cards."""
    if reason := wrong_fields(move, "cards"):
        return reason
    cards = move["cards"]
    if reason := no_list(cards, "cards"):
        return reason
    if not cards:
        held = "five cards" if len(hand) == MOST_IN_HAND else "a set"
        return f"with {held} in hand you must exchange a set" if forced else None
    if len(cards) != SET:
        return f'"cards" must name three cards or none, not {len(cards)}'
    for at, card in enumerate(cards):
        if reason := _not_in_hand(card, hand):
            return reason
        if card in cards[:at]:
            return f"'{card}' is named twice"
    if not worth([CARD_NUMBER[card] for card in cards]):
        shown = ", ".join(WEAPON[CARD_NUMBER[card]] for card in cards)
        return f"{shown}: a set is three alike, one of each, or any with a joker"
    return None


def attack_refusal(
    move: Move, forces: Forces, seat: int, shielded: Collection[int], mode: str
) -> str | None:
    """Return why `move` is neither the stop nor an attack open to `seat`."""
    action = move.get("action")
    if action == "stop":
        return wrong_fields(move, "action")
    if action != "attack":
        return '"action" must be "attack" or "stop"'
    reason = wrong_fields(move, *ATTACK_FIELDS[mode]) or _wrong_source(move, forces, seat)
    if reason or (reason := _wrong_target(move, forces, seat, shielded)):
        return reason
    spare = forces.armies[NUMBER[move["from"]]] - 1
    why = f"'{move['from']}' has {spare + 1} armies and one stays"
    if reason := _wrong_number(move, "dice", most_dice(spare), why):
        return reason
    if mode == "single":
        return None
    reason = _wrong_number(move, "rolls", MOST_ROLLS, "an order goes no further")
    return reason or _wrong_number(move, "stop_at", spare, why)


def defend_refusal(move: Move, name: str, armies: int) -> str | None:
    """Return why `move` cannot defend a territory that has so many `armies`."""
    reason = wrong_fields(move, "dice")
    why = f"'{name}' has {armies} armies"
    return reason or _wrong_number(move, "dice", most_dice(armies), why)


def occupy_refusal(move: Move, name: str, armies: int) -> str | None:
    """Return why `move` cannot follow from a territory that has so many `armies`."""
    reason = wrong_fields(move, "armies")
    why = f"'{name}' has {armies} armies and one stays"
    return reason or _wrong_number(move, "armies", armies - 1, why, least=0)


def fortify_refusal(move: Move, forces: Forces, seat: int) -> str | None:
    """Return why `move` neither stays nor moves armies between two neighbours of `seat`."""
    action = move.get("action")
    if action == "stay":
        return wrong_fields(move, "action")
    if action != "move":
        return '"action" must be "move" or "stay"'
    reason = wrong_fields(move, "action", "from", "to", "armies")
    reason = reason or _wrong_source(move, forces, seat)
    reason = reason or _not_own(move["to"], forces, seat, "armies move between your own")
    if reason or (reason := _no_border(move)):
        return reason
    spare = forces.armies[NUMBER[move["from"]]] - 1
    why = f"'{move['from']}' has {spare + 1} armies and one stays"
    return _wrong_number(move, "armies", spare, why)


def _number(value: int) -> str:
    return str(value) if abs(value) < 10**9 else "far too many"


def _wrong_number(move: Move, field: str, most: int, why: str, least: int = 1) -> str | None:
    value = move[field]
    if type(value) is not int:
        return f'"{field}" must be a whole number, not {kind(value)}'
    if least <= value <= most:
        return None
    allowed = f"from {least} to {most}" if most > least else f"{least}"
    return f'"{field}" must be {allowed} here ({why})'


def _unknown(name: Any) -> str | None:
    if not isinstance(name, str):
        return f'a territory is named like "alaska", not by {kind(name)}'
    return None if name in NUMBER else f"{name[:30]!r} is not a territory of the board"


def _not_own(name: Any, forces: Forces, seat: int, rule: str) -> str | None:
    if reason := _unknown(name):
        return reason
    holder = forces.owner[NUMBER[name]]
    return None if holder == seat else f"'{name}' is held by seat {holder}; {rule}"


def _wrong_source(move: Move, forces: Forces, seat: int) -> str | None:
    source = move["from"]
    if reason := _not_own(source, forces, seat, '"from" is one of your own'):
        return reason
    if forces.armies[NUMBER[source]] < 2:
        return f"'{source}' has only one army, and that one stays"
    return None


def _wrong_target(move: Move, forces: Forces, seat: int, shielded: Collection[int]) -> str | None:
    target = move["to"]
    if reason := _unknown(target):
        return reason
    holder = forces.owner[NUMBER[target]]
    if holder == seat:
        return f"'{target}' is your own"
    if reason := _no_border(move):
        return reason
    if holder in shielded:
        return f"'{target}' is the only territory of seat {holder}, which is safe in this round"
    return None


def _no_border(move: Move) -> str | None:
    source, target = move["from"], move["to"]
    neighbours = BORDERS[NUMBER[source]]
    if NUMBER[target] in neighbours:
        return None
    names = ", ".join(TERRITORIES[other] for other in neighbours)
    return f"'{target}' does not border '{source}', whose neighbours are {names}"


def _not_in_hand(card: Any, hand: Sequence[int]) -> str | None:
    if not isinstance(card, str):
        return f'a card is named like "alaska" or "joker_1", not by {kind(card)}'
    if card not in CARD_NUMBER:
        return f"{card[:30]!r} is not a card"
    if CARD_NUMBER[card] in hand:
        return None
    held = ", ".join(CARDS[each] for each in hand)
    return f"'{card}' is not in your hand, which holds {held}"
