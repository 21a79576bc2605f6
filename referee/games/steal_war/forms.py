"""Steal War's two replies: their forms, and why a reply is refused."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from referee.games.steal_war.trick import DECK, Holdings
from referee.games.war_family.cards import LIKE
from referee.games.war_family.table import NAMES
from referee.rules.form import Form
from referee.rules.game import Move

WAIT = {"action": "wait"}
_WHAT = Meta(description="What is done with the card.")


class Steal(Form, forbid_unknown_fields=True):
    """What to do with the card drawn: play it, steal a pile with it, or wait."""


class Play(Steal):
    """Play the card."""

    action: Annotated[Literal["play"], _WHAT]


class StealPile(Steal):
    """Steal a pile."""

    action: Annotated[Literal["steal"], _WHAT]
    target: Annotated[
        int,
        Meta(
            description="The other seat whose pile shows the rank of the card drawn.",
            extra_json_schema={"minimum": 0, "maximum": 9},
        ),
    ]


class Wait(Steal):
    """Wait; with the option `steal_back`."""

    action: Annotated[Literal["wait"], _WHAT]


class Top(Form, forbid_unknown_fields=True):
    """The card that goes on top of one's pile."""

    top: Annotated[
        str,
        Meta(
            title="a card",
            pattern="^([2-9TJQKA][CDHS]|X[12])$",
            examples=LIKE,
            description="One of `won`; the others lie beneath it.",
        ),
    ]


def steal_refusal(move: Move, seat: int, held: Holdings, *, may_wait: bool) -> str | None:
    """Return why `seat` cannot steal by this `move`, or may not wait."""
    if move["action"] == "wait" and not may_wait:
        return 'you may not wait now: "action" must be "play" or "steal"'
    if move["action"] != "steal" or move["target"] in held.targets(seat):
        return None
    return _no_target(move["target"], seat, held)


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
