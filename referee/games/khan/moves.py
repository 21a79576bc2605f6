"""The replies of Khan's decisions: which are legal, each once, and what is read of one."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from referee.games.khan.cards import LEADERS, ROUNDS, VANGUARD, formations, in_order
from referee.rules.game import Move


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
