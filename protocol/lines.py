"""The bounded line codec: one JSON object a line, and nothing a hostile program could abuse.

`json.loads(readline())` accepts endless lines, deep nesting, repeated keys, NaN, numbers of
thousands of digits and lone surrogates. Here each of them is a `ProtocolError`.
"""

import json
from collections import Counter
from typing import Any, TypeVar

import msgspec

from protocol.errors import ProtocolError

LINE_LIMIT = 64 * 1024
"""The longest line a bot may send, in bytes, its newline not counted."""
DEPTH_LIMIT = 32
"""How deep lists and objects may be nested in a move, itself the first."""
INTEGER_LIMIT = 2**53
"""The largest magnitude of an integer: beyond it, many languages lose digits."""

_REASON_LIMIT = 200  # characters of a bot's own in the reason of an error

Message = TypeVar("Message")

_encoder = msgspec.json.Encoder()


class OverlongLineError(ProtocolError):
    """A line longer than `LINE_LIMIT`: whoever sent it is flooding, not answering."""


class LineBuffer:
    """Cuts what arrives in pieces into lines, and never holds more than it must."""

    __slots__ = ("_searched", "held")

    def __init__(self) -> None:
        self.held = bytearray()
        """What arrived and is not yet taken."""
        self._searched = 0

    def push(self, piece: bytes) -> None:
        """Add bytes as they were read."""
        self.held += piece

    def feed(self, piece: bytes) -> bytes | None:
        """Add bytes as they were read; return the next whole line like `pop`."""
        if not self.held and piece.find(b"\n") == len(piece) - 1 <= LINE_LIMIT and piece:
            return piece[:-1]  # one whole line, as nearly always
        self.held += piece
        return self.pop()

    def pop(self) -> bytes | None:
        """Return the next whole line without its newline, or None if there is none yet.

        Raises OverlongLineError once the line is longer than `LINE_LIMIT`, ended or not.
        """
        data = self.held
        if not data:
            return None
        end = data.find(b"\n", self._searched)
        if (end if end >= 0 else len(data)) > LINE_LIMIT:
            raise OverlongLineError(f"a line of more than {LINE_LIMIT} bytes")
        if end < 0:
            self._searched = len(data)
            return None
        line = bytes(data[:end])
        del data[: end + 1]
        self._searched = 0
        return line


def encode(message: Any) -> bytes:
    """Return `message` as one line, newline included."""
    return _encoder.encode(message) + b"\n"


def decode(line: bytes, decoder: msgspec.json.Decoder[Message]) -> Message:
    """Return the message on `line`, read by a decoder of a type that forbids unknown fields.

    Raises ProtocolError for anything but one well-formed JSON object of that type, for text
    that is not UTF-8, and for whatever breaks the limits of this module.
    """
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if not line.strip():
            raise ProtocolError("not JSON: an empty line") from None
        raise ProtocolError(_why_unreadable(error)) from None


def _why_unreadable(error: Exception) -> str:
    if isinstance(error, msgspec.ValidationError):
        return _plain(error)
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8: {error.reason}"
    if isinstance(error, RecursionError):
        return f"nested deeper than {DEPTH_LIMIT} levels"
    text = _plain(error)
    if text == "Input data was truncated":
        text = "it breaks off; an answer is one whole line"
    return f"not JSON: {text}"


def check_limits(line: bytes, value: Any, keys: int) -> None:
    """Raise ProtocolError if a decoded `value` of `line` is too deep, too large or ambiguous.

    `keys` is the number of keys of the message outside `value`. A repeated key leaves no trace
    in what was decoded, but a colon on the line: only where the colons outnumber the keys (a
    colon may also stand in a string) is the line read a second time, slowly.
    """
    keys += len(value)
    for item in value.values():
        kind = type(item)
        if kind is dict or kind is list:
            keys += _count_keys(item, DEPTH_LIMIT - 1)
        elif kind is int and not -INTEGER_LIMIT <= item <= INTEGER_LIMIT:
            raise ProtocolError("an integer beyond 2**53")
    if line.count(b":") != keys:
        try:
            json.loads(line, object_pairs_hook=_refuse_repeated)
        except RecursionError:  # depth in what a repeated key hid
            raise ProtocolError(f"nested deeper than {DEPTH_LIMIT} levels") from None


def _count_keys(value: Any, room: int) -> int:
    if not room:
        raise ProtocolError(f"nested deeper than {DEPTH_LIMIT} levels")
    count = 0
    if type(value) is dict:
        count = len(value)
        value = value.values()
    for item in value:
        kind = type(item)
        if kind is dict or kind is list:
            count += _count_keys(item, room - 1)
        elif kind is int and not -INTEGER_LIMIT <= item <= INTEGER_LIMIT:
            raise ProtocolError("an integer beyond 2**53")
    return count


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
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
