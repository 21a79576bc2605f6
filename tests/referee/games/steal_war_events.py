"""The events of chance in steal_war."""

from random import Random
from typing import Any

from referee.chance import Key
from referee.game import Game, Move
from tests.referee.games.events import Event, Rule, in_one_order_of_all_cards, the_same_of_as_many


def _stolen(game: Game, seat: int, rng: Random) -> Move:
    """Steal where that is possible, or wait where that is."""
    legal = game.decision(seat).legal or [game.sample(seat, rng)]
    return rng.choice([move for move in legal if move.get("action") in ("steal", "wait")] or legal)


def _trick(game: Any) -> tuple[Key, ...]:
    return (game.trick.number, game.trick.war, game.trick.turn)


RULE = Rule(
    deal=frozenset({"deck"}),
    events={
        "pack": Event(_trick, in_one_order_of_all_cards, shared=0.4),
        "lot": Event(_trick, the_same_of_as_many, shared=0.0),
        "hurried": Event(_trick, the_same_of_as_many, shared=0.0),
    },
    piles=lambda game: {f"pack {seat}": pack for seat, pack in enumerate(game.held.packs)},
    renews=lambda event: f"pack {event[-1]}" if event[0] == "pack" else None,
    options=({}, {"steal_back": "at_once"}),
    seats=3,
    choose=_stolen,
)
