"""The events of chance in khan."""

from tests.referee.games.events import Event, Rule, in_one_order_of_all_cards, reshuffled

RULE = Rule(
    deal=frozenset({"deck", "scarce", "bag", "first"}),
    events={
        "reshuffle": Event(lambda game: (game.reshuffles,), in_one_order_of_all_cards, shared=1.0)
    },
    piles=lambda game: {"deck": game.deck, "bag": game.bag},
    renews=reshuffled("deck"),
    options=({}, {"first_player": "random"}),
    seats=5,
)
