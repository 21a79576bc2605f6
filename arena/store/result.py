"""A match that was played, as it travels from a worker to the store and on to the tables."""

import hashlib
import zlib
from collections import Counter

import msgspec

from arena.league.schedule import BotIndex
from referee.match import Evidence, Played
from referee.replay import Replay

_LEVEL = 1  # of compression: the higher ones save little and cost a worker's time

_replay = msgspec.json.Decoder(Replay)
_evidence = msgspec.json.Decoder(Evidence)


class Record(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The compressed parts of a match: what happened, and what was measured."""

    replay: bytes
    evidence: bytes
    seconds: float
    """The match's time on the wall."""

    def open_replay(self) -> Replay:
        """Return the replay."""
        return _replay.decode(zlib.decompress(self.replay))

    def open_evidence(self) -> Evidence:
        """Return the evidence."""
        return _evidence.decode(zlib.decompress(self.evidence))


class MatchResult(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """One match: which one it was, who sat where, and how it ended.

    `bots` holds the league's entrants by seat, as indices; `places` and `faults` (how many of
    each kind) go by seat too.
    """

    deal: str
    number: int
    rotation: int
    bots: list[BotIndex]
    places: list[int]
    reason: str
    decisions: int
    faults: list[dict[str, int]]
    forfeits: list[int]
    """The seats that forfeited."""
    moves: int
    """What stands for the moves, see `digest_of`."""
    clock: str
    """What the clock said of each seat, see `clock_of`, in JSON as it is stored."""

    @property
    def match(self) -> str:
        """The match's name."""
        return f"{self.deal}-{self.rotation}"


class PlayedMatch(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A result with its record."""

    result: MatchResult
    record: Record
    machine: str = ""
    """Where it was played; empty where that is told beside it, as in an archive."""
    sandbox: str = ""
    """Behind which walls, likewise."""


def pack(played: Played, result: MatchResult, seconds: float) -> PlayedMatch:
    """Return a match and its result as they are stored."""
    record = Record(_packed(played.replay), _packed(played.evidence), seconds)
    return PlayedMatch(result, record)


def result_of(
    played: Played, *, deal: str, number: int, rotation: int, bots: list[BotIndex]
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
        rotation=rotation,
        bots=bots,
        places=replay.places,
        reason=replay.reason,
        decisions=len(replay.entries),
        faults=[dict(sorted(kinds.items())) for kinds in faults],
        forfeits=sorted(forfeits),
        moves=digest_of(replay),
        clock=str(clock_of(replay, played.evidence)),
    )


def digest_of(replay: Replay) -> int:
    """Return a number of 64 bits that two matches of one deal share if they were played alike."""
    played = [
        (entry.seat, entry.move, entry.fault is not None and entry.fault.forfeit)
        for entry in replay.entries
    ]
    digest = hashlib.blake2b(msgspec.json.encode(played, order="sorted"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def clock_of(replay: Replay, evidence: Evidence) -> list[list[int]]:
    """Return for each seat how often it was asked, and what its answers took.

    That is their CPU time in all, that of the longest, and their time on the wall in all, in
    microseconds. What is decided for a seat that has forfeited is not asked.
    """
    clock = [[0, 0, 0, 0] for _ in replay.places]
    for entry, cpu, wall in zip(replay.entries, evidence.cpu, evidence.wall, strict=True):
        if wall:
            own = clock[entry.seat]
            own[:] = own[0] + 1, own[1] + cpu, max(own[2], cpu), own[3] + wall
    return clock


def _packed(value: msgspec.Struct) -> bytes:
    return zlib.compress(msgspec.json.encode(value), _LEVEL)
