"""The lines of a results file as text, however editors and spreadsheets have saved it."""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO

from protocol.errors import ArenaError

_LIMIT = 1 << 20  # bytes, the newline included


class Lines:
    """The lines of a file, counted, blank ones included; ArenaError if one cannot be read."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self._name = name
        self._stream = stream
        self._first = b""
        self.number = 0
        """The number of the last line that was read."""
        self.other_encoding = ""
        """That of lines that are not UTF-8, if the form of the file has one."""

    def first(self) -> str:
        """Return the first line that is not blank, of any encoding; it is the first to be read."""
        text = " "
        while text.isspace():
            self._first = self._next()
            text = self._first.decode(errors="replace")
        return text

    def __iter__(self) -> Iterator[str]:
        while line := self._first or self._next():
            self._first = b""
            try:
                yield line.decode()
            except UnicodeDecodeError:
                if not self.other_encoding:
                    raise self.error("not UTF-8; save the file with that encoding.") from None
                yield line.decode(self.other_encoding)

    def _next(self) -> bytes:
        line = self._stream.readline(_LIMIT + 1)
        if not self.number:
            line = self._usual(line)
        self.number += bool(line)
        if len(line) > _LIMIT:
            raise self.error("a line of more than 1 MiB; give every match a line of its own.")
        return line

    def _usual(self, line: bytes) -> bytes:
        """Return the first line of a file; turn UTF-16, as Excel's, and ends in CR into ours."""
        if line.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            try:
                whole = (line + self._stream.read()).decode("utf-16").encode()
            except UnicodeDecodeError:
                raise self.error("not UTF-16, as it begins; save the file as UTF-8.", 1) from None
        elif b"\r" in line.rstrip(b"\r\n"):
            whole = line + self._stream.read()
        else:
            return line.removeprefix(BOM_UTF8)
        self._stream = BytesIO(re.sub(rb"\r\n?", b"\n", whole.removeprefix(BOM_UTF8)))
        return self._stream.readline(_LIMIT + 1)

    def error(self, what: str, line: int = 0) -> ArenaError:
        """Return the error about a line, by default the last one."""
        return ArenaError(f"{self._name}:{line or self.number}: {what}")
