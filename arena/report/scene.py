"""What a board is made of: a few kinds of areas that a page can draw without knowing any rules.

Boards are made from views alone (`referee.game.Game.view`), one for each seat whose eyes are open:
all of them, or a single seat's, which is then shown just what its bot was. All texts are plain;
whoever draws them sees to it that they are nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from referee.game import Observation

Suit = Literal[
    "oros", "copas", "espadas", "bastos", "hearts", "diamonds", "clubs", "spades", "joker", ""
]


class Card(msgspec.Struct, frozen=True, omit_defaults=True):
    """A card, or so many of them on top of each other; a back where nobody sees what it is."""

    text: str = ""
    """What stands on it, such as 7 or K; empty for a back."""
    suit: Suit = ""
    name: str = ""
    """In words, such as "seven of coins", for those who hear the page."""
    code: str = ""
    """How the game writes it: where a decision's words hold it, the card is ringed."""
    count: int = 1
    """How many there are: more than one is a pile; 0 draws an empty place."""
    mark: Literal["", "new", "lost", "won", "used"] = ""


class Token(msgspec.Struct, frozen=True, omit_defaults=True):
    """A piece that is no card: a missile, a horse, a die, a point of stamina."""

    text: str
    kind: str
    """What it is, in a word: such tokens are drawn alike."""
    count: int = 1
    name: str = ""


class Row(msgspec.Struct, frozen=True, omit_defaults=True, tag="row", tag_field="t"):
    """Things beside each other, wrapped where there is no room."""

    label: str
    items: Sequence[Card | Token] = ()
    seat: int | None = None
    """The seat it belongs to: drawn in that seat's colour."""
    note: str = ""
    """A few words behind the label."""


class Track(msgspec.Struct, frozen=True, omit_defaults=True, tag="track", tag_field="t"):
    """A line of places from `low` to `high` with marks on it."""

    label: str
    low: int
    high: int
    marks: Sequence["Mark"] = ()
    ends: tuple[str, str] = ("", "")
    """What stands at the two ends."""
    note: str = ""


class Mark(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something at a place of a track."""

    at: int
    text: str
    seat: int | None = None
    name: str = ""


class Map(msgspec.Struct, frozen=True, omit_defaults=True, tag="map", tag_field="t"):
    """The places of a `Ground` as they are now, by its order."""

    label: str
    owner: Sequence[int | None]
    """By place, the seat that holds it."""
    texts: Sequence[str]
    """By place, what stands on it, such as the number of armies."""
    marked: Sequence[int] = ()
    """Places where something happens."""
    arrows: Sequence[tuple[int, int]] = ()
    """From place to place, such as an attack."""


class Facts(msgspec.Struct, frozen=True, omit_defaults=True, tag="facts", tag_field="t"):
    """A small table of words and numbers: one row for each seat, or each fact."""

    label: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    seats: Sequence[int] = ()
    """The seat of each row; empty if the rows belong to no seat."""


class Group(msgspec.Struct, frozen=True, omit_defaults=True, tag="group", tag_field="t"):
    """Areas that belong together: all of a seat's, or what stands behind a screen."""

    label: str
    areas: Sequence["Area"]
    seat: int | None = None
    hidden: bool = False
    """Behind a screen: the other seats do not see it."""


Area = Row | Track | Map | Facts | Group


class Place(msgspec.Struct, frozen=True):
    """A place of a map, where its middle is drawn; the map is 1000 wide and 600 high."""

    name: str
    x: int
    y: int
    region: str = ""


class Ground(msgspec.Struct, frozen=True):
    """What of a map never changes."""

    places: Sequence[Place]
    roads: Sequence[tuple[int, int]]
    """Pairs of places that are neighbours. One that leaves by one side comes in at the other."""


Views = Sequence[Observation | None]
"""By seat, its view; None where its eyes are closed."""


class Fixed(NamedTuple):
    """What bots are sent at the start of a match only: the game's `table()` and its options."""

    table: Mapping[str, Any]
    options: Mapping[str, Any]


Board = Callable[[Views, Sequence[str], Fixed], Sequence[Area]]
"""Makes a game's board of views, the bots' names by seat, and what is fixed."""


def public(views: Views) -> Observation:
    """Return a view whose eyes are open: what is public stands in each of them."""
    return next(view for view in views if view is not None)
