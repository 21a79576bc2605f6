"""Matches written for programs that know a game from elsewhere, in formats such as PGN; pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from protocol.messages import TimeControl

FORMATS: Mapping[str, str] = {"pgn": "PGN, Portable Game Notation, is for chess"}
"""Formats that programs elsewhere read, each with what it is for, as a clause for people.

A game that is written in one says so in its `formats`.
"""


class Heading(NamedTuple):
    """What is known of a match beside its moves; lists go by seat."""

    match: str
    """Its id."""
    event: str
    """What the league is called."""
    site: str
    """The machine it was played on; empty if that is not known."""
    date: str
    """The day on which it was stored, in UTC, as 2026-11-27; empty if that is not known."""
    round: str
    """Its place in the league: numbers from 1 with points between them."""
    bots: Sequence[str]
    """The names."""
    places: Sequence[int]
    seconds: float
    """How long it took, on the wall."""
    control: TimeControl
    """How time was judged."""


class Decided(NamedTuple):
    """One decision of a match."""

    seat: int
    seconds: float | None
    """The time that counted against the bot; None if it was not asked."""
    fault: str = ""
    """The kind of its fault, for which the game's default move stands in; empty if none."""
    forfeit: bool = False
    """Whether the seat forfeited the match with that fault."""


Notation: TypeAlias = Callable[[Heading, Iterable[tuple[Any, Sequence[Decided]]]], str]
"""Returns a match as text, from its heading and its steps.

Each step is the game as it was before, with the decisions that follow. Faults of bots that never
got ready come first, and at the end stands the game as it was left, without decisions. All steps
have the same game, which moves on: it is to be read when it comes.
"""
