"""Khan in words for people: what a seat does by a move, and turns that are over."""

from collections.abc import Mapping, Sequence
from typing import Any

from referee.games.khan.cards import ROUNDS, in_order
from referee.rules.game import Move

LEGEND = (
    "E beats B, B beats O, O beats E; C leads. O1 gunpowder, C1 poison, B1 champion, E1 retreat."
)


def called(seat: int) -> str:
    """Return what a seat is called."""
    return f"seat {seat}"


def deed(decision: str, move: Move, stage: int) -> str:
    """Return what a seat does by `move`, as the predicate of a sentence."""
    match decision:
        case "turn":
            peaceful = move["action"] == "draw"
            return "draws" if peaceful else f"attacks seat {move['target']}"
        case "discard":
            replaced = move.get("replacement")
            more = f", and turns {replaced} face up for it" if replaced else ""
            return f"discards {move['discard']}{more}"
        case "reveal":
            return f"shows {' '.join(in_order(move['cards'])) or 'nothing'} as {ROUNDS[stage]}"
        case "gunpowder" if move["use"]:
            return f"uses gunpowder on {' '.join(in_order(move['discard']))}"
        case "gunpowder" | "poison":
            return f"{'uses' if move['use'] else 'keeps'} its {decision}"
        case "replace_leader":
            return f"sends {move['card'] or 'nobody'} in as leader"
        case "retreat":
            return "retreats" if move["use"] else "does not retreat"
    return f"turns {' '.join(in_order(move['cards']))} face up"


def told_turn(turn: Mapping[str, Any]) -> str:
    """Return what a seat did in a turn, as the predicate of a sentence."""
    if turn["action"] == "draw":
        return _told_draw(turn)
    rounds = "; ".join(_clash(fought) for fought in turn["rounds"])
    seats = (turn["seat"], turn["target"])
    declared = zip(seats, turn["declared"], strict=True)
    specials = [f"{special} declared by {called(seat)}" for seat, special in declared if special]
    parts = [rounds, *specials, _aftermath(turn)]
    return f"attacks {called(turn['target'])}: {'; '.join(parts)}"


def _tokens(tokens: Mapping[str, int]) -> str:
    return ", ".join(kind if count == 1 else f"{kind}*{count}" for kind, count in tokens.items())


def _clash(fought: Mapping[str, Any]) -> str:
    sides = zip(fought["shown"], fought["destroyed"], strict=True)
    return " v ".join(_side(shown, destroyed) for shown, destroyed in sides)


def _side(shown: Sequence[str] | None, destroyed: Sequence[str]) -> str:
    if shown is None:
        return "..."
    cards = " ".join(shown) or "-"
    return f"{cards} ({' '.join(destroyed)} destroyed)" if destroyed else cards


def _aftermath(combat: Mapping[str, Any]) -> str:
    parts = [f"{called(combat['winner'])} wins"]
    if combat["loot"]:
        parts.append(f"loots {_tokens(combat['loot'])}")
    seats = (combat["seat"], combat["target"])
    for seat, cards in zip(seats, combat["discarded"], strict=True):
        if cards:
            parts.append(f"{called(seat)} discards {' '.join(cards)}")
    return ", ".join(parts)


def _told_draw(turn: Mapping[str, Any]) -> str:
    places = {"front": "in front", "behind": "behind", "hand": "in hand"}
    parts = []
    if turn["token_to"]:
        parts.append(turn["token"] or f"a token {places[turn['token_to']]}")
    if turn["card_to"]:
        parts.append(f"{turn['card']} face up" if turn["card"] else "a card in hand")
    told = f"draws {' and '.join(parts) or 'nothing'}"
    if discard := turn["discard"]:
        told += f", {deed('discard', discard, 0)}"
    return told
