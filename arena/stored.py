"""What is stored of a league, as it is read back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from arena.result import Record
from arena.schema import deal_name


@dataclass(frozen=True)
class BotVersion:
    """A bot that has played: its name, and the hash of what was run."""

    name: str
    version: str


@dataclass(frozen=True)
class SeatedResult:
    """Who sat where, and the places; every list goes by seat."""

    bots: tuple[BotVersion, ...]
    places: tuple[int, ...]


@dataclass(frozen=True)
class StoredMatch:
    """A match as the tables read it; every list goes by seat."""

    id: str
    deal: str
    number: int
    rotation: int
    bots: tuple[BotVersion, ...]
    places: tuple[int, ...]
    reason: str
    decisions: int
    faults: tuple[Mapping[str, int], ...]
    forfeits: tuple[int, ...]
    moves: int
    """What stands for the moves, see `digest_of`."""


@dataclass(frozen=True)
class Circumstances:
    """When, where and behind which walls a match was played."""

    played_at: str
    machine: str
    sandbox: str
    seconds: float


class WholeMatch(NamedTuple):
    """All that is stored of a match."""

    match: StoredMatch
    clock: list[list[int]]
    """See `clock_of`."""
    record: Record
    circumstances: Circumstances


def seats_of(text: str, bots: Mapping[int, BotVersion]) -> tuple[BotVersion, ...]:
    """Return the bots of a stored list of their numbers."""
    return tuple(bots[bot] for bot in msgspec.json.decode(text))


def match_of(row: Sequence[Any], bots: Mapping[int, BotVersion]) -> StoredMatch:
    """Return the match of a row of the columns that tables read."""
    deal, number, rotation, seats, places, reason, decisions, faults, forfeits, moves = row
    seated = seats_of(seats, bots)
    name = deal_name(deal)
    return StoredMatch(
        id=f"{name}-{rotation}",
        deal=name,
        number=number,
        rotation=rotation,
        bots=seated,
        places=tuple(msgspec.json.decode(places)),
        reason=reason,
        decisions=decisions,
        faults=tuple(msgspec.json.decode(faults)) if faults else ({},) * len(seated),
        forfeits=tuple(msgspec.json.decode(forfeits)) if forfeits else (),
        moves=moves,
    )
