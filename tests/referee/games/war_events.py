"""The events of chance in war."""

from tests.referee.games.events import Rule, sampled_or_default
from tests.referee.games.war_positions import PICKUP, as_dealt

RULE = Rule(
    deal=frozenset({"deck", "jokers", "joker"}),
    events={"pickup": PICKUP},
    piles=as_dealt,
    options=(
        {"max_battles": 120},
        {"max_battles": 120, "jokers": "buried"},
        {"max_battles": 120, "jokers": "two_buried"},
        {"max_battles": 120, "pickup": "shuffled"},
    ),
    choose=sampled_or_default,
)
