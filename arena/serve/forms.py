"""Bodies of requests: streamed, counted and timed, whether raw or as a form."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Any
from urllib.parse import parse_qsl

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect, Request

from protocol.errors import Refusal

FORM_BYTES = 64 << 10
"""The most of a form's fields that are not files."""
_SOURCE_BYTES = 4 << 20  # of a program that is pasted
_GRACE = 20.0  # seconds before a body has to have come at the least pace
_LEAST_PACE = 8 << 10  # bytes a second
_DRAINED = 1 << 20  # bytes that are read of what is refused ...
_DRAIN_SECONDS, _SILENCE_SECONDS = 5.0, 0.3  # ... in this time, and while they come
_MOST_PARTS = 20
_FILE = "file"
_LONG_FIELDS = {"source": _SOURCE_BYTES}


def not_taken(status: int, what: str, remedy: str = "Send it again.") -> Refusal:
    """Return what is answered to a body that is not taken."""
    return Refusal(status, what, remedy, step="receive")


async def pieces(request: Request) -> AsyncIterator[bytes]:
    """Yield the body as it comes; raise Refusal if that takes too long."""
    began, got = monotonic(), 0
    stream = request.stream()
    try:
        while True:
            left = began + _GRACE + got / _LEAST_PACE - monotonic()
            try:
                async with asyncio.timeout(min(left, _GRACE)):
                    piece = await anext(stream)
            except TimeoutError:
                raise not_taken(408, "what was sent came too slowly.") from None
            except StopAsyncIteration:
                return
            got += len(piece)
            if piece:
                yield piece
    except ClientDisconnect:
        raise not_taken(400, "the connection ended before all was sent.") from None


async def drain(request: Request) -> None:
    """Read some of what is still being sent: who sends would not hear an answer otherwise."""
    got = 0
    stream = request.stream()
    with suppress(TimeoutError, ClientDisconnect, RuntimeError, StopAsyncIteration):
        async with asyncio.timeout(_DRAIN_SECONDS):
            while got < _DRAINED:
                async with asyncio.timeout(_SILENCE_SECONDS):
                    got += len(await anext(stream))


async def fields(request: Request) -> dict[str, str]:
    """Return the fields of a short form; raise Refusal if it is none."""
    data = b""
    async for piece in pieces(request):
        data += piece
        if len(data) > FORM_BYTES:
            raise not_taken(413, f"a form has at most {FORM_BYTES >> 10} KiB.", "Send less.")
    try:
        return dict(parse_qsl(data.decode(), keep_blank_values=True, max_num_fields=_MOST_PARTS))
    except ValueError:
        raise not_taken(400, "this is no form.") from None


class FileForm:
    """A form with a file, read as it comes.

    Args:
        request: whose body it is.
        begin: called with the fields so far and the file's name when a file begins.
        write: called with the file's bytes.

    """

    def __init__(
        self,
        request: Request,
        begin: Callable[[dict[str, str], str], Awaitable[None]],
        write: Callable[[bytes], Awaitable[None]],
    ) -> None:
        self._request = request
        self._begin = begin
        self._write = write
        self.fields: dict[str, str] = {}
        self._events: list[tuple[str, bytes]] = []
        self._header: dict[bytes, bytes] = {}
        self._name = self._value = b""
        self._part = ""
        self._value_parts: list[bytes] = []
        self._size = 0
        self._parts = 0
        self._is_file = False
        self._is_over = False
        self.has_file = False

    async def read(self) -> None:
        """Read it to its end; raise Refusal if it is no such form."""
        kind, options = parse_options_header(self._request.headers.get("content-type", ""))
        if kind != b"multipart/form-data" or b"boundary" not in options:
            raise not_taken(400, "this is no form with a file.")
        try:
            parser = MultipartParser(options[b"boundary"], self._callbacks())
            async for piece in pieces(self._request):
                parser.write(piece)
                await self._act()
            parser.finalize()
        except FormParserError as error:
            raise not_taken(400, f"the form cannot be read: {error}.") from None
        await self._act()
        if not self._is_over:
            raise not_taken(400, "the form ends before its end.", "Send it again.")

    def _callbacks(self) -> Any:
        def note(event: str) -> Callable[..., None]:
            def noted(data: bytes = b"", start: int = 0, end: int = 0) -> None:
                self._events.append((event, data[start:end]))

            return noted

        return {
            f"on_{name}": note(name)
            for name in (
                *("part_begin", "header_field", "header_value", "header_end"),
                *("headers_finished", "part_data", "part_end", "end"),
            )
        }

    async def _act(self) -> None:
        """Do what the parser has found, in order."""
        events, self._events = self._events, []
        for event, data in events:
            match event:
                case "part_begin":
                    self._parts += 1
                    if self._parts > _MOST_PARTS:
                        raise not_taken(413, f"a form has at most {_MOST_PARTS} parts.")
                    self._header, self._name, self._value = {}, b"", b""
                case "header_field":
                    self._name += data
                case "header_value":
                    self._value += data
                case "header_end":
                    self._header[self._name.lower()] = self._value
                    self._name = self._value = b""
                case "headers_finished":
                    await self._begin_part()
                case "part_data":
                    await self._take(data)
                case "end":
                    self._is_over = True
                case "part_end":
                    if not self._is_file:
                        whole = b"".join(self._value_parts)
                        self.fields[self._part] = whole.decode(errors="replace")

    async def _begin_part(self) -> None:
        _, options = parse_options_header(self._header.get(b"content-disposition", b""))
        self._part = options.get(b"name", b"").decode(errors="replace")
        filename = options.get(b"filename", b"").decode(errors="replace")
        self._value_parts, self._size = [], 0
        self._is_file = b"filename" in options
        if self._is_file and self._part == _FILE and filename:
            if self.has_file:
                raise not_taken(400, "a form has one file.", "Put several into one archive.")
            self.has_file = True
            await self._begin(self.fields, filename)

    async def _take(self, data: bytes) -> None:
        if self._is_file and self.has_file and self._part == _FILE:
            await self._write(data)
            return
        self._size += len(data)
        if self._size > _LONG_FIELDS.get(self._part, FORM_BYTES):
            raise not_taken(413, f"the field {self._part[:40]!r} is too long.", "Send less.")
        self._value_parts.append(data)
