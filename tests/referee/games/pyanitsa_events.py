"""The events of chance in pyanitsa."""

from tests.referee.games.events import Rule, sampled_or_default
from tests.referee.games.war_positions import PICKUP, as_dealt

RULE = Rule(
    deal=frozenset({"deck"}),
    events={"pickup": PICKUP},
    piles=as_dealt,
    options=({"max_battles": 120}, {"max_battles": 200, "pickup": "shuffled"}),
    choose=sampled_or_default,
)
