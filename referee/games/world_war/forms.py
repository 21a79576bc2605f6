"""World War's options and replies: their forms, why one is refused, legal ones at random."""

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from referee.games.world_war.board import (
    BORDERS,
    CARD_NUMBER,
    CARDS,
    MOST_DICE,
    MOST_IN_HAND,
    MOST_ROLLS,
    NUMBER,
    SET,
    TERRITORIES,
    WEAPON,
    Forces,
    Reach,
    most_dice,
    worth,
)
from referee.rules.chance import any_below, any_of
from referee.rules.field import UNIQUE
from referee.rules.form import Form
from referee.rules.game import Move, Options


class WorldWarOptions(Options, frozen=True, kw_only=True):
    """The options of World War."""

    objective: Annotated[
        Literal["secret", "world"],
        Meta(description="What wins: an objective of one's own, or the whole world for all."),
    ] = "secret"
    setup: Annotated[
        Literal["hidden", "in_turn"],
        Meta(description="The first armies: all at once and unseen, or a few by turns."),
    ] = "hidden"
    setup_step: Annotated[
        int, Meta(ge=1, description="With `setup` in_turn, the armies placed each time.")
    ] = 3
    attack_mode: Annotated[
        Literal["order", "single"],
        Meta(description="An attack is an order for several rolls with a limit, or one roll."),
    ] = "order"
    defence: Annotated[
        Literal["choose", "max"],
        Meta(description="Whether the defender chooses its dice or always throws the most."),
    ] = "choose"
    victory_check: Annotated[
        Literal["immediate", "end_of_turn", "next_turn"],
        Meta(description="When an objective achieved wins: at once, or later if it still holds."),
    ] = "immediate"
    min_reinforcement: Annotated[
        Literal[0, 3], Meta(description="The least that the territories bring in a turn.")
    ] = 0
    safe_rounds: Annotated[
        int, Meta(ge=0, description="Rounds in which a seat's only territory is safe.")
    ] = 4
    survivors: Annotated[
        Literal["tie", "territories"],
        Meta(description="How the losers still alive are placed: all tie, or by territories."),
    ] = "tie"
    max_rounds: Annotated[
        int, Meta(ge=1, description="Complete rounds before the game is stopped.")
    ] = 100
    max_attacks: Annotated[
        int, Meta(ge=1, description="Attacks in a turn before its combats are closed.")
    ] = 5000
    trading: Annotated[
        Literal["choose", "must"],
        Meta(description="Whether fewer than five cards that hold a set may be kept."),
    ] = "choose"


_Territory = Annotated[
    str,
    Meta(
        title="a territory of the board",
        pattern=f"^({'|'.join(TERRITORIES)})$",
        examples=["alaska"],
    ),
]
_Card = Annotated[
    str,
    Meta(title="a card", pattern=f"^({'|'.join(CARDS)})$", examples=["alaska", "joker_1"]),
]
_Armies = Annotated[
    dict[_Territory, Annotated[int, Meta(ge=0)]],
    Meta(description="Armies by territory; a territory left out gets none."),
]
_From = Annotated[_Territory, Meta(description="An own territory with two armies at least.")]
_Dice = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": MOST_DICE})]
_Rolls = Annotated[
    int,
    Meta(
        description="The most rolls of this order.",
        extra_json_schema={"minimum": 1, "maximum": MOST_ROLLS},
    ),
]
_StopAt = Annotated[
    int,
    Meta(
        description="The order is over once so few armies, or fewer, are left in `from`.",
        extra_json_schema={"minimum": 1},
    ),
]
_WHAT = Meta(description="What is done.")


class Placement(Form, forbid_unknown_fields=True):
    """The first armies, `limits.armies` in all, on own territories."""

    armies: _Armies


class Trade(Form, forbid_unknown_fields=True):
    """A set to exchange for armies, or no cards to keep all, if one may."""

    cards: Annotated[
        list[Annotated[_Card, Meta(description="A territory's card or a joker.")]],
        UNIQUE,
        Meta(
            description="Three cards of the hand in any order, or none.",
            extra_json_schema={"oneOf": [{"minItems": SET, "maxItems": SET}, {"maxItems": 0}]},
        ),
    ]


class Deploy(Form, forbid_unknown_fields=True):
    """All reinforcements of the turn, `limits.armies` in all, on own territories."""

    armies: _Armies


class Combat(Form, forbid_unknown_fields=True):
    """An attack on a neighbour's territory, or the end of the combats."""


class SingleAttack(Combat):
    """Attack, with `attack_mode` single."""

    action: Annotated[Literal["attack"], _WHAT]
    from_: _From = msgspec.field(name="from")
    to: Annotated[_Territory, Meta(description="A neighbouring territory of another seat.")]
    dice: Annotated[
        _Dice,
        Meta(description="The most dice thrown in a roll, at most one less than the armies there."),
    ]


class OrderAttack(SingleAttack):
    """Attack, with `attack_mode` order."""

    rolls: _Rolls
    stop_at: _StopAt


class AnyAttack(SingleAttack):
    """Attack, by the option `attack_mode`."""

    shapes = (OrderAttack, SingleAttack)

    rolls: _Rolls | UnsetType = UNSET
    stop_at: _StopAt | UnsetType = UNSET


class Stop(Combat):
    """End the combats."""

    action: Annotated[Literal["stop"], _WHAT]


class Defend(Form, forbid_unknown_fields=True):
    """The defence of one's own territory against an attack."""

    dice: Annotated[
        _Dice,
        Meta(description="The most dice thrown in a roll, at most the armies there."),
    ]


class Occupy(Form, forbid_unknown_fields=True):
    """Armies that follow into the territory just conquered."""

    armies: Annotated[
        int,
        Meta(
            description="How many more go; one army at least stays behind.",
            extra_json_schema={"minimum": 0},
        ),
    ]


class Fortify(Form, forbid_unknown_fields=True):
    """The one move of armies that ends the turn."""


class MoveArmies(Fortify):
    """Move armies to a neighbour."""

    action: Annotated[Literal["move"], _WHAT]
    from_: _From = msgspec.field(name="from")
    to: Annotated[_Territory, Meta(description="A neighbouring territory of one's own.")]
    armies: Annotated[
        int,
        Meta(
            description="How many go; one army at least stays behind.",
            extra_json_schema={"minimum": 1},
        ),
    ]


class Stay(Fortify):
    """Leave all armies where they are."""

    action: Annotated[Literal["stay"], _WHAT]


DECISIONS = {
    "setup": Placement,
    "trade": Trade,
    "deploy": Deploy,
    "attack": AnyAttack | Stop,
    "defend": Defend,
    "occupy": Occupy,
    "fortify": MoveArmies | Stay,
}


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


STOPS = 0.1
"""The share of attack decisions at which combats are ended."""
STAYS = 0.2


def sample_placement(own: Sequence[int], total: int, rng: Random) -> Move:
    """Return armies all on one territory, or each wherever it falls."""
    armies: dict[str, int] = {}
    if rng.random() < 0.5:
        armies[TERRITORIES[any_of(own, rng)]] = total
    else:
        for _ in range(total):
            name = TERRITORIES[any_of(own, rng)]
            armies[name] = armies.get(name, 0) + 1
    return {"armies": armies}


def sample_attack(forces: Forces, reach: Reach, mode: str, rng: Random) -> Move:
    """Return the stop, or an attack by as many dice as possible or fewer."""
    if rng.random() < STOPS:
        return {"action": "stop"}
    source, targets = any_of(reach, rng)
    spare = forces.armies[source] - 1
    move: Move = {
        "action": "attack",
        "from": TERRITORIES[source],
        "to": TERRITORIES[any_of(targets, rng)],
        "dice": _up_to(most_dice(spare), most_dice(spare), rng),
    }
    if mode == "order":
        move["rolls"] = _up_to(MOST_ROLLS, 1 + any_below(20, rng), rng)
        move["stop_at"] = _up_to(spare, 1, rng)
    return move


def sample_fortify(forces: Forces, reach: Reach, rng: Random) -> Move:
    """Return the stay, or the move of some or all armies that can go."""
    if rng.random() < STAYS:
        return {"action": "stay"}
    source, goals = any_of(reach, rng)
    spare = forces.armies[source] - 1
    return {
        "action": "move",
        "from": TERRITORIES[source],
        "to": TERRITORIES[any_of(goals, rng)],
        "armies": _up_to(spare, spare, rng),
    }


def sample_number(field: str, least: int, most: int, rng: Random) -> Move:
    """Return a reply that is one number, oftenest the most."""
    usual = most if rng.random() < 0.5 else least + any_below(most - least + 1, rng)
    return {field: usual}


def _up_to(most: int, usual: int, rng: Random) -> int:
    """Return the usual number, or any from 1 to the most."""
    return usual if rng.random() < 0.5 else 1 + any_below(most, rng)
