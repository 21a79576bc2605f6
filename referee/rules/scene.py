"""What a game's table is made of: a few kinds of areas, drawn by whoever knows no rules.

A game says its table once, by `Game.scene`. The page of a league draws it with pictures
(`arena/report/page/board.js`), a terminal with letters (`referee/rules/drawing.py`). An area says
the seat that it belongs to by number, and whoever draws it writes there what the seat is called,
with its bot's name where that is known. All texts are plain.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

Suit = Literal[
    "oros", "copas", "espadas", "bastos", "hearts", "diamonds", "clubs", "spades", "joker", ""
]


Look = Literal["", "new", "lost", "won", "used", "down"]
"""How a card stands out: `used` has done what it may, `down` was laid face down."""


class Card(msgspec.Struct, frozen=True, omit_defaults=True):
    """A card, or so many of them on top of each other; a back where nobody sees what it is."""

    text: str = ""
    """What stands on it, such as 7 or K; empty for a back."""
    suit: Suit = ""
    name: str = ""
    """In words, such as "seven of coins", for those who hear the page."""
    code: str = ""
    """How the game writes it, and a terminal: where a decision's words hold it, it is ringed."""
    count: int = 1
    """How many there are: more than one is a pile; 0 draws an empty place."""
    mark: Look = ""


class Token(msgspec.Struct, frozen=True, omit_defaults=True):
    """A piece that is no card: a missile, a horse, a die, a point of stamina."""

    text: str
    kind: str
    """What it is, in a word: such tokens are drawn alike."""
    count: int = 1
    name: str = ""
    """In words, for those who hear the page."""
    code: str = ""
    """How a terminal writes it, which shows no kinds; empty for `text`."""


class Row(msgspec.Struct, frozen=True, omit_defaults=True, tag="row", tag_field="t"):
    """Things beside each other, wrapped where there is no room."""

    label: str
    items: Sequence[Card | Token] = ()
    seat: int | None = None
    """The seat it belongs to: it is headed by that seat, and drawn in its colour."""
    note: str = ""
    """A few words behind the label."""
    most: int = 0
    """So many items are drawn where a picture needs room, the rest as one pile; 0 for all."""


class Mark(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something at a place of a track."""

    at: int
    text: str
    seat: int | None = None
    name: str = ""
    """In words, such as "the pawn at 2"; empty where seat and text say it."""


class Track(msgspec.Struct, frozen=True, omit_defaults=True, tag="track", tag_field="t"):
    """A line of places from `low` to `high` with marks on it."""

    label: str
    low: int
    high: int
    marks: Sequence[Mark] = ()
    ends: tuple[str, str] = ("", "")
    """What stands at the two ends."""
    note: str = ""


class Grid(msgspec.Struct, frozen=True, omit_defaults=True, tag="grid", tag_field="t"):
    """A board of squares, its first row on top."""

    label: str
    cells: Sequence[Sequence[str]]
    """By row, what stands on each square, empty for nothing; a terminal shows no owners here."""
    owner: Sequence[Sequence[int | None]] = ()
    """By row, the seat that holds each square; empty if none is held."""
    rows: Sequence[str] = ()
    """What each row is called."""
    columns: Sequence[str] = ()
    """What each column is called."""
    marked: Sequence[tuple[int, int]] = ()
    """Squares that stand out, such as the last move: row and column, from 0."""
    checkered: bool = False
    """Whether every other square is dark."""
    slanted: bool = False
    """Whether each row begins half a square further right than the one above, as on a board of
    hexagons: a square then has six neighbours."""
    note: str = ""


class Map(msgspec.Struct, frozen=True, omit_defaults=True, tag="map", tag_field="t"):
    """The places of the game's `Ground` as they are now, by its order."""

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
    """What stands above the cells; empty for nothing."""
    rows: Sequence[Sequence[str]]
    seats: Sequence[int] = ()
    """The seat that each row is about: it stands before the cells. Empty for no seats."""


class Text(msgspec.Struct, frozen=True, omit_defaults=True, tag="text", tag_field="t"):
    """Lines of plain words, such as what has happened lately, the latest last."""

    label: str
    lines: Sequence[str]
    seats: Sequence[int] = ()
    """The seat that each line is about: it stands before the line. Empty for no seats."""
    most: int | None = None
    """So many of the last lines are drawn where every step can be looked at; None for all."""


class Group(msgspec.Struct, frozen=True, omit_defaults=True, tag="group", tag_field="t"):
    """Areas that belong together: all of a seat's, or what stands behind a screen."""

    label: str
    areas: Sequence["Area"]
    seat: int | None = None
    hidden: bool = False
    """Behind a screen: the other seats do not see it."""


Area = Row | Track | Grid | Map | Facts | Text | Group


class Place(msgspec.Struct, frozen=True):
    """A place of a map, where its middle is drawn; the map is 1000 wide and 600 high."""

    name: str
    x: int
    y: int
    region: str = ""


class Ground(msgspec.Struct, frozen=True):
    """What of a map never changes."""

    places: Sequence[Place]
    """Those of a region stand behind each other."""
    roads: Sequence[tuple[int, int]]
    """Pairs of places that are neighbours. One that leaves by one side comes in at the other."""
