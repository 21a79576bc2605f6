"""Why a reply in World War breaks the rules, in words for the bot's author."""

from collections.abc import Collection, Mapping, Sequence

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
from referee.rules.game import Move

FAR_TOO_MANY = 10**9
"""Armies that are not written out."""
HAS_ORDER_FIELDS = {"single": (False, False), "order": (True, True)}
"""By `attack_mode`, whether an attack has the fields `rolls` and `stop_at`."""


def placement_refusal(
    armies: Mapping[str, int], forces: Forces, seat: int, total: int
) -> str | None:
    """Return why `armies` are not exactly `total` on territories of `seat`."""
    for name in armies:
        if forces.owner[NUMBER[name]] != seat:
            return _not_own(name, forces, seat, "armies are placed on your own")
    if (placed := sum(armies.values())) != total:
        number = placed if placed < FAR_TOO_MANY else "far too many"
        return f'"armies" adds up to {number}, not to the {total} you have to place'
    return None


def trade_refusal(cards: Sequence[str], hand: Sequence[int], *, forced: bool) -> str | None:
    """Return why `cards` are neither a set of the `hand` nor kept."""
    if not cards:
        held = "five cards" if len(hand) == MOST_IN_HAND else "a set"
        return f"with {held} in hand you must exchange a set" if forced else None
    if len(cards) != SET:
        return f'"cards" must name three cards or none, not {len(cards)}'
    for card in cards:
        if CARD_NUMBER[card] not in hand:
            held = ", ".join(CARDS[each] for each in hand)
            return f"'{card}' is not in your hand, which holds {held}"
    if not worth([CARD_NUMBER[card] for card in cards]):
        weapons = ", ".join(WEAPON[CARD_NUMBER[card]] for card in cards)
        return f"{weapons}: a set is three alike, one of each, or any with a joker"
    return None


def attack_refusal(
    move: Move, forces: Forces, seat: int, shielded: Collection[int], mode: str
) -> str | None:
    """Return why `move` is neither the stop nor an attack open to `seat`."""
    if move["action"] == "stop":
        return None
    if ("rolls" in move, "stop_at" in move) != HAS_ORDER_FIELDS[mode]:
        return _wrong_order_fields(move, mode)
    if reason := _wrong_source(move, forces, seat) or _wrong_target(move, forces, seat, shielded):
        return reason
    spare = forces.armies[NUMBER[move["from"]]] - 1
    why = f"'{move['from']}' has {spare + 1} armies and one stays"
    if reason := _wrong_number(move, "dice", most_dice(spare), why):
        return reason
    if mode == "single":
        return None
    reason = _wrong_number(move, "rolls", MOST_ROLLS, "an order goes no further")
    return reason or _wrong_number(move, "stop_at", spare, why)


def _wrong_order_fields(move: Move, mode: str) -> str:
    if mode == "order":
        return f'"{"stop_at" if "rolls" in move else "rolls"}" is missing'
    return f'"{"rolls" if "rolls" in move else "stop_at"}" is only for the `attack_mode` order'


def defend_refusal(move: Move, name: str, armies: int) -> str | None:
    """Return why `move` cannot defend a territory that has so many `armies`."""
    return _wrong_number(move, "dice", most_dice(armies), f"'{name}' has {armies} armies")


def occupy_refusal(move: Move, name: str, armies: int) -> str | None:
    """Return why `move` cannot follow from a territory that has so many `armies`."""
    why = f"'{name}' has {armies} armies and one stays"
    return _wrong_number(move, "armies", armies - 1, why, least=0)


def fortify_refusal(move: Move, forces: Forces, seat: int) -> str | None:
    """Return why `move` neither stays nor moves armies between two neighbours of `seat`."""
    if move["action"] == "stay":
        return None
    reason = _wrong_source(move, forces, seat)
    reason = reason or _not_own(move["to"], forces, seat, "armies move between your own")
    if reason or (reason := _no_border(move)):
        return reason
    spare = forces.armies[NUMBER[move["from"]]] - 1
    why = f"'{move['from']}' has {spare + 1} armies and one stays"
    return _wrong_number(move, "armies", spare, why)


def _wrong_number(move: Move, field: str, most: int, why: str, least: int = 1) -> str | None:
    value = move[field]
    if least <= value <= most:
        return None
    allowed = f"from {least} to {most}" if most > least else f"{least}"
    return f'"{field}" must be {allowed} here ({why})'


def _not_own(name: str, forces: Forces, seat: int, rule: str) -> str | None:
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
