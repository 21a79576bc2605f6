"""The events of chance in casino_war."""

from typing import Any

from referee.chance import Key
from tests.referee.games.events import Event, Rule, as_deep


def _round(game: Any) -> tuple[Key, ...]:
    return (game.now.number,)


RULE = Rule(
    events={
        "player": Event(_round, as_deep, shared=1.0),
        "house": Event(_round, as_deep, shared=1.0),
        "burned": Event(_round, as_deep, shared=0.7),
        "war player": Event(_round, as_deep, shared=0.7),
        "war house": Event(_round, as_deep, shared=0.7),
    },
    options=({"rounds": 120}, {"rounds": 120, "reshuffle": "shoe", "decks": 1}),
)
