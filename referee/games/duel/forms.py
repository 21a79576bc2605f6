"""Duel's replies: their forms, the actions and their prices, and why a reply is refused."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Literal

from msgspec import Meta

from referee.games.duel.fencer import (
    ATTACKS,
    DEFENCES,
    DEXTERITY,
    ORDER,
    POTENTIATORS,
    TRAITS,
    USE,
    Fencer,
    Ladder,
    in_order,
    ladders,
    numbers,
)
from referee.rules.field import UNIQUE
from referee.rules.form import Form
from referee.rules.game import Move

LONGEST = 9

_Card = Annotated[
    str, Meta(title="a card", pattern="^[BEOC]([1-9]|1[0-2])$", examples=["B7", "O12"])
]
_Attacker = Annotated[
    _Card, Meta(description="Suit and number.", extra_json_schema={"pattern": "^[BE][1-9]$"})
]
_Defender = Annotated[
    _Card, Meta(description="Suit and number.", extra_json_schema={"pattern": "^[OC][1-9]$"})
]
_THE_ACTION = Meta(description="The action.")


class ChooseTrait(Form):
    """The trait to fence with, one of the two rolled."""

    trait: Annotated[
        int, Meta(description="Its number.", extra_json_schema={"minimum": 1, "maximum": 8})
    ]


class Action(Form):
    """One action of the turn. Fields the stated action does not use are ignored."""


class Attack(Action):
    """Attack with a ladder of clubs or of swords."""

    action: Annotated[Literal["attack"], _THE_ACTION]
    cards: Annotated[
        list[_Attacker],
        UNIQUE,
        Meta(description="The ladder.", min_length=1, extra_json_schema={"maxItems": LONGEST}),
    ]


class Observe(Action):
    """Put a potentiator into play."""

    action: Annotated[Literal["observe"], _THE_ACTION]
    card: Annotated[
        _Card,
        Meta(
            description="The potentiator of the hand that goes into play.",
            extra_json_schema={"pattern": "^[BEOC]1[0-2]$"},
        ),
    ]


class Breathe(Action):
    """Win back stamina by a die, for 1 fencing."""

    action: Annotated[Literal["breathe"], _THE_ACTION]


class Footwork(Action):
    """Win back dexterity by a die, for 1 fencing."""

    action: Annotated[Literal["footwork"], _THE_ACTION]


class Feint(Action):
    """Draw until the hand equals fencing."""

    action: Annotated[Literal["feint"], _THE_ACTION]


class EndTurn(Action):
    """End the turn; not as its first action."""

    action: Annotated[Literal["end_turn"], _THE_ACTION]


class Defend(Form):
    """A parry, a moulinet, or nothing against the attack."""

    cards: Annotated[
        list[_Defender],
        UNIQUE,
        Meta(
            description="A ladder of coins or of cups, or empty.",
            extra_json_schema={"maxItems": LONGEST},
        ),
    ]


class EmergencyParry(Form):
    """Whether to pay 2 stamina for standing fast."""

    use: Annotated[bool, Meta(description="Whether the retreat is cancelled.")]


DECISIONS = {
    "choose_trait": ChooseTrait,
    "action": Attack | Observe | Breathe | Footwork | Feint | EndTurn,
    "defend": Defend,
    "emergency_parry": EmergencyParry,
}


PAID = ("attack", "observe", "feint")
"""The actions whose base price is a point of stamina."""
RESTS = ("breathe", "footwork")
"""The actions whose base price is a point of fencing, which is never spent to the last."""
MOST_ACTIONS = 3
"""The actions that a turn may hold; the first is compulsory."""

Prices = Mapping[str, int]
Choice = Ladder | str
"""An open action: the ladder of an attack, a potentiator, or the action's name."""


def _prices(*, added: bool) -> list[dict[str, int]]:
    base = 1 if added else 0
    first = dict.fromkeys(PAID, 1) | dict.fromkeys(RESTS, 0)
    later = [dict.fromkeys(PAID, base + more) | dict.fromkeys(RESTS, more) for more in (2, 3)]
    return [{}, first, *later]


PRICES = {"added": _prices(added=True), "instead": _prices(added=False)}
"""By `extra_action_cost`, the stamina of each action as the turn's first, second and third; the
set-up, number 0, has no actions."""


def open_actions(own: Fencer, prices: Prices, number: int) -> list[Choice]:
    """Return all that `own` may do as the `number`-th action of the turn."""
    found: list[Choice] = ["end_turn"] if number > 1 else []
    if own.fencing > 1 and own.stamina >= prices["breathe"]:
        found += RESTS
    if own.stamina >= prices["feint"]:
        found.append("feint")
        found += own.potentiators()
        found += own.attacks()
    return found


def only_action(own: Fencer, prices: Prices, number: int) -> Move | None:
    """Return the action that `own` takes for lack of another; None where there is a choice.

    The first action can always be a feint, and each later one can be left out.
    """
    if own.fencing > 1 and own.stamina >= prices["breathe"]:
        return None
    if number > 1:
        return None if own.stamina >= prices["feint"] else {"action": "end_turn"}
    return None if own.attacks() or own.potentiators() else {"action": "feint"}


def as_move(choice: Choice) -> Move:
    """Return an open action as a reply."""
    if isinstance(choice, tuple):
        return {"action": "attack", "cards": [*choice]}
    if choice in POTENTIATORS:
        return {"action": "observe", "card": choice}
    return {"action": choice}


def all_moves(deck: Sequence[str]) -> Iterator[tuple[str, list[Move]]]:
    """Yield each decision and every move that it may list; `deck` holds each card once."""
    held = numbers(deck)
    choices: list[Choice] = ["end_turn", *RESTS, "feint"]
    choices += [card for card in deck if card in POTENTIATORS]
    choices += [ladder for suit in ATTACKS for ladder in ladders(suit, held)]
    defences = [ladder for suit in DEFENCES for ladder in ladders(suit, held)]
    yield "choose_trait", [{"trait": trait} for trait in TRAITS]
    yield "action", [as_move(choice) for choice in choices]
    yield "defend", [{"cards": [*ladder]} for ladder in [(), *defences]]
    yield "emergency_parry", [{"use": False}, {"use": True}]


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
