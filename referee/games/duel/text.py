"""Duel in words for people: the fencers, their traits, moves and the end."""

from collections.abc import Mapping, Sequence
from typing import Any

from referee.games.duel.cards import in_order
from referee.games.duel.fencer import TRAITS

NAMES = "AB"
ROLES = ("the challenger", "the challenged")
EFFECTS = {
    1: "fencing +3",
    2: "maximum stamina +3",
    3: "maximum dexterity +3",
    4: "each thrust and cut counts one card more",
    5: "each parry and moulinet counts one card more",
    6: "rolls twice when breathing or using footwork",
    7: "whenever the rival retreats, he retreats one point more",
    8: "fencing, maximum stamina and maximum dexterity +1",
}
_LOSSES = {
    "retreat": "has been driven off the line",
    "stamina": "has no stamina left",
    "dexterity": "has no dexterity left",
}


def told(seat: int, move: Mapping[str, Any]) -> str:
    """Return what a move does, in a few words."""
    return f"{NAMES[seat]} {deed(move)}"


def outcome(places: Sequence[int], reason: str) -> str:
    """Return who has won, and why."""
    if 2 not in places:
        return "stopped, a draw"
    loser = places.index(2)
    if reason == "max_turns":
        return f"stopped, {NAMES[1 - loser]} is ahead and wins"
    return f"{NAMES[loser]} {_LOSSES[reason]}, {NAMES[1 - loser]} wins"


def deed(move: Mapping[str, Any]) -> str:
    """Return what a move does, without who does it."""
    if "trait" in move:
        return f"chooses {move['trait']}, {TRAITS[move['trait']]}"
    if "use" in move:
        return "parries in emergency" if move["use"] else "retreats"
    if "action" not in move or move["action"] == "attack":
        return _shown(move)
    if move["action"] == "observe":
        return f"observes with {move['card']}" if "card" in move else "observes"
    return {
        "breathe": "breathes",
        "footwork": "uses footwork",
        "feint": "feints",
        "end_turn": "ends the turn",
    }[move["action"]]


def _shown(move: Mapping[str, Any]) -> str:
    """Return a ladder as the attack or defence it is."""
    cards = in_order(move.get("cards", ()))
    if not cards:
        return "attacks" if "action" in move else "does not defend"
    verb = {"B": "thrusts", "E": "cuts", "O": "parries", "C": "moulinet"}[cards[0][0]]
    ladder = " ".join(cards)
    return f"answers {ladder} by moulinet" if verb == "moulinet" else f"{verb} {ladder}"
