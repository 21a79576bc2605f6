"""The actions of a turn in Duel: their prices, and which are open to a fencer."""

from collections.abc import Iterator, Mapping, Sequence

from referee.games.duel.cards import (
    ATTACKS,
    DEFENCES,
    POTENTIATORS,
    Ladder,
    ladders,
    numbers,
)
from referee.games.duel.fencer import TRAITS, Fencer
from referee.rules.game import Move

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
