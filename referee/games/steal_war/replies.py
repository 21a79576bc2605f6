"""Steal War's two replies: their schemas, and why a reply is refused."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from referee.game import Move
from referee.games.replies import kind, wrong_fields
from referee.games.steal_war.trick import DECK, Holdings
from referee.games.war_family.cards import no_card
from referee.games.war_family.text import NAMES

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def _form(description: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "description": description,
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def _action(name: str) -> dict[str, Any]:
    return {"description": "What is done with the card.", "const": name}


WAIT = {"action": "wait"}
TARGET = {
    "description": "The other seat whose pile shows the rank of the card drawn.",
    "type": "integer",
    "minimum": 0,
    "maximum": 9,
}
TOP = {
    "description": "One of `won`; the others lie beneath it.",
    "type": "string",
    "pattern": "^([2-9TJQKA][CDHS]|X[12])$",
}
DECISIONS: Mapping[str, Mapping[str, Any]] = {
    "steal": {
        "$schema": DRAFT,
        "description": "What to do with the card drawn: play it, steal a pile with it, or wait.",
        "oneOf": [
            _form("Play the card.", {"action": _action("play")}),
            _form("Steal a pile.", {"action": _action("steal"), "target": TARGET}),
            _form("Wait; with the option `steal_back`.", {"action": _action("wait")}),
        ],
    },
    "top": {
        "$schema": DRAFT,
        **_form("The card that goes on top of one's pile.", {"top": TOP}),
    },
}


def steal_refusal(move: Move, seat: int, held: Holdings, *, may_wait: bool) -> str | None:
    """Return why `seat` can neither play nor steal by this `move`, nor wait if it may."""
    action = move.get("action")
    if action == "play" or (action == "wait" and may_wait):
        return wrong_fields(move, "action")
    if action != "steal":
        return '"action" must be ' + (
            '"play", "steal" or "wait"' if may_wait else '"play" or "steal"'
        )
    if reason := wrong_fields(move, "action", "target"):
        return reason
    target = move["target"]
    if type(target) is not int:
        return f'"target" must be the number of a seat, not {kind(target)}'
    if target in held.targets(seat):
        return None
    return _no_target(target, seat, held)


def top_refusal(move: Move, won: Collection[str]) -> str | None:
    """Return why `move` names no card that was won."""
    if reason := wrong_fields(move, "top") or no_card(move["top"]):
        return reason
    if move["top"] not in won:
        return f"'{move['top']}' is not among the cards you have won: {' '.join(won)}"
    return None


def all_moves(seats: int, *, may_wait: bool) -> Iterator[tuple[str, list[Move]]]:
    """Yield each decision and every move that it may list."""
    thefts = [{"action": "steal", "target": seat} for seat in range(seats)]
    yield "steal", [{"action": "play"}, *thefts, *[WAIT] * may_wait]
    yield "top", [{"top": card} for card in DECK]


def _no_target(target: int, seat: int, held: Holdings) -> str:
    if not 0 <= target < len(held.piles):
        return f'"target" must be a seat from 0 to {len(held.piles) - 1}'
    if target == seat:
        return f"{target} is your own seat; one steals from others"
    if not held.piles[target]:
        return f"seat {target} ({NAMES[target]}) has no pile to steal"
    top, card = held.piles[target][-1], held.drawn[seat]
    return f"the top of seat {target}'s pile is '{top}', not of the rank of your card, '{card}'"
