"""Guerra's replies: their forms, and why one breaks the rules, in words for the bot's author."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from referee.games.guerra.battle import (
    ARCHERS,
    BANNERS,
    BOWSHOT,
    KNIGHTS,
    STEPS,
    SUIT,
    Army,
    Attacks,
)
from referee.rules.field import UNIQUE
from referee.rules.form import Form
from referee.rules.game import Move

_Card = Annotated[
    str, Meta(title="a card", pattern="^([1-7]|1[0-2])[OCEB]$", examples=["7O", "12B"])
]
_OfMany = Annotated[_Card, Meta(description="Number and suit.")]
_Cards = Annotated[list[_OfMany], UNIQUE]
_Zone = Literal["vanguard", "centre", "rearguard"]

_EXACTLY_1 = Meta(min_length=1, max_length=1)
_EXACTLY_2 = Meta(min_length=2, max_length=2)
_EXACTLY_3 = Meta(min_length=3, max_length=3)


_Rearguard = Annotated[_Cards, Meta(description="Hand cards for the rearguard.")]
_Centre = Annotated[_Cards, Meta(description="Hand cards for the centre.")]
_Vanguard = Annotated[_Cards, Meta(description="Hand cards for the vanguard.")]


class AsFirst(Form):
    """A's first deployment."""

    rearguard: Annotated[_Rearguard, _EXACTLY_3]


class BsFirst(Form):
    """B's first deployment."""

    rearguard: Annotated[_Rearguard, _EXACTLY_3]
    centre: Annotated[_Centre, _EXACTLY_2]


class AsSecond(Form):
    """A's second deployment."""

    centre: Annotated[_Centre, _EXACTLY_2]
    vanguard: Annotated[_Vanguard, _EXACTLY_1]


class BsSecond(Form):
    """B's second deployment."""

    vanguard: Annotated[_Vanguard, _EXACTLY_1]


class Deploy(Form):
    """Cards of the hand, all different, for exactly the zones asked for."""

    shapes = (AsFirst, BsFirst, AsSecond, BsSecond)

    rearguard: _Rearguard | UnsetType = UNSET
    centre: _Centre | UnsetType = UNSET
    vanguard: _Vanguard | UnsetType = UNSET


class Transfer(Form):
    """A step to an adjacent zone, or a swap with a card of that zone."""

    card: Annotated[_Card, Meta(description="The card of one's own that steps.")]
    to: Annotated[_Zone, Meta(description="The adjacent zone it steps to.")]
    swap_with: Annotated[
        _Card | None,
        Meta(description="The card of that zone that takes its place; null or absent for none."),
    ] = None


class Step(Form):
    """One card's step."""

    card: Annotated[_Card, Meta(description="A card of one's own.")]
    to: Annotated[_Zone, Meta(description="The adjacent zone it steps to.")]


_THE_ORDER = Meta(description="The order given.")
_Transfers = Annotated[
    list[Transfer],
    Meta(
        description="Carried out first; at most as many as the option `transfers` allows.",
        extra_json_schema={"maxItems": 2},
    ),
]


class Orders(Form):
    """What to do this turn. Fields the stated action does not use are ignored."""


class Attack(Orders):
    """Transfer, then attack."""

    action: Annotated[Literal["attack"], _THE_ORDER]
    transfers: _Transfers = msgspec.field(default_factory=list)


class Incorporate(Orders, kw_only=True):
    """Transfer, then put one card of the hand on the table."""

    action: Annotated[Literal["incorporate"], _THE_ORDER]
    transfers: _Transfers = msgspec.field(default_factory=list)
    card: Annotated[_Card, Meta(description="The card of the hand.")]
    zone: Annotated[_Zone, Meta(description="The zone it goes to.")]


class MassTransfer(Orders):
    """Move any number of cards one step each."""

    action: Annotated[Literal["mass_transfer"], _THE_ORDER]
    moves: Annotated[
        list[Step],
        Meta(
            description="The steps, of different cards, taken all at once.",
            min_length=1,
            extra_json_schema={"maxItems": 40, "uniqueItems": True},
        ),
    ]


def _of(numbers: str) -> Meta:
    """Return what narrows the cards in a schema to these numbers."""
    return Meta(extra_json_schema={"pattern": f"^{numbers}[OCEB]$"})


_Knight = Annotated[
    list[Annotated[_OfMany, _of("11")]], UNIQUE, _EXACTLY_1, Meta(description="The Knight.")
]
_NoTarget = Annotated[None, Meta(description="No target.")]


class Stop(Form):
    """Stop."""

    attackers: Annotated[list[_Card], Meta(description="Nobody.", max_length=0)]
    target: _NoTarget


class GroupAttack(Form):
    """An attack by Soldiers and Captains on one card."""

    attackers: Annotated[
        list[Annotated[_OfMany, _of("([2-7]|12)")]],
        UNIQUE,
        Meta(
            description="The group; of its strongest cards that can be hurt, the one named first"
            " lives.",
            min_length=1,
            max_length=28,
        ),
    ]
    target: Annotated[_Card, Meta(description="The enemy card attacked.")]


class Sweep(Form):
    """A sweep."""

    attackers: _Knight
    target: _NoTarget


class KnightDuel(Form):
    """A duel."""

    attackers: _Knight
    target: Annotated[_Card, Meta(description="The enemy Knight."), _of("11")]


class Shot(Form):
    """An aimed shot, with the option `archers`."""

    attackers: Annotated[
        list[Annotated[_OfMany, _of("10")]],
        UNIQUE,
        _EXACTLY_1,
        Meta(description="The Archer, of Vanguard or Centre."),
    ]
    target: Annotated[_Card, Meta(description="A card of the enemy's Vanguard or Centre.")]


class Assault(Form):
    """One attack by cards of the foremost zone on the enemy's foremost zone, or the end of them."""

    shapes = (Stop, GroupAttack, Sweep, KnightDuel, Shot)

    attackers: _Cards
    target: _Card | None


class Discard(Form):
    """The surplus over seven cards in hand, which goes to the cemetery."""

    cards: Annotated[
        _Cards,
        Meta(
            description="The one card given up.",
            extra_json_schema={"minItems": 1, "maxItems": 1},
        ),
    ]


DECISIONS = {
    "deploy": Deploy,
    "orders": Attack | Incorporate | MassTransfer,
    "attack": Assault,
    "discard": Discard,
}


def deploy_refusal(move: Move, army: Army, asked: Mapping[str, int]) -> str | None:
    """Return why `move` does not deploy exactly the cards `asked` for."""
    for zone in move:
        if zone not in asked:
            return f'"{zone}" is not asked for now, only {" and ".join(asked)}'
    named: list[str] = []
    for zone, count in asked.items():
        if zone not in move:
            return f'"{zone}" is missing'
        if len(move[zone]) != count:
            return f'"{zone}" takes {count} of your cards, not {len(move[zone])}'
        named += move[zone]
    return _repeated(named) or _not_in_hand(named, army)


def orders_refusal(move: Move, army: Army, transfers: int) -> str | None:
    """Return why `move` cannot be carried out by `army`, with so many `transfers` allowed."""
    if move["action"] == "mass_transfer":
        return _wrong_moves(move["moves"], army)
    reason = _wrong_transfers(move["transfers"], army, transfers)
    if reason or move["action"] == "attack":
        return reason
    return _not_in_hand([move["card"]], army)


def attack_refusal(
    move: Move, own: Army, enemy: Army, attacks: Attacks, spent: Collection[str]
) -> str | None:
    """Return why `move` is neither the stop nor one of the `attacks` now open to `own`."""
    attackers, target = move["attackers"], move["target"]
    if not attackers:
        return None if target is None else 'no attackers are named; to stop, "target" is null'
    if "archers" in attacks and (archers := [card for card in attackers if card in ARCHERS]):
        if len(attackers) > 1:
            return f"'{archers[0]}' is an Archer, which shoots alone"
        return _wrong_shot(archers[0], target, own, enemy, spent)
    for card in attackers:
        if reason := _wrong_attacker(card, own, spent, alone=len(attackers) == 1):
            return reason
    if attackers[0] in KNIGHTS:
        return _wrong_knight(attackers[0], target, enemy, attacks)
    if target is None:
        return 'Soldiers and Captains attack one enemy card: name it in "target"'
    return _wrong_target(target, enemy)


def discard_refusal(cards: Sequence[str], army: Army, surplus: int) -> str | None:
    """Return why `cards` are not exactly the `surplus`."""
    if len(cards) != surplus:
        return f'"cards" must name exactly {surplus}, not {len(cards)}'
    return _not_in_hand(cards, army)


def _repeated(cards: Sequence[str]) -> str | None:
    for at, card in enumerate(cards):
        if card in cards[:at]:
            return f"'{card}' is named twice"
    return None


def _whereabouts(card: str, army: Army) -> str:
    if zone := army.zone_of(card):
        return f"is in your {zone}"
    if card in army.hand:
        return "is in your hand"
    return "is in your cemetery" if card in army.cemetery else "is still in your pack"


def _not_in_hand(cards: Sequence[str], army: Army) -> str | None:
    for card in cards:
        if card not in army.hand:
            return f"'{card}' {_whereabouts(card, army)}, not in your hand"
    return None


def _wrong_transfers(transfers: Sequence[Move], army: Army, allowed: int) -> str | None:
    if len(transfers) > allowed:
        return f'"transfers" holds {len(transfers)}; the option `transfers` allows {allowed}'
    moved: list[str] = []
    for transfer in transfers:
        if reason := _wrong_transfer(transfer, army, moved):
            return reason
    return None


def _wrong_transfer(transfer: Move, army: Army, moved: list[str]) -> str | None:
    if reason := _wrong_step(transfer, army, moved):
        return reason
    other = transfer["swap_with"]
    if other is None:
        return None
    if reason := _wrong_mover(other, army, moved):
        return reason
    if army.zone_of(other) != transfer["to"]:
        return f"'{other}' {_whereabouts(other, army)}; a swap is with a card of {transfer['to']}"
    moved.append(other)
    return None


def _wrong_step(step: Move, army: Army, moved: list[str]) -> str | None:
    card, to = step["card"], step["to"]
    if reason := _wrong_mover(card, army, moved):
        return reason
    here = army.zone_of(card)
    if to not in STEPS[here]:
        return f"'{card}' is in your {here} and steps to {' or '.join(STEPS[here])}, not to {to}"
    moved.append(card)
    return None


def _wrong_mover(card: str, army: Army, moved: Collection[str]) -> str | None:
    if card in moved:
        return f"'{card}' would move twice in this turn"
    if not army.zone_of(card):
        return f"'{card}' {_whereabouts(card, army)}, not on the table"
    return None


def _wrong_moves(moves: Sequence[Move], army: Army) -> str | None:
    moved: list[str] = []
    for step in moves:
        if reason := _wrong_step(step, army, moved):
            return reason
    return None


def _wrong_attacker(card: str, own: Army, spent: Collection[str], *, alone: bool) -> str | None:
    line = own.foremost()
    if card not in own.zones[line]:
        return f"'{card}' {_whereabouts(card, own)}; attacks come from your {line}"
    if card in spent:
        return f"'{card}' has already attacked this turn"
    if card in BANNERS:
        return f"'{card}' is a Banner, which never attacks"
    if card in ARCHERS:
        return f"'{card}' is an Archer, which only shoots by itself, in the volley"
    if card in KNIGHTS and not alone:
        return f"'{card}' is a Knight, which attacks alone"
    return None


def _wrong_knight(knight: str, target: str | None, enemy: Army, attacks: Attacks) -> str | None:
    front = enemy.foremost()
    if target is not None:
        if [knight, target] in attacks["duels"]:
            return None
        if target not in KNIGHTS:
            return f"a Knight does not attack '{target}': it sweeps (target null) or duels a Knight"
        return _wrong_target(target, enemy) or f"'{knight}' may duel only the Knight of its suit"
    if knight in attacks["sweeps"]:
        return None
    if knight in enemy.zones[front]:
        return f"'{knight}' cannot sweep the enemy's {front}, where its twin stands; it may duel it"
    return f"'{knight}' cannot sweep: the enemy's {front} holds no card of suit {SUIT[knight]}"


def _wrong_shot(
    archer: str, target: str | None, own: Army, enemy: Army, spent: Collection[str]
) -> str | None:
    if own.zone_of(archer) not in BOWSHOT:
        return f"'{archer}' {_whereabouts(archer, own)}; shots come from your vanguard or centre"
    if archer in spent:
        return f"'{archer}' has already attacked this turn"
    if target is None:
        return 'an Archer shoots at one enemy card: name it in "target"'
    if not (where := enemy.zone_of(target)):
        return f"'{target}' is not on the enemy's table"
    if where not in BOWSHOT:
        return f"'{target}' is in the enemy's {where}; shots reach its vanguard and centre"
    return None


def _wrong_target(target: str, enemy: Army) -> str | None:
    front, where = enemy.foremost(), enemy.zone_of(target)
    if not where:
        return f"'{target}' is not on the enemy's table"
    if where != front:
        return f"'{target}' is in the enemy's {where}; only its {front} can be attacked"
    return None
