"""A match that was played, as it travels from a worker to the store and on to the tables."""

import zlib
from collections import Counter

import msgspec

from referee.match import Evidence, Played
from referee.replay import Replay

_LEVEL = 1  # of compression: the higher ones save little and cost a worker's time

_replay = msgspec.json.Decoder(Replay)
_evidence = msgspec.json.Decoder(Evidence)


class Record(msgspec.Struct, frozen=True):
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


class MatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """One match: which one it was, who sat where, and how it ended.

    `bots` holds the league's entrants by seat, as indices; `places` and `faults` (how many of
    each kind) go by seat too.
    """

    match: str
    deal: str
    number: int
    rotation: int
    bots: list[int]
    places: list[int]
    reason: str
    decisions: int
    faults: list[dict[str, int]]
    forfeits: list[int]
    """The seats that forfeited."""


class PlayedMatch(msgspec.Struct, frozen=True):
    """A result with its record."""

    result: MatchResult
    record: Record


def pack(
    played: Played,
    *,
    match: str,
    deal: str,
    number: int,
    rotation: int,
    bots: list[int],
    seconds: float,
) -> PlayedMatch:
    """Return a match as it is stored."""
    replay = played.replay
    faults: list[Counter[str]] = [Counter() for _ in bots]
    forfeits = []
    for entry in replay.entries:
        if entry.fault is not None:
            faults[entry.seat][entry.fault.kind] += 1
            if entry.fault.forfeit:
                forfeits.append(entry.seat)
    result = MatchResult(
        match=match,
        deal=deal,
        number=number,
        rotation=rotation,
        bots=bots,
        places=replay.places,
        reason=replay.reason,
        decisions=len(replay.entries),
        faults=[dict(sorted(kinds.items())) for kinds in faults],
        forfeits=sorted(forfeits),
    )
    record = Record(_packed(replay), _packed(played.evidence), seconds)
    return PlayedMatch(result, record)


def _packed(value: msgspec.Struct) -> bytes:
    return zlib.compress(msgspec.json.encode(value), _LEVEL)
