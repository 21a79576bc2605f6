"""What a server and the processes beside it say to each other: lines of JSON, one a message."""

import os
from typing import Literal, TypeAlias

import msgspec


class Playing(msgspec.Struct, frozen=True, tag=True):
    """A run has begun."""

    bots: int
    missing: int
    """Matches that it is to play."""
    asked: int
    """All matches of these bots that the league asks for."""
    is_final: bool = False
    """Whether it is the final that is played, and not the league itself."""


class Progress(msgspec.Struct, frozen=True, tag=True):
    """Matches were stored."""

    matches: int
    missing: int
    is_final: bool = False


class Stopped(msgspec.Struct, frozen=True, tag=True):
    """A bot takes no further part while the server lives."""

    bot: str
    version: str
    reason: str
    """The reason, as what follows «it»."""


class Idle(msgspec.Struct, frozen=True, tag=True):
    """Nothing is played now, and nothing is wrong."""

    why: str
    """The reason, in a sentence."""


class Trouble(msgspec.Struct, frozen=True, tag=True):
    """Something is wrong that the organizer can mend."""

    what: str
    """What is wrong, where, and what to do, in sentences."""
    again: float | None = None
    """After how many seconds it is tried again; None if play goes on meanwhile."""


Word: TypeAlias = Playing | Progress | Stopped | Idle | Trouble
"""What a player says."""


class ReadAnew(msgspec.Struct, frozen=True, tag=True):
    """The league was changed: let the matches in play be the last, and read it anew."""


class EndPlay(msgspec.Struct, frozen=True, tag=True):
    """Let the matches in play be the last, and end."""


class Here(msgspec.Struct, frozen=True, tag=True):
    """Which remote bots are connected now, all of them."""

    rooms: list[tuple[str, str, int]]
    """The key and the digest of each, and how many matches it can play at once."""


Order: TypeAlias = ReadAnew | EndPlay | Here
"""What a player is told. The end of its input means: end at once."""


class Query(msgspec.Struct, frozen=True):
    """A question to the process that reads a league for its pages."""

    what: Literal[
        "table",
        "final",
        "cross",
        "bot",
        "own",
        "matches",
        "replay",
        "game",
        "starter",
        "roster",
        "similar",
    ]
    of: str = ""
    """The bot, match or language that it is about."""
    against: str = ""
    """The other bot of the matches that it is about; empty for any."""
    own: list[tuple[str, str]] | None = None
    """The bots of who asks, with versions, where others' secrets are left out; None for all."""
    faulty: bool = False
    before: int = 0
    since: str = ""
    """From when on results are held back, in ISO 8601; empty if none are."""
    only_own: bool = False
    """Whether the beginning of an id means a match of those alone."""
    number: int = 0
    """By which its answer is known."""


class ReaderAnswer(msgspec.Struct, frozen=True):
    """What comes of a question."""

    number: int
    value: msgspec.Raw = msgspec.Raw(b"null")
    problem: str = ""
    """Why there is no value, in a sentence for the organizer; empty if there is one."""
    absent: bool = False
    """Whether there is none because what was asked for does not exist."""


def line(message: object) -> bytes:
    """Return a message as a line."""
    return msgspec.json.encode(message) + b"\n"


def take_output() -> int:
    """Return a descriptor for messages; what else is printed goes to standard error from now on.

    The code of a game may print, and would spoil a line.
    """
    output = os.dup(1)
    os.dup2(2, 1)
    return output


def ranks_of(table: bytes) -> bytes:
    """Return version, first and last rank of each bot with a rank, by its name, for the messenger.

    It tells by them who was overtaken. There are none while bots are in groups that never met:
    ranks of such do not compare.
    """
    rows = msgspec.json.decode(table)["rows"]
    are_compared = all(row["group"] == 1 for row in rows)
    ranked = [row for row in rows if row["rank"] and are_compared]
    ranks = {row["bot"]: [row.get("version") or "", *row["rank"]] for row in ranked}
    return msgspec.json.encode({"ranks": ranks})
