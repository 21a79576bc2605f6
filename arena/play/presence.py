"""Which remote bots are connected now, and for how many matches: told by one, read by another."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

RemoteKey: TypeAlias = tuple[str, str]
"""A remote bot: the key that its results are kept under, and the digest of what runs."""


class Presence:
    """How many matches of each remote bot can be played at once now.

    One thread tells it, the whole state each time; another one reads it.
    """

    def __init__(self, home: Path | None = None) -> None:
        """Take the folder with the socket by which the bots are reached, if they are."""
        self.home = home
        self.changes = 0
        """How often it has become another: what was read before that number grew is old."""
        self._rooms: Mapping[RemoteKey, int] = {}

    def tell(self, rooms: Mapping[RemoteKey, int]) -> None:
        """Say for how many matches each bot has room; one that is not in it has room for none."""
        now = {bot: room for bot, room in rooms.items() if room > 0}
        if now != self._rooms:
            self._rooms = now
            self.changes += 1  # last, so that nobody takes the old state for the new one

    def room(self, key: str, digest: str) -> int:
        """Return how many matches a bot can play at once; 0 if it is not connected."""
        return self._rooms.get((key, digest), 0)
