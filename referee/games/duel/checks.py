"""Why a reply in Duel breaks the rules, in words for the bot's author."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from referee.games.duel.actions import RESTS
from referee.games.duel.cards import (
    ATTACKS,
    DEFENCES,
    DEXTERITY,
    ORDER,
    POTENTIATORS,
    USE,
    in_order,
)
from referee.games.duel.fencer import Fencer
from referee.rules.game import Move

_SUITS = {"B": "clubs (B)", "E": "swords (E)", "O": "coins (O)", "C": "cups (C)"}


def trait_refusal(trait: int, rolled: Sequence[int]) -> str | None:
    """Return why `trait` is none of the two rolled."""
    if trait in rolled:
        return None
    return f'"trait" must be {rolled[0]} or {rolled[1]}, the traits you rolled'


def action_refusal(
    move: Move, own: Fencer, prices: Mapping[str, int], number: int, deck: Collection[str]
) -> str | None:
    """Return why `own` cannot take the action of `move` as the `number`-th of the turn."""
    action = move["action"]
    if action == "end_turn":
        return None if number > 1 else "the first action of a turn is compulsory; then it may end"
    if action in RESTS and own.fencing < 2:
        return f"{_quoted(action)} needs fencing 2 or more; yours is {own.fencing}"
    if own.stamina < prices[action]:
        return f"{_quoted(action)} costs {prices[action]} stamina now; you have {own.stamina}"
    if action == "attack":
        return _ladder_refusal(move["cards"], "an attack", ATTACKS, own, deck)
    return _potentiator_refusal(move["card"], own, deck) if action == "observe" else None


def defence_refusal(cards: Sequence[str], own: Fencer, deck: Collection[str]) -> str | None:
    """Return why `cards`, unless there are none, are no ladder that `own` can defend with."""
    return _ladder_refusal(cards, "a defence", DEFENCES, own, deck) if cards else None


def _quoted(word: str) -> str:
    return f'"{word}"'


def _potentiator_refusal(card: str, own: Fencer, deck: Collection[str]) -> str | None:
    if card not in POTENTIATORS:
        return f"'{card}' is a number card; only a potentiator (10, 11, 12) is put into play"
    return _not_held(card, own, deck)


def _not_held(card: str, own: Fencer, deck: Collection[str]) -> str | None:
    if card in own.hand:
        return None
    return f"'{card}' is not {'in your hand' if card in deck else 'a card of this deck'}"


def _ladder_refusal(
    cards: Sequence[str], what: str, suits: str, own: Fencer, deck: Collection[str]
) -> str | None:
    for card in cards:
        if reason := _misuse(card, what, suits) or _not_held(card, own, deck):
            return reason
    return _gap(in_order(cards)) or _unpayable(cards[0][0], own)


def _misuse(card: str, what: str, suits: str) -> str | None:
    suit = card[0]
    if suit not in suits:
        takes = " or ".join(_SUITS[each] for each in suits)
        verb = "attack" if suit in ATTACKS else "defend"
        return f"'{card}' is of {_SUITS[suit]}, which {verb}; {what} takes {takes}"
    if card in POTENTIATORS:
        return f"'{card}' is a potentiator, in no ladder; \"observe\" puts it into play"
    return None


def _gap(cards: Sequence[str]) -> str | None:
    """Return what breaks the ladder of `cards`, which are in order and all different."""
    for low, high in pairwise(cards):
        if low[0] != high[0]:
            return f"'{low}' and '{high}' are of two suits; a ladder is of one"
        if ORDER[high] != ORDER[low] + 1:
            return f"'{low}' and '{high}' do not follow one another; a ladder has no gap"
    return None


def _unpayable(suit: str, own: Fencer) -> str | None:
    if own.dexterity < DEXTERITY[suit]:
        return f"a {USE[suit]} costs {DEXTERITY[suit]} dexterity; you have {own.dexterity}"
    return None
