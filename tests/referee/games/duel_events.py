"""The events of chance in duel."""

from random import Random
from typing import Any

from referee.game import Game, Move
from tests.referee.games.events import (
    Event,
    Rule,
    in_one_order_of_all_cards,
    reshuffled,
    the_same_as_far_as_both_throw,
)


def _drawing(game: Game, seat: int, rng: Random) -> Move:
    """Feint every other time, and so draw cards."""
    legal = game.decision(seat).legal or []
    feints = [move for move in legal if move.get("action") == "feint"]
    return rng.choice(feints if feints and rng.random() < 0.5 else legal)


def _with_a_short_deck(game: Any) -> None:
    game.deck.discards += game.deck.cards[20:]
    del game.deck.cards[20:]


RULE = Rule(
    deal=frozenset({"deck", "trait"}),
    events={
        "rest": Event(
            lambda game: (game.turn, game.number), the_same_as_far_as_both_throw, shared=0.4
        ),
        "reshuffle": Event(
            lambda game: (game.deck.reshuffles,), in_one_order_of_all_cards, shared=1.0
        ),
    },
    piles=lambda game: {"deck": game.deck.cards},
    renews=reshuffled("deck"),
    prepare=_with_a_short_deck,
    choose=_drawing,
)
