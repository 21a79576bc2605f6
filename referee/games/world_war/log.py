"""What has happened in a World War before everybody's eyes, for views and texts."""

from collections import deque
from collections.abc import Mapping

import msgspec

from referee.games.world_war.battle import Roll


class Event(
    msgspec.Struct,
    frozen=True,
    eq=False,
    gc=False,
    tag_field="event",
    rename={"source": "from", "target": "to"},
):
    """What one seat did, or what befell it, in the form in which it is shown.

    Nothing of it changes any more, and no event equals another: words are kept by event.
    """

    seat: int


class SetUp(Event, frozen=True, tag="setup"):
    """Armies of the set-up were placed."""

    armies: Mapping[str, int]


class TurnBegun(Event, frozen=True, tag="turn"):
    """A turn began."""

    round: int


class Traded(Event, frozen=True, tag="trade"):
    """A set of cards was exchanged, for armies and for more on own territories."""

    cards: list[str]
    armies: int
    extra: Mapping[str, int]


class Deployed(Event, frozen=True, tag="deploy"):
    """Reinforcements were placed."""

    armies: Mapping[str, int]


class Attacked(Event, frozen=True, tag="attack"):
    """An attack was rolled out."""

    source: str
    target: str
    dice: int
    defender: int
    defender_dice: int
    rolls: list[Roll]
    attacker_lost: int
    defender_lost: int


class Marched(Event, frozen=True):
    """Armies went from one territory to another."""

    source: str
    target: str
    armies: int


class Conquered(Marched, frozen=True, tag="conquest"):
    """The survivors of the last roll took the territory."""


class Followed(Marched, frozen=True, tag="occupy"):
    """More armies followed them."""


class Fortified(Marched, frozen=True, tag="fortify"):
    """Armies moved at the end of the turn."""


class Eliminated(Event, frozen=True, tag="eliminated"):
    """The seat lost its last territory, and its cards with it."""

    by: int
    cards: list[str]


class CardDrawn(Event, frozen=True, tag="card"):
    """The seat drew a card, for which the used ones may have been shuffled."""

    reshuffled: bool


class Log:
    """All seats' events in one list, and how far each seat has been told.

    What everybody has been told is cut off, but for the last turn of every seat.
    """

    def __init__(self, seats: int) -> None:
        self._events: list[Event] = []
        self._cut = 0
        self._told = [0] * seats
        self._turns: deque[int] = deque(maxlen=seats + 1)
        """Where the last turns begin."""

    def add(self, event: Event) -> None:
        """Take an event in."""
        self._events.append(event)

    def answered(self, seat: int) -> None:
        """Note that `seat` has been told all that there is."""
        self._told[seat] = self._cut + len(self._events)

    def begin_turn(self, seat: int, number: int, living: list[int]) -> None:
        """Note that a turn begins in the round of this number; nobody else needs to be told."""
        self._turns.append(self._cut + len(self._events))
        self.add(TurnBegun(seat, number))
        needed = min(self._turns[0], *(self._told[other] for other in living))
        del self._events[: needed - self._cut]
        self._cut = max(self._cut, needed)

    def since(self, seat: int) -> list[Event]:
        """Return what has happened since `seat` was last asked."""
        return self._events[max(0, self._told[seat] - self._cut) :]

    def latest(self) -> list[Event]:
        """Return the events of the last turn of every seat, and of the one that goes on."""
        first = self._turns[0] if self._turns else 0
        return self._events[first - self._cut :]
