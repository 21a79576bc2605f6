"""The bounded line codec: one JSON object a line, and nothing a hostile program could abuse.

`json.loads(readline())` accepts endless lines, deep nesting, repeated keys, NaN, numbers of
thousands of digits and lone surrogates. Here each of them is a `ProtocolError`.
"""

import json
from collections import Counter
from typing import Any

import msgspec

from protocol.errors import ProtocolError

BOT_LINE_BYTES = 64 * 1024
"""The longest line a bot may send, in bytes, its newline not counted."""
DEPTH_LIMIT = 32
"""How deep lists and objects may be nested in a move, itself the first."""
INTEGER_LIMIT = 2**53
"""The largest magnitude of an integer: beyond it, many languages lose digits."""

_LEAST = -INTEGER_LIMIT
_REASON_LIMIT = 200  # characters of a bot's own in the reason of an error


class LineBuffer:
    """Cuts what arrives in pieces into lines, and never holds more than it must."""

    __slots__ = ("_limit", "_searched", "held")

    def __init__(self, limit: int) -> None:
        """Take lines of so many bytes, and no longer ones."""
        self._limit = limit
        self.held = bytearray()
        """What arrived and is not yet taken."""
        self._searched = 0

    def push(self, piece: bytes) -> None:
        """Add bytes as they were read."""
        self.held += piece

    def pop(self) -> bytes | None:
        """Return the next whole line without its newline, or None if there is none yet.

        Raises ProtocolError once the line is longer than the limit, ended or not.
        """
        data = self.held
        if not data:
            return None
        end = data.find(b"\n", self._searched)
        if (end if end >= 0 else len(data)) > self._limit:
            raise ProtocolError(f"a line of more than {self._limit} bytes", "flood")
        if end < 0:
            self._searched = len(data)
            return None
        line = bytes(data[:end])
        del data[: end + 1]
        self._searched = 0
        return line


encode_lines = msgspec.json.Encoder().encode_lines
"""Returns a list of messages as lines, each with its newline."""


def encode(message: Any) -> bytes:
    """Return `message` as one line, newline included."""
    return encode_lines([message])


UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a decoder of msgspec raises for a line that it cannot read."""


def why_unreadable(line: bytes, error: Exception) -> str:
    """Return the reason for whoever wrote `line`, in which a decoder found `error`."""
    if not line.strip():
        return "not JSON: an empty line"
    if isinstance(error, msgspec.ValidationError):
        return _plain(error)
    if isinstance(error, UnicodeDecodeError) or "UTF-8" in str(error):  # as msgspec 0.23 says it
        try:
            line.decode()
        except UnicodeDecodeError as bad:
            return f"not UTF-8: {bad.reason}"
    if isinstance(error, RecursionError):
        return f"nested deeper than {DEPTH_LIMIT} levels"
    text = _plain(error)
    if text == "Input data was truncated":
        text = "it breaks off; an answer is one whole line"
    return f"not JSON: {text}"


def count_keys(value: Any, room: int = DEPTH_LIMIT) -> int:
    """Return the number of keys in an object or a list that was decoded, at every depth.

    Raises ProtocolError for what is nested deeper than `room` levels, and for integers beyond
    `INTEGER_LIMIT`.
    """
    if not room:
        raise ProtocolError(f"nested deeper than {DEPTH_LIMIT} levels")
    count = 0
    if type(value) is dict:
        count = len(value)
        value = value.values()
    for item in value:
        kind = type(item)
        if kind is int:
            if not _LEAST <= item <= INTEGER_LIMIT:
                raise ProtocolError("an integer beyond 2**53")
        elif kind is dict or kind is list:
            count += count_keys(item, room - 1)
    return count


def refuse_repeated_keys(line: bytes) -> None:
    """Raise ProtocolError if an object on `line` holds a key twice; this is slow.

    A repeated key leaves no trace in what was decoded, but a colon on the line. So only a line
    with more colons than keys has to be looked at: the other colons may stand in a string.
    """
    try:
        json.loads(line, object_pairs_hook=_as_dict)
    except RecursionError:  # depth in what a repeated key hid
        raise ProtocolError(f"nested deeper than {DEPTH_LIMIT} levels") from None


def _as_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ProtocolError(f"the key {_short(twice)!r} twice in one object")
    return found


def _plain(error: Exception) -> str:
    """Return msgspec's message without its notation for paths into the object."""
    text = str(error).removeprefix("JSON is malformed: ").replace(" - at `$.", " at `")
    return _short(text)


def _short(text: str) -> str:
    return text if len(text) <= _REASON_LIMIT else text[:_REASON_LIMIT] + "…"
