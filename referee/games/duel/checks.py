"""Why a reply in Duel is refused, in words for the bot's author.

Nothing about a reply is trusted here: any JSON object may come in, and none raises.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from referee.game import Move
from referee.games.duel.actions import PAID, RESTS
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
from referee.games.replies import no_list, wrong_card

ACTIONS = (*PAID, *RESTS, "end_turn")
_SUITS = {"B": "clubs (B)", "E": "swords (E)", "O": "coins (O)", "C": "cups (C)"}


def trait_refusal(move: Move, rolled: Sequence[int]) -> str | None:
    """Return why `move` does not choose one of the two traits rolled."""
    trait = move.get("trait")
    if type(trait) is not int or trait not in rolled:
        return f'"trait" must be {rolled[0]} or {rolled[1]}, the traits you rolled'
    return None


def action_refusal(
    move: Move, own: Fencer, prices: Mapping[str, int], number: int, deck: Collection[str]
) -> str | None:
    """Return why `move` is no action that `own` can take as the `number`-th of the turn."""
    action = move.get("action")
    if not isinstance(action, str) or action not in ACTIONS:
        return f'"action" must be {", ".join(map(_quoted, ACTIONS[:-1]))} or "end_turn"'
    if action == "end_turn":
        return None if number > 1 else "the first action of a turn is compulsory; then it may end"
    if action in RESTS and own.fencing < 2:
        return f"{_quoted(action)} needs fencing 2 or more; yours is {own.fencing}"
    if own.stamina < prices[action]:
        return f"{_quoted(action)} costs {prices[action]} stamina now; you have {own.stamina}"
    if action == "attack":
        return _ladder_refusal(move, "an attack", ATTACKS, own, deck)
    return _potentiator_refusal(move, own, deck) if action == "observe" else None


def defence_refusal(move: Move, own: Fencer, deck: Collection[str]) -> str | None:
    """Return why `move` is neither the empty defence nor a ladder that `own` can defend with."""
    return (
        None if move.get("cards") == [] else _ladder_refusal(move, "a defence", DEFENCES, own, deck)
    )


def parry_refusal(move: Move) -> str | None:
    """Return why `move` does not say whether to parry in emergency."""
    return None if type(move.get("use")) is bool else '"use" must be true or false'


def _quoted(word: str) -> str:
    return f'"{word}"'


def _card_refusal(card: object, deck: Collection[str]) -> str | None:
    return wrong_card(card, deck, "'B7' or 'O12'", "a card of this deck")


def _potentiator_refusal(move: Move, own: Fencer, deck: Collection[str]) -> str | None:
    if "card" not in move:
        return '"card" is missing: the potentiator to put into play'
    card = move["card"]
    if reason := _card_refusal(card, deck):
        return reason
    if card not in POTENTIATORS:
        return f"'{card}' is a number card; only a potentiator (10, 11, 12) is put into play"
    return None if card in own.hand else f"'{card}' is not in your hand"


def _ladder_refusal(
    move: Move, what: str, suits: str, own: Fencer, deck: Collection[str]
) -> str | None:
    if "cards" not in move:
        return f'"cards" is missing: the ladder of {what}'
    cards = move["cards"]
    if reason := no_list(cards, "cards"):
        return reason
    if not cards:
        return f"{what} takes at least one card"
    for at, card in enumerate(cards):
        if reason := _card_refusal(card, deck) or _misuse(card, what, suits):
            return reason
        if card in cards[:at]:
            return f"'{card}' is named twice; the cards of a ladder all differ"
        if card not in own.hand:
            return f"'{card}' is not in your hand"
    return _gap(in_order(cards)) or _unpayable(cards[0][0], own)


def _misuse(card: str, what: str, suits: str) -> str | None:
    suit = card[0]
    if suit not in suits:
        takes = " or ".join(_SUITS[each] for each in suits)
        return f"'{card}' is of {_SUITS[suit]}, which {_verb(suit)}; {what} takes {takes}"
    if card in POTENTIATORS:
        return f"'{card}' is a potentiator, in no ladder; \"observe\" puts it into play"
    return None


def _verb(suit: str) -> str:
    return "attack" if suit in ATTACKS else "defend"


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
