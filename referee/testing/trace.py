"""Where a play has come to, noted so that it is known when the process ends that plays."""

import json
import mmap
import struct

import msgspec

from referee.testing.cases import Case
from referee.testing.flaw import Position

ROOM = 1 << 16
"""Bytes that the file of a trace has."""
_HEAD = struct.Struct("<qqq")


class Trace:
    """Where a play has come to, in an open file of `ROOM` bytes that two processes share."""

    def __init__(self, file: int) -> None:
        self._room = mmap.mmap(file, ROOM)

    def begin(self, case: Case, seed: str) -> None:
        """Note the deal that is played from now on."""
        text = msgspec.json.encode([case.seats, dict(case.changed), seed])[: ROOM - _HEAD.size]
        self._room[_HEAD.size : _HEAD.size + len(text)] = text
        _HEAD.pack_into(self._room, 0, len(text), 0, -1)

    def at(self, taken: int, seat: int | None) -> None:
        """Note how many decisions were made, and who decides."""
        struct.pack_into("<qq", self._room, 8, taken, -1 if seat is None else seat)

    def position(self) -> Position | None:
        """Return what was noted last; None if no deal was."""
        length, taken, seat = _HEAD.unpack_from(self._room)
        if not length:
            return None
        seats, options, seed = json.loads(self._room[_HEAD.size : _HEAD.size + length])
        return Position(
            seats=seats,
            options=options,
            seed=seed,
            decisions=taken,
            seat=None if seat < 0 else seat,
            move=None,
            table="(its process has ended)",
        )
