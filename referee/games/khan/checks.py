"""Why a reply in Khan breaks the rules, in words for the bot's author."""

from collections.abc import Collection, Sequence
from itertools import pairwise

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
from referee.rules.game import Move

NUMBERS = ("no", "one", "two", "three")


def turn_refusal(target: int, seat: int, seats: int) -> str | None:
    """Return why `seat` cannot attack the seat `target`."""
    if not 0 <= target < seats:
        return f'"target" must be the number of a seat, 0 to {seats - 1}'
    return f'"target" {target} is your own seat' if target == seat else None


def discard_refusal(
    move: Move, hand: Sequence[str], face_up: Sequence[str], names: Collection[str]
) -> str | None:
    """Return why `move` gives up neither a card of the hand nor a replaced face-up card."""
    card, replacement = move["discard"], move["replacement"]
    if move["from"] == "hand":
        if card in face_up and card not in hand:
            return f"'{card}' lies face up, not in your hand"
        return _missed(card, hand, names)
    if card not in face_up:
        lies = f"'{card}' is in your hand, not face up" if card in hand else None
        return lies or f"'{card}' does not lie face up before you"
    return _missed(replacement, hand, names)


def reveal_refusal(
    cards: list[str], stage: int, own: Fighter, names: Collection[str]
) -> str | None:
    """Return why `cards` are neither none nor a formation for round `stage`."""
    if not cards:
        return None
    if len(cards) != SIZE[stage]:
        size = NUMBERS[SIZE[stage]]
        return f"a {ROUNDS[stage]} is exactly {size}, or nothing; you named {len(cards)}"
    if reason := _not_held(cards, own.camp.hand, names, own):
        return reason
    if stage == LEADER:
        is_leader = cards[0] in LEADERS
        return None if is_leader else f"'{cards[0]}' is no leader; {' '.join(LEADERS)} are"
    return _no_ladder(in_order(cards), own.declared)


def gunpowder_refusal(cards: Sequence[str], vanguard: Sequence[str]) -> str | None:
    """Return why `cards` cannot be destroyed in `vanguard`."""
    for card in cards:
        if card not in vanguard:
            return f"'{card}' does not stand in the enemy's vanguard, {' '.join(vanguard)}"
    return None


def leader_refusal(card: str | None, hand: Sequence[str], names: Collection[str]) -> str | None:
    """Return why `card` is neither null nor a leader of the hand."""
    if card is None:
        return None
    if card not in LEADERS:
        return f"'{card}' is no leader; {' '.join(LEADERS)} are"
    return _missed(card, hand, names)


def place_refusal(cards: list[str], hand: Sequence[str], names: Collection[str]) -> str | None:
    """Return why `cards` are not all of the hand."""
    return _not_held(cards, hand, names)


def _missed(card: str, hand: Sequence[str], names: Collection[str]) -> str | None:
    if card in hand:
        return None
    return f"'{card}' is not {'in your hand' if card in names else 'a card of this deck'}"


def _not_held(
    cards: list[str], hand: Sequence[str], names: Collection[str], own: Fighter | None = None
) -> str | None:
    for card in cards:
        count = hand.count(card)
        if cards.count(card) > count:
            if own and not count and any(card in (shown or ()) for shown in own.shown):
                return f"'{card}' has been shown; a card serves one round"
            if own and not count and card == own.declared:
                return f"'{card}' has been declared"
            if count:
                return f"you named '{card}' {cards.count(card)} times and hold {NUMBERS[count]}"
            return _missed(card, hand, names)
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
