"""What a process prints: its beginning and its end, made text that is safe to show."""

import re
from collections.abc import Callable, Mapping

KEPT = 64 * 1024
"""How many bytes are kept of a bot's standard error in a match, half from each end."""


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


_ODD = re.compile(r"[^\n\t -~]")


class PrintedText:
    """What a command has printed so far, of which the first and the last bytes are kept.

    Args:
        kept: how many bytes are kept.
        names: what is shown instead of some words, such as paths of this machine.
        watch: called with the lines as they come, until so many bytes have come as are kept.

    """

    def __init__(
        self, kept: int, names: Mapping[str, str], watch: Callable[[str], None] | None
    ) -> None:
        self.size = 0
        """How many bytes have come."""
        self._kept = kept
        self._capture = Capture(kept)
        self._names = names
        self._watch = watch
        self._line = b""

    def add(self, data: bytes) -> None:
        """Add what was read."""
        self._capture.add(data)
        if self._watch is not None and self.size < self._kept:
            whole, newline, self._line = (self._line + data).rpartition(b"\n")
            if newline:
                self._watch(self._shown((whole + newline).decode(errors="backslashreplace")))
        self.size += len(data)

    def end(self) -> None:
        """Show the last line, if no end of line came after it."""
        if self._watch is not None and self._line:
            self._watch(self._shown(self._line.decode(errors="backslashreplace")))
            self._line = b""

    def text(self) -> str:
        """Return what was kept, with a mark where something is missing."""
        return self._shown(self._capture.text())

    def _shown(self, text: str) -> str:
        """Return a text without what a terminal or a page would take for more than text."""
        for word, name in self._names.items():
            text = text.replace(word, name)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return _ODD.sub(_printable, text)


def _printable(found: "re.Match[str]") -> str:
    char = found[0]
    return char if char.isprintable() else ascii(char)[1:-1]
