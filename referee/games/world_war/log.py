"""What has happened in a World War before everybody's eyes, for views and texts."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

FIELDS = {
    "setup": ("seat", "armies"),
    "turn": ("seat", "round"),
    "trade": ("seat", "cards", "armies", "extra"),
    "deploy": ("seat", "armies"),
    "attack": (
        *("seat", "from", "to", "dice", "defender", "defender_dice"),
        *("rolls", "attacker_lost", "defender_lost"),
    ),
    "conquest": ("seat", "from", "to", "armies"),
    "eliminated": ("seat", "by", "cards"),
    "occupy": ("seat", "from", "to", "armies"),
    "card": ("seat", "reshuffled"),
    "fortify": ("seat", "from", "to", "armies"),
}
"""By kind of event, what is told of it."""
_NAMES = {kind: ("event", *fields) for kind, fields in FIELDS.items()}


def _plain(rolls: Iterable[Iterable[Iterable[int]]]) -> list[list[list[int]]]:
    return [[[*dice] for dice in roll] for roll in rolls]


AS_JSON: dict[str, tuple[tuple[str, Callable[[Any], Any]], ...]] = {
    "setup": (("armies", dict),),
    "trade": (("cards", list), ("extra", dict)),
    "deploy": (("armies", dict),),
    "attack": (("rolls", _plain),),
    "eliminated": (("cards", list),),
}
"""By kind of event, the fields that are not kept as JSON, and what makes it of each."""

Event = tuple[Any, ...]
"""A kind of event and the values of its fields; never changed once it is in the log."""


class Log:
    """All seats' events in one list, and how far each seat has been told.

    What everybody has been told is cut off, but for the last turn of every seat.
    """

    def __init__(self, seats: int) -> None:
        self._events: list[Event] = []
        self._shown: list[dict[str, Any]] = []
        """The first of them as JSON, as far as anybody has looked; never changed either."""
        self._cut = 0
        self._told = [0] * seats
        self._turns: deque[int] = deque(maxlen=seats + 1)
        """Where the last turns begin."""

    def add(self, *event: Any) -> None:
        """Take an event in: its kind, then its fields."""
        self._events.append(event)

    def answered(self, seat: int) -> None:
        """Note that `seat` has been told all that there is."""
        self._told[seat] = self._cut + len(self._events)

    def begin_turn(self, seat: int, number: int, living: list[int]) -> None:
        """Note that a turn begins in the round of this number; nobody else needs to be told."""
        self._turns.append(self._cut + len(self._events))
        self.add("turn", seat, number)
        needed = min(self._turns[0], *(self._told[other] for other in living))
        del self._events[: needed - self._cut]
        del self._shown[: needed - self._cut]
        self._cut = max(self._cut, needed)

    def since(self, seat: int) -> list[dict[str, Any]]:
        """Return what has happened since `seat` was last asked, as JSON that all seats share."""
        self._shown += map(_shown, self._events[len(self._shown) :])
        return self._shown[max(0, self._told[seat] - self._cut) :]

    def latest(self) -> list[Event]:
        """Return the events of the last turn of every seat, and of the one that goes on."""
        first = self._turns[0] if self._turns else 0
        return self._events[first - self._cut :]


def _shown(event: Event) -> dict[str, Any]:
    kind = event[0]
    shown = dict(zip(_NAMES[kind], event, strict=True))
    for name, made in AS_JSON.get(kind, ()):
        shown[name] = made(shown[name])
    return shown
