"""The events of chance in world_war."""

from typing import Any

from tests.referee.games.events import (
    Event,
    Rule,
    in_one_order_of_all_cards,
    reshuffled,
    the_same_as_far_as_both_throw,
)


def _with_a_short_draw_pile(game: Any) -> None:
    game.war.used_pile += game.war.draw_pile[10:]
    del game.war.draw_pile[10:]


RULE = Rule(
    deal=frozenset({"deal", "objectives", "draw pile"}),
    events={
        "roll": Event(
            lambda game: (game.war.round, game.war.in_turn, game.war.attacks),
            the_same_as_far_as_both_throw,
            shared=0.4,
        ),
        "reshuffle": Event(
            lambda game: (game.war.round, game.war.in_turn),
            in_one_order_of_all_cards,
            shared=0.0,
        ),
    },
    piles=lambda game: {"draw pile": game.war.draw_pile},
    renews=reshuffled("draw pile"),
    prepare=_with_a_short_draw_pile,
    options=({"max_rounds": 40, "max_attacks": 6, "objective": "secret"},),
)
