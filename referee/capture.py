"""A bot's standard error, as much of it as is kept: its beginning and its end."""

KEPT = 64 * 1024
"""How many bytes are kept for a match, half from each end."""


class Capture:
    """Bytes of which only the first and the last are kept."""

    __slots__ = ("_half", "_head", "_tail", "dropped")

    def __init__(self, kept: int = KEPT) -> None:
        """Keep so many bytes."""
        self._half = kept // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.dropped = 0
        """How many bytes in the middle were not kept."""

    def add(self, data: bytes) -> None:
        """Add what was read."""
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        excess = len(self._tail) - self._half
        if excess > 0:
            del self._tail[:excess]
            self.dropped += excess

    def text(self) -> str:
        """Return what was kept, with a mark where something is missing."""
        gap = f"\n[… {self.dropped} bytes left out …]\n".encode() if self.dropped else b""
        return (self._head + gap + self._tail).decode(errors="backslashreplace")
