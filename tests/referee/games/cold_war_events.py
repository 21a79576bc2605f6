"""The events of chance in cold_war."""

from tests.referee.games.events import Rule

RULE = Rule()
