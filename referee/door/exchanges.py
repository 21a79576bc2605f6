"""What was asked and answered in a match, kept so that nothing is paid twice."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from referee.door.usage import Usage


class MadeRequest(msgspec.Struct, frozen=True):
    """A request as it is made, but for the key."""

    idempotency_key: str
    """A hash of match, seat, request and `time`: the same whenever it is asked again."""
    time: int
    """Which time this seat asks just this in the match, from 0."""
    origin: str
    """Whom it asks: `https://api.example.org`."""
    method: str
    path: str
    """With the query."""
    headers: Mapping[str, str]
    body: bytes


class SeenAnswer(msgspec.Struct, frozen=True):
    """An answer as the bot sees it; the key is struck out."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Exchanges(Protocol):
    """Where requests are kept with their answers; called on the door's thread, and quick."""

    def find(self, asked: MadeRequest) -> SeenAnswer | None:
        """Return what the request was answered before, or None."""

    def keep(self, asked: MadeRequest, answered: SeenAnswer, usage: Usage) -> None:
        """Keep what a request was answered, before the bot sees it."""


class Remembered:
    """Keeps requests and answers in memory, for matches that are not stored."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[MadeRequest, SeenAnswer, Usage]] = {}
        """All of them, by idempotency key, as they were answered."""

    def find(self, asked: MadeRequest) -> SeenAnswer | None:
        """Return what the request was answered before, or None."""
        found = self.kept.get(asked.idempotency_key)
        return None if found is None else found[1]

    def keep(self, asked: MadeRequest, answered: SeenAnswer, usage: Usage) -> None:
        """Keep what a request was answered."""
        self.kept[asked.idempotency_key] = (asked, answered, usage)
