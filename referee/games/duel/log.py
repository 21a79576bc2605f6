"""What is remembered of a duel: every action, and what came of it."""

from typing import Any

Event = dict[str, Any]
"""An action as a view tells it; an attack begins with nothing decided and is filled in."""

RECENT = 3
"""The turns, the present one included, whose actions a view tells."""


def recent(log: list[Event], turn: int) -> list[Event]:
    """Return the actions of the last turns up to `turn`."""
    first = len(log)
    while first and log[first - 1]["turn"] > turn - RECENT:
        first -= 1
    return log[first:]
