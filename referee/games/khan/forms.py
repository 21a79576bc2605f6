"""Khan's replies: their forms, which are legal, and why another is refused."""

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from referee.games.khan.camp import (
    ARMIES,
    CHAMPION,
    LEADER,
    LEADERS,
    RANK,
    ROUNDS,
    SIZE,
    SPECIALS,
    VANGUARD,
    formations,
    in_order,
)
from referee.games.khan.combat import Fighter
from referee.rules.field import UNIQUE
from referee.rules.form import Form
from referee.rules.game import Move

_Card = Annotated[
    str, Meta(title="a card", pattern="^([EBO][1-9]|C1[0-2]?)$", examples=["E5", "C12"])
]
_OfMany = Annotated[_Card, Meta(description="Suit and rank.")]


class Turn(Form):
    """What to do this turn."""


class Draw(Turn):
    """Draw a token and a card."""

    action: Annotated[Literal["draw"], Meta(description="A peaceful turn.")]


class Attack(Turn):
    """Attack a seat."""

    action: Annotated[Literal["attack"], Meta(description="A combat.")]
    target: Annotated[
        int, Meta(description="Any other seat.", extra_json_schema={"minimum": 0, "maximum": 4})
    ]


class Discard(Form):
    """The card given up, after a fifth card came to the hand."""


class FromHand(Discard):
    """A card of the hand."""

    discard: Annotated[_Card, Meta(description="The card given up, the one just drawn included.")]
    from_: Annotated[Literal["hand"], Meta(description="It is in the hand.")] = msgspec.field(
        name="from"
    )
    replacement: Annotated[None, Meta(description="None; null or absent.")] = None


class FromFront(Discard):
    """A face-up card."""

    discard: Annotated[_Card, Meta(description="The card given up.")]
    from_: Annotated[Literal["front"], Meta(description="It lies face up.")] = msgspec.field(
        name="from"
    )
    replacement: Annotated[_Card, Meta(description="The card of the hand that takes its place.")]


class Reveal(Form):
    """What is shown in this round, nothing or exactly one formation; the order means nothing."""

    cards: Annotated[
        list[_OfMany],
        Meta(
            description="None, or three, two or one card in rounds 1, 2 and 3.",
            extra_json_schema={"maxItems": 3},
        ),
    ]


class Gunpowder(Form):
    """Whether to declare O1 now."""


class Keep(Gunpowder):
    """Keep it."""

    use: Annotated[Literal[False], Meta(description="Keep it.")]


class Explode(Gunpowder):
    """Destroy two cards."""

    use: Annotated[Literal[True], Meta(description="Declare it.")]
    discard: Annotated[
        list[_OfMany],
        UNIQUE,
        Meta(description="Two of the enemy's vanguard.", min_length=2, max_length=2),
    ]


_IS_DECLARED = Meta(description="Whether it is declared.")


class Poison(Form):
    """Whether to declare C1 now and discard the enemy's leader."""

    use: Annotated[bool, _IS_DECLARED]


class Retreat(Form):
    """Whether to declare E1 now, and keep all other cards after this defeat."""

    use: Annotated[bool, _IS_DECLARED]


class ReplaceLeader(Form):
    """The heir of a poisoned leader."""

    card: Annotated[
        _Card | None,
        Meta(
            description="A leader of the hand; null for none.",
            extra_json_schema={"pattern": "^C1[0-2]$"},
        ),
    ]


class PlaceFront(Form):
    """The cards turned face up after a combat."""

    cards: Annotated[
        list[_OfMany],
        Meta(
            description="Any two of one's cards; the order means nothing.",
            min_length=2,
            max_length=2,
        ),
    ]


DECISIONS = {
    "turn": Draw | Attack,
    "discard": FromHand | FromFront,
    "reveal": Reveal,
    "gunpowder": Keep | Explode,
    "poison": Poison,
    "replace_leader": ReplaceLeader,
    "retreat": Retreat,
    "place_front": PlaceFront,
}


def turn_moves(seat: int, seats: int) -> list[Move]:
    """Return the draw, and an attack on each other seat."""
    others = (other for other in range(seats) if other != seat)
    return [{"action": "draw"}, *({"action": "attack", "target": other} for other in others)]


def discard_moves(hand: Sequence[str], face_up: Sequence[str]) -> list[Move]:
    """Return the discards of a hand card, then those of a face-up card."""
    own = list(dict.fromkeys(hand))
    moves: list[Move] = [{"discard": card, "from": "hand", "replacement": None} for card in own]
    moves += [
        {"discard": card, "from": "front", "replacement": replacement}
        for card in dict.fromkeys(face_up)
        for replacement in own
    ]
    return moves


def gunpowder_moves(vanguard: Sequence[str]) -> list[Move]:
    """Return the choice to keep it, and every pair of cards it can destroy."""
    pairs = combinations(vanguard, 2)
    return [{"use": False}, *({"use": True, "discard": [*pair]} for pair in pairs)]


def leader_moves(hand: Sequence[str]) -> list[Move]:
    """Return the choice to send in nobody, and every leader of the hand."""
    return [{"card": None}, *({"card": card} for card in LEADERS if card in hand)]


def place_moves(hand: Sequence[str]) -> list[Move]:
    """Return every pair of cards of a hand, which is in canonical order."""
    return [{"cards": [*pair]} for pair in dict.fromkeys(combinations(hand, 2))]


def all_moves(deck: Sequence[str], seats: int) -> Iterator[tuple[str, list[Move]]]:
    """Yield each decision and every move that it may list; `deck` holds each card once."""
    fronts = [formations(deck, stage, champion=True) for stage in range(len(ROUNDS))]
    whether: list[Move] = [{"use": False}, {"use": True}]
    yield "turn", turn_moves(-1, seats)
    yield "discard", discard_moves(deck, deck)
    yield "reveal", [{"cards": front} for stage in fronts for front in stage]
    for vanguard in fronts[VANGUARD]:
        yield "gunpowder", gunpowder_moves(vanguard)
    yield "poison", whether
    yield "replace_leader", leader_moves(deck)
    yield "retreat", whether
    yield "place_front", place_moves([card for card in deck for _ in range(2)])


def in_canonical_order(move: Move) -> Move:
    """Return a legal reply with its cards in canonical order."""
    return {
        field: in_order(value) if type(value) is list else value for field, value in move.items()
    }


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
    if reason := hand_refusal(cards, own.camp.hand, names, own):
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


def _missed(card: str, hand: Sequence[str], names: Collection[str]) -> str | None:
    if card in hand:
        return None
    return f"'{card}' is not {'in your hand' if card in names else 'a card of this deck'}"


def hand_refusal(
    cards: list[str], hand: Sequence[str], names: Collection[str], own: Fighter | None = None
) -> str | None:
    """Return why `cards` are not all of the hand; `own` may have shown or declared some."""
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
