"""A match that was played, as it travels from a worker to the store and on to the tables."""

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Self, TypeAlias

import msgspec
from msgspec import Meta
from msgspec.structs import astuple

from arena.schedule.deal import BotIndex
from referee.match.evidence import Evidence, Played
from referee.match.replay import Replay
from referee.match.scoring import Number

Natural: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 53)]

FOUND = ("places", "scores", "numbers", "reason", "decisions", "faults", "forfeits")
"""What follows from a replay, and is called and written alike in a result, in a stored match and in
a line of an export.
"""
_LEVEL = 1  # of compression: the higher ones save little and cost a worker's time

_replay = msgspec.json.Decoder(Replay)
_evidence = msgspec.json.Decoder(Evidence)


class Spent(msgspec.Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    """The time that answers took, in microseconds: a seat's in one match, or a bot's in several."""

    decisions: Natural
    """How many were asked for."""
    cpu: Natural
    longest: Natural
    """CPU time of one decision."""
    wall: Natural

    @classmethod
    def nothing(cls) -> Self:
        """Return the time of no answers."""
        return cls(0, 0, 0, 0)

    def add(self, other: "Spent") -> None:
        """Count what other answers took."""
        self.decisions += other.decisions
        self.cpu += other.cpu
        if other.longest > self.longest:
            self.longest = other.longest
        self.wall += other.wall


class Record(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The replay and the evidence of a match, compressed, as they travel and are stored."""

    replay: bytes
    evidence: bytes
    seconds: float
    """The match's time on the wall."""

    @classmethod
    def of(cls, played: Played, seconds: float) -> Self:
        """Return the record of a match that was played."""
        return cls(_packed(played.replay), _packed(played.evidence), seconds)

    def open_replay(self) -> Replay:
        """Return the replay."""
        return _replay.decode(zlib.decompress(self.replay))

    def open_evidence(self) -> Evidence:
        """Return the evidence."""
        return _evidence.decode(zlib.decompress(self.evidence))


class MatchResult(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """What follows from a match that was played: which one it was, who sat where, how it ended.

    A worker makes it, and a row of the store is made from it. What is read back is a StoredMatch.
    `bots` holds the league's entrants by seat, as indices; `places` and `faults` (how many of
    each kind) go by seat too.
    """

    deal: str
    number: int
    order: tuple[int, ...] | None
    """The rotations of its deal as they are played, if that is mirrored; None of others."""
    rotation: int
    bots: tuple[BotIndex, ...]
    places: tuple[int, ...]
    reason: str
    decisions: int
    faults: tuple[dict[str, int], ...]
    forfeits: tuple[int, ...]
    """The seats that forfeited."""
    moves: int
    """What stands for the moves, see `digest_of`."""
    clock: str
    """What the clock said of each seat, as `clock_text` writes it."""
    scores: tuple[Number, ...] | None = None
    numbers: dict[str, Number] | None = None

    @property
    def match(self) -> str:
        """The match's name."""
        return f"{self.deal}-{self.rotation}"


class PlayedMatch(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A result with its record: a match on its way from a worker, or an import, to the store."""

    result: MatchResult
    record: Record
    machine: str = ""
    """Where it was played; empty where that stands beside it, as in an archive."""
    sandbox: str = ""
    """The sandbox in which it was played, likewise."""


def result_of(
    played: Played,
    *,
    deal: str,
    number: int,
    order: tuple[int, ...] | None,
    rotation: int,
    bots: tuple[BotIndex, ...],
) -> MatchResult:
    """Return the result of a match; all but the arguments follows from what was recorded."""
    replay = played.replay
    faults: list[Counter[str]] = [Counter() for _ in bots]
    forfeits = []
    for entry in replay.entries:
        if entry.fault is not None:
            faults[entry.seat][entry.fault.kind] += 1
            if entry.fault.forfeit:
                forfeits.append(entry.seat)
    return MatchResult(
        deal=deal,
        number=number,
        order=order,
        rotation=rotation,
        bots=bots,
        places=tuple(replay.places),
        reason=replay.reason,
        decisions=len(replay.entries),
        faults=tuple(dict(sorted(kinds.items())) for kinds in faults),
        forfeits=tuple(sorted(forfeits)),
        moves=digest_of(replay),
        clock=clock_text(clock_of(replay, played.evidence)),
        scores=None if replay.scores is None else tuple(replay.scores),
        numbers=replay.numbers,
    )


def digest_of(replay: Replay) -> int:
    """Return a number of 64 bits that two matches of one deal share if they were played alike."""
    played: list[object] = [
        (entry.seat, entry.move, entry.fault is not None and entry.fault.forfeit)
        for entry in replay.entries
    ]
    if replay.opening is not None:
        played.append(replay.opening)
    digest = hashlib.blake2b(msgspec.json.encode(played, order="sorted"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def clock_of(replay: Replay, evidence: Evidence) -> list[Spent]:
    """Return what the answers of each seat took.

    What is decided for a seat that has forfeited is not asked, and takes nothing.
    """
    clock = [Spent.nothing() for _ in replay.places]
    for entry, cpu, wall in zip(replay.entries, evidence.cpu, evidence.wall, strict=True):
        if wall:
            clock[entry.seat].add(Spent(1, cpu, cpu, wall))
    return clock


def clock_text(clock: Iterable[Spent]) -> str:
    """Return the clock of a match as it is stored: in JSON, a list for each seat."""
    return json.dumps([astuple(spent) for spent in clock])


def _packed(value: msgspec.Struct) -> bytes:
    return zlib.compress(msgspec.json.encode(value), _LEVEL)
