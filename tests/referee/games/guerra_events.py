"""The events of chance in guerra."""

from tests.referee.games.events import Rule

RULE = Rule(
    deal=frozenset({"deck"}),
    piles=lambda game: {f"pack {seat}": army.pack for seat, army in enumerate(game.armies)},
)
