"""The events of chance in tod_und_leben."""

from tests.referee.games.events import Rule

RULE = Rule(deal=frozenset({"deck"}), options=({"rounds": 5},))
