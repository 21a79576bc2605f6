"""The pipes of a bot at the door: lines of requests come in, lines of answers go out.

Nothing that a bot does with its ends does harm: neither long lines, nor what is no JSON, nor
floods, nor closing them, nor never reading.
"""

import base64
import contextlib
import os

import msgspec

from protocol.door import DoorAnswer, read_request
from protocol.errors import ProtocolError
from protocol.lines import LineBuffer, encode
from referee.door.requests import Outcome, by_line
from referee.door.session import Session

UNREAD = 64 << 10
"""How many bytes of answers a bot may leave unread, beyond the pipe, before it is not heard."""
NOBODY = -1
"""The id in the answer to a line that has none."""
_READ = 64 << 10


class _Numbered(msgspec.Struct):
    id: int = NOBODY


_numbered = msgspec.json.Decoder(_Numbered)


class LinePipes:
    """Reads requests while its session hears them, and writes answers as the pipe takes them."""

    def __init__(self, session: Session, ends: tuple[int, int]) -> None:
        self._session = session
        self._loop = session.loop
        self._reads, self._writes = ends
        self._limit = 2 * session.request_bytes + (64 << 10)  # a body may be longer in a line
        self._buffer: LineBuffer | None = None
        self._unwritten = bytearray()
        self._is_hearing = False
        self._is_skipping = False
        self._is_over = False

    def hear(self) -> None:
        """Take up the lines that came, and watch for more."""
        if self._is_over:
            return
        self._take()
        # Out of turn too: most turns have no request, and are none of the door's thread's business.
        if not self._is_hearing and not self._is_over and len(self._unwritten) <= UNREAD:
            self._is_hearing = True
            self._loop.add_reader(self._reads, self._read)

    def _write(self, answer: DoorAnswer) -> None:
        """Write an answer, now or when there is room."""
        if self._is_over:
            return
        is_waiting = bool(self._unwritten)
        self._unwritten += encode(answer)
        if not is_waiting:
            self._flush()
            if self._unwritten and not self._is_over:
                self._loop.add_writer(self._writes, self._go_on)

    def close(self) -> None:
        """Leave the pipes alone."""
        if not self._is_over:
            self._is_over = True
            with contextlib.suppress(OSError, ValueError):
                self._loop.remove_reader(self._reads)
            with contextlib.suppress(OSError, ValueError):
                self._loop.remove_writer(self._writes)
            self._buffer = None
            self._unwritten = bytearray()

    def _is_heard(self) -> bool:
        """Return whether the next request may be heard; if not, leave off reading."""
        with self._session.lock:
            is_heard = self._session.hears()
        is_heard = is_heard and len(self._unwritten) <= UNREAD and not self._is_over
        if not is_heard and self._is_hearing:
            self._is_hearing = False
            self._loop.remove_reader(self._reads)
        return is_heard

    def _read(self) -> None:
        if not self._is_heard():
            return
        try:
            data = os.read(self._reads, _READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:  # it says no more, but may still read
            self._is_hearing = False
            self._loop.remove_reader(self._reads)
            return
        if self._is_skipping:
            end = data.find(b"\n")
            if end < 0:
                return
            data = data[end + 1 :]
            self._is_skipping = False
        if self._buffer is None:
            self._buffer = LineBuffer(self._limit)
        self._buffer.push(data)
        self._take()

    def _take(self) -> None:
        while self._buffer is not None and self._is_heard():
            try:
                line = self._buffer.pop()
            except ProtocolError:
                self._skip()
                continue
            if line is None:
                if not self._buffer.held:
                    self._buffer = None
                return
            self._heed(line)

    def _skip(self) -> None:
        assert self._buffer is not None
        _, newline, rest = bytes(self._buffer.held).partition(b"\n")
        self._is_skipping = not newline
        self._buffer = None
        if rest:
            self._buffer = LineBuffer(self._limit)
            self._buffer.push(rest)
        self._answer(NOBODY, f"the line has more than {self._limit} bytes: send a shorter body.")

    def _heed(self, line: bytes) -> None:
        number = NOBODY
        try:
            request = read_request(line)
            number = request.id
            wanted = by_line(self._session.allow, request, self._session.request_bytes)
        except ProtocolError as error:
            if number == NOBODY:
                with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    number = _numbered.decode(line).id
            self._answer(number, str(error))
            return
        self._session.begin(wanted, lambda outcome: self._answer(number, outcome))

    def _answer(self, number: int, outcome: Outcome) -> None:
        if isinstance(outcome, str):
            self._write(DoorAnswer(id=number, error=outcome))
            return
        body, body64 = None, None
        try:
            body = outcome.body.decode("utf-8")
        except UnicodeDecodeError:
            body64 = base64.b64encode(outcome.body).decode("ascii")
        headers = dict(outcome.headers)
        self._write(
            DoorAnswer(id=number, status=outcome.status, headers=headers, body=body, body64=body64)
        )

    def _flush(self) -> None:
        try:
            while self._unwritten:
                del self._unwritten[: os.write(self._writes, self._unwritten)]
        except BlockingIOError:
            pass
        except OSError:  # nobody reads
            self.close()

    def _go_on(self) -> None:
        self._flush()
        if not self._unwritten and not self._is_over:
            self._loop.remove_writer(self._writes)
            self.hear()
