"""Why a reply in Khan is refused, in words for the bot's author.

Nothing about a reply is trusted here: any JSON object may come in, and none raises.
"""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any

from referee.game import Move
from referee.games.khan.cards import (
    ARMIES,
    CHAMPION,
    LEADER,
    LEADERS,
    RANK,
    ROUNDS,
    SIZE,
    SPECIALS,
    in_order,
)
from referee.games.khan.combat import Fighter
from referee.games.replies import missing, no_list, wrong_card

NUMBERS = ("no", "one", "two", "three")


def turn_refusal(move: Move, seat: int, seats: int) -> str | None:
    """Return why `move` is neither a draw nor an attack on another seat."""
    action = move.get("action")
    if action == "draw":
        return None
    if action != "attack":
        return '"action" must be "draw" or "attack"'
    if reason := missing(move, "target"):
        return reason
    target = move["target"]
    if type(target) is not int or not 0 <= target < seats:
        return f'"target" must be the number of a seat, 0 to {seats - 1}'
    return f'"target" {target} is your own seat' if target == seat else None


def discard_refusal(
    move: Move, hand: Sequence[str], face_up: Sequence[str], names: Collection[str]
) -> str | None:
    """Return why `move` gives up neither a card of the hand nor a replaced face-up card."""
    reason = missing(move, "discard", "from") or _wrong_card(move["discard"], names)
    if reason:
        return reason
    card, place, replacement = move["discard"], move["from"], move.get("replacement")
    if place == "hand":
        if replacement is not None:
            return '"replacement" must be null: only a face-up card is replaced'
        lies = f"'{card}' lies face up, not in your hand" if card in face_up else None
        return None if card in hand else lies or f"'{card}' is not in your hand"
    if place != "front":
        return '"from" must be "hand" or "front"'
    if card not in face_up:
        lies = f"'{card}' is in your hand, not face up" if card in hand else None
        return lies or f"'{card}' does not lie face up before you"
    if replacement is None:
        return '"replacement" must name a card of your hand: two cards stay face up'
    reason = _wrong_card(replacement, names)
    not_held = None if replacement in hand else f"'{replacement}' is not in your hand"
    return reason or not_held


def reveal_refusal(move: Move, stage: int, own: Fighter, names: Collection[str]) -> str | None:
    """Return why `move` shows neither nothing nor a formation for round `stage`."""
    if reason := missing(move, "cards") or _wrong_cards(move["cards"], "cards", names):
        return reason
    cards = move["cards"]
    if not cards:
        return None
    if len(cards) != SIZE[stage]:
        size = NUMBERS[SIZE[stage]]
        return f"a {ROUNDS[stage]} is exactly {size}, or nothing; you named {len(cards)}"
    if reason := _not_held(cards, own.camp.hand, own):
        return reason
    if stage == LEADER:
        is_leader = cards[0] in LEADERS
        return None if is_leader else f"'{cards[0]}' is no leader; {' '.join(LEADERS)} are"
    return _no_ladder(in_order(cards), own.declared)


def gunpowder_refusal(move: Move, vanguard: Sequence[str], names: Collection[str]) -> str | None:
    """Return why `move` neither keeps the gunpowder nor destroys two cards of `vanguard`."""
    if (reason := use_refusal(move)) or not move["use"]:
        return reason
    reason = missing(move, "discard") or _wrong_cards(move["discard"], "discard", names)
    if reason:
        return reason
    cards = move["discard"]
    if len(cards) != 2:
        return f'"discard" must name exactly two cards, not {len(cards)}'
    if cards[0] == cards[1]:
        return f"'{cards[0]}' stands in the enemy's vanguard only once"
    for card in cards:
        if card not in vanguard:
            return f"'{card}' does not stand in the enemy's vanguard, {' '.join(vanguard)}"
    return None


def use_refusal(move: Move) -> str | None:
    """Return why `move` does not say whether a special is used."""
    if reason := missing(move, "use"):
        return reason
    return None if type(move["use"]) is bool else '"use" must be true or false'


def leader_refusal(move: Move, hand: Sequence[str], names: Collection[str]) -> str | None:
    """Return why `move` names neither null nor a leader of the hand."""
    if reason := missing(move, "card"):
        return reason
    card = move["card"]
    if card is None:
        return None
    if reason := _wrong_card(card, names):
        return reason
    if card not in LEADERS:
        return f"'{card}' is no leader; {' '.join(LEADERS)} are"
    return None if card in hand else f"'{card}' is not in your hand"


def place_refusal(move: Move, hand: Sequence[str], names: Collection[str]) -> str | None:
    """Return why `move` does not name two cards of the hand."""
    if reason := missing(move, "cards") or _wrong_cards(move["cards"], "cards", names):
        return reason
    cards = move["cards"]
    if len(cards) != 2:
        return f'"cards" must name exactly two cards, not {len(cards)}'
    return _not_held(cards, hand)


def _wrong_card(card: object, names: Collection[str]) -> str | None:
    return wrong_card(card, names, "'E5' or 'C12'", "a card of this deck")


def _wrong_cards(cards: Any, field: str, names: Collection[str]) -> str | None:
    if reason := no_list(cards, field):
        return reason
    return next(filter(None, (_wrong_card(card, names) for card in cards)), None)


def _not_held(cards: list[str], hand: Sequence[str], own: Fighter | None = None) -> str | None:
    for card in cards:
        count = hand.count(card)
        if cards.count(card) > count:
            if own and not count and any(card in (shown or ()) for shown in own.shown):
                return f"'{card}' has been shown; a card serves one round"
            if own and not count and card == own.declared:
                return f"'{card}' has been declared"
            if count:
                return f"you named '{card}' {cards.count(card)} times and hold {NUMBERS[count]}"
            return f"'{card}' is not in your hand"
    return None


def _no_ladder(cards: list[str], declared: str | None) -> str | None:
    """Return why `cards`, held and of the right number, are no ladder."""
    others = [card for card in cards if card != CHAMPION]
    if len(cards) - len(others) > 1:
        return "only one champion may stand in a ladder"
    for card in others:
        if card in SPECIALS:
            return f"'{card}' is {SPECIALS[card]}; of the aces only B1 stands in a ladder"
        if card[0] not in ARMIES:
            return f"'{card}' is a leader, who shows himself in round 3"
    if CHAMPION in cards and declared:
        return f"you have declared '{declared}' in this combat, so 'B1' cannot be declared"
    for low, high in pairwise(others):
        if low[0] != high[0]:
            return f"'{low}' and '{high}' are of two suits; a ladder is of one"
        if low == high:
            return f"'{low}' twice makes no ladder; its ranks differ"
    spread = RANK[others[-1]] - RANK[others[0]]
    if spread >= len(cards):
        return f"{' '.join(others)} are too far apart for a ladder of {NUMBERS[len(cards)]}"
    return None
