"""The game protocol: what a game's program is sent, and what it answers; one line of JSON each.

docs/game-protocol.md explains it. `referee.program` speaks it.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from protocol.messages import schemas_of

VERSION = 1
"""The version of the protocol."""
GAME_LINE_BYTES = 4 << 20
"""The longest line a game may send, in bytes."""

Fields = dict[str, Any]
"""A JSON object whose keys are the game's own: a move, a view, a JSON Schema."""
Line = Annotated[str, Meta(max_length=1000, pattern=r"\A[^\x00-\x1f\x7f-\x9f]*\Z")]
"""Text on one line, which a terminal can show."""
Name = Annotated[str, Meta(pattern=r"\A[a-z][a-z0-9_]{0,39}\Z")]
"""Small letters, digits and _."""
Number = Annotated[int, Meta(ge=-(2**53), le=2**53)] | float
Ability = Literal["check", "copy", "resample", "show", "describe"]
"""A question that not every game can answer."""


# --- what a game is sent


class GameHello(msgspec.Struct, frozen=True, tag="hello", tag_field="type"):
    """First: what game are you? It answers `game`."""

    protocol: int


class NewMatch(msgspec.Struct, frozen=True, tag="new", tag_field="type"):
    """Begin a match, which is called by a number from now on. It answers `state`."""

    match: int
    seats: int
    options: dict[str, Any]
    seed: str


class SeatMove(msgspec.Struct, frozen=True, gc=False):
    """The move of a seat."""

    seat: int
    move: Fields


class ApplyMoves(
    msgspec.Struct, frozen=True, tag="apply", tag_field="type", omit_defaults=True, gc=False
):
    """Carry out one move of every seat that was asked. It answers `state`."""

    match: int
    moves: list[SeatMove]
    withdrawn: list[int] = []
    """Seats that have forfeited since the last time: from now on only defaults come for them."""


class CheckMove(msgspec.Struct, frozen=True, tag="check", tag_field="type", gc=False):
    """Is this move legal? It answers `checked`."""

    match: int
    seat: int
    move: Fields


class SampleMove(msgspec.Struct, frozen=True, tag="sample", tag_field="type"):
    """Make a legal move at random, by a seed. It answers `move`."""

    match: int
    seat: int
    seed: int


class ViewSeat(msgspec.Struct, frozen=True, tag="view", tag_field="type"):
    """What may a seat know that is not asked now? It answers `view`."""

    match: int
    seat: int


class ShowTable(msgspec.Struct, frozen=True, tag="show", tag_field="type"):
    """Show the table as a seat sees it, or with all eyes open. It answers `shown`."""

    match: int
    seat: int | None


class DescribeMove(msgspec.Struct, frozen=True, tag="describe", tag_field="type"):
    """Say a move, which is not yet carried out, in a few words. It answers `described`."""

    match: int
    seat: int
    move: Fields


class CopyMatch(msgspec.Struct, frozen=True, tag="copy", tag_field="type", omit_defaults=True):
    """Make a second match that is as this one is now. It answers `state`."""

    match: int
    to: int
    """The number of the second match."""
    seed: str = ""
    """Where there is one, chance that is still to come follows from it in the second match."""


class ResampleMatch(msgspec.Struct, frozen=True, tag="resample", tag_field="type"):
    """Make a second match that a seat cannot tell from this one. It answers `state`.

    What the seat has not seen, and all chance to come, follow from the seed.
    """

    match: int
    to: int
    seat: int
    seed: str


class EndMatch(msgspec.Struct, frozen=True, tag="end", tag_field="type"):
    """Nothing more will be asked of a match. It is not answered."""

    match: int


# --- what it answers


class AboutGame(msgspec.Struct, frozen=True, kw_only=True, tag="game", tag_field="type"):
    """What game it is."""

    name: Name
    title: Annotated[Line, Meta(min_length=1)]
    seats: Annotated[list[Annotated[int, Meta(ge=2, le=1000)]], Meta(min_length=1)]
    """The numbers of seats that it can be played by, which have no gaps."""
    decisions: dict[Annotated[str, Meta(min_length=1, max_length=40)], Fields]
    """The JSON Schema of the move of each decision."""
    options: dict[Annotated[str, Meta(min_length=1, max_length=40)], Fields] = {}
    """The JSON Schema of each option, with its default."""
    rules_version: Annotated[int, Meta(ge=1, le=2**31)] = 1
    typical_decisions: Annotated[int, Meta(ge=0, le=10**9)] = 100
    has_chance: bool = False
    score: Line = ""
    less_is_better: bool = False
    measures: dict[Line, Line] = {}
    illegal_is_sanctioned: bool = False
    can: list[Ability] = []
    """The questions that it answers, of those that a game may leave out."""


class AskedSeat(msgspec.Struct, frozen=True, kw_only=True):
    """A seat that must decide now, and what it may know."""

    seat: int
    decision: str
    view: Fields
    legal: Annotated[list[Fields], Meta(min_length=1)] | UnsetType = UNSET
    """All legal moves, if they can be listed."""
    limits: dict[str, Any] | UnsetType = UNSET
    """What is needed to make one, if they cannot."""
    default: Fields | UnsetType = UNSET
    """The move that stands in for one that is missing or illegal; the first of `legal` if none."""


class GameState(msgspec.Struct, frozen=True, kw_only=True, tag="state", tag_field="type"):
    """Who decides now, or how the match has ended."""

    asks: list[AskedSeat] = []
    places: list[int] = []
    """By seat, once nobody is asked: 1 is best, and equal numbers share a place."""
    reason: Line = ""
    """In a word, why it ended."""
    scores: list[Number] | None = None
    numbers: dict[str, Number] = {}
    table: dict[str, Any] = {}
    """Constants of the match that bots are sent once; of the first state alone."""
    called: list[Line] = []
    """What the seats are called, such as Black and White; of the first state alone."""


class CheckedMove(msgspec.Struct, frozen=True, kw_only=True, tag="checked", tag_field="type"):
    """Whether a move is legal."""

    refused: Line = ""
    """Which rule it breaks, for the bot's author; empty if it is legal."""
    move: Fields | UnsetType = UNSET
    """The move as it is recorded, where that is another."""


class MadeMove(msgspec.Struct, frozen=True, tag="move", tag_field="type"):
    """A move."""

    move: Fields


class SeatView(msgspec.Struct, frozen=True, tag="view", tag_field="type"):
    """A view."""

    view: Fields


class ShownTable(msgspec.Struct, frozen=True, kw_only=True, tag="shown", tag_field="type"):
    """The table: a text of some lines, or areas as docs/write-a-game.md has them."""

    text: str = ""
    areas: list[dict[str, Any]] = []


class DescribedMove(msgspec.Struct, frozen=True, tag="described", tag_field="type"):
    """A move in words."""

    text: Line


class RefusedMessage(msgspec.Struct, frozen=True, tag="error", tag_field="type"):
    """It cannot go on with a match, and why: such options, or an error of its own."""

    text: str


FROM_REFEREE = (
    GameHello,
    NewMatch,
    ApplyMoves,
    ViewSeat,
    CheckMove,
    SampleMove,
    ShowTable,
    DescribeMove,
    CopyMatch,
    ResampleMatch,
    EndMatch,
)
FROM_GAME = (
    AboutGame,
    GameState,
    SeatView,
    CheckedMove,
    MadeMove,
    ShownTable,
    DescribedMove,
    RefusedMessage,
)


def game_message_schemas() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of every message: one `$defs` entry each."""
    title = f"Bot Arena game protocol, version {VERSION}"
    return schemas_of((*FROM_REFEREE, *FROM_GAME), title)
