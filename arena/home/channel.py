"""One websocket to a league that is served: opened while one waits, then never waited for."""

import os
import socket
import ssl
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import OPEN, Event
from websockets.uri import WebSocketURI

from arena.author.submitting import Address, explained, refused
from protocol.errors import ProtocolError, Refusal
from protocol.remote import FRAME_LIMIT, MOST_UNSEEN

_PATIENCE = 20.0  # seconds in which a connection is made, TLS and the server's answer included
_PIECE = 1 << 16
_PIECES = 64  # read at a time, so that others have their turn
_MOST_WAITING = MOST_UNSEEN + 2 * FRAME_LIMIT  # bytes that are still to be sent
_OVERHEAD = 100  # bytes that each piece of them takes besides
_GOODBYE = 1.0  # seconds in which the last frames are sent


class Channel:
    """A websocket that is open: frames of text, both ways; it never blocks.

    Whoever waits watches `fileno` for input, and for output while it `is_full`.
    """

    def __init__(
        self, sock: socket.socket, protocol: ClientProtocol, events: Sequence[Event] = ()
    ) -> None:
        """Take a socket, and what came on it with the server's answer."""
        self._socket = sock
        self._protocol = protocol
        self._out: deque[memoryview] = deque()
        self._waiting = 0  # what that takes, in bytes
        self._message = bytearray()
        self._has_ended = False
        self._early = list(events)
        self.has_more = True
        """Whether something may be there to read that a poll does not show."""
        sock.settimeout(0)

    def fileno(self) -> int:
        """Return the descriptor of its socket."""
        return self._socket.fileno()

    @property
    def is_full(self) -> bool:
        """Whether something waits until the other side reads."""
        return bool(self._out)

    def read(self) -> list[bytes]:
        """Return the frames that are there; raise ConnectionError or ProtocolError.

        Frames before an end are returned first: the next call finds it again.
        """
        found: list[bytes] = []
        self._take(found)
        self.has_more = False
        try:
            for _ in range(_PIECES):
                if self._is_over:
                    break
                data = self._socket.recv(_PIECE)
                if data:
                    self._protocol.receive_data(data)
                else:
                    self._has_ended = True
                    self._protocol.receive_eof()
                self._take(found)
            else:
                self.has_more = True
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError as error:
            if not found:
                raise ConnectionError(error.strerror or str(error)) from None
        if not found:
            self._check()
        self.has_more |= self._is_over
        return found

    def _take(self, found: list[bytes]) -> None:
        """Put what the wire's frames hold together; it is bounded as they are."""
        events, self._early = [*self._early, *self._protocol.events_received()], []
        for event in events:
            assert isinstance(event, Frame)
            if event.opcode is Opcode.BINARY:
                raise ProtocolError("it sent bytes in place of text")
            if event.opcode in (Opcode.TEXT, Opcode.CONT):
                self._message += event.data
                if event.fin:
                    found.append(bytes(self._message))
                    self._message.clear()
        self._keep()  # what the protocol itself answers, as to a ping
        if self._waiting > _MOST_WAITING:
            raise ProtocolError("it does not read what it is sent")

    @property
    def _is_over(self) -> bool:
        protocol = self._protocol
        return self._has_ended or bool(protocol.close_rcvd or protocol.parser_exc)

    def _check(self) -> None:
        """Raise what ended the connection, if something did."""
        said, error = self._protocol.close_rcvd, self._protocol.parser_exc
        if said is not None:
            why = f", {said.reason}" if said.reason else ""
            raise ConnectionError(f"the server closed it (code {said.code}{why})")
        if error is not None and not isinstance(error, EOFError):
            raise ProtocolError(f"it sent what is no websocket's: {error}")
        if self._has_ended:
            raise ConnectionError("the server, or what is on the way, ended it")

    def send(self, text: str) -> None:
        """Send a frame, as far as there is room; `write` sends the rest. Raises ConnectionError."""
        if self._protocol.state is not OPEN:
            raise ConnectionError("the server ended it")
        self._protocol.send_text(text.encode())
        self._keep()
        self.write()

    def _keep(self) -> None:
        for piece in self._protocol.data_to_send():
            if piece:
                self._out.append(memoryview(piece))
                self._waiting += len(piece) + _OVERHEAD

    def write(self) -> None:
        """Send what waits, as far as there is room; raise ConnectionError."""
        while self._out:
            piece = self._out[0]
            try:
                sent = self._socket.send(piece)
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return
            except OSError as error:
                raise ConnectionError(error.strerror or str(error)) from None
            if sent < len(piece):
                self._out[0] = piece[sent:]
            else:
                self._out.popleft()
                self._waiting -= _OVERHEAD
            self._waiting -= sent

    def close(self, *, last: str = "") -> None:
        """Send a last frame, if there is one and it can be sent within a second, and end."""
        with self._socket, suppress(OSError):
            if last and self._protocol.state is OPEN:
                self._protocol.send_text(last.encode())
                self._protocol.send_close(1000)
                self._keep()
                self._socket.settimeout(_GOODBYE)
                self._socket.sendall(b"".join(self._out))
                self._socket.shutdown(socket.SHUT_WR)
                until = monotonic() + _GOODBYE
                while self._socket.recv(_PIECE):  # or what was sent may be lost
                    self._socket.settimeout(_left(until))


def open_channel(address: Address, token: str) -> Channel:
    """Connect to a league with an author's token, which no other server gets; it may take a while.

    Raises Refusal with what the server answered, such as a redirect, or why it did not.
    """
    is_secure = address.scheme == "https"
    port = address.port or (443 if is_secure else 80)
    until = monotonic() + _PATIENCE
    with explained(address, _PATIENCE):
        sock = socket.create_connection((address.host, port), timeout=_PATIENCE)
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if is_secure:
                sock.settimeout(_left(until))
                context = ssl.create_default_context()
                sock = context.wrap_socket(sock, server_hostname=address.host)
            uri = WebSocketURI(is_secure, address.host, port, f"{address.api}/remote", "")
            protocol = ClientProtocol(uri, max_size=FRAME_LIMIT)
            request = protocol.connect()
            request.headers["Authorization"] = f"Bearer {token}"
            request.headers["User-Agent"] = "bot-arena"
            protocol.send_request(request)
            for piece in protocol.data_to_send():
                sock.sendall(piece)
            answer, *early = _events(address, sock, protocol, until)
            _check(address, answer, protocol)
        except BaseException:  # Ctrl-C too: raised again once the socket is closed
            sock.close()
            raise
    return Channel(sock, protocol, early)


def _events(
    address: Address, sock: socket.socket, protocol: ClientProtocol, until: float
) -> list[Event]:
    """Return how a server answers the wish for a websocket, and what came with that."""
    is_silent = True
    while True:
        sock.settimeout(_left(until))
        data = sock.recv(_PIECE)
        if not data and is_silent:  # as where a proxy is up, and the server behind it not yet
            raise ConnectionResetError("it ended the connection and said nothing")
        is_silent = False
        if data:
            protocol.receive_data(data)
        else:
            protocol.receive_eof()
        if events := protocol.events_received():
            return events
        if not data or protocol.handshake_exc is not None:
            raise Refusal(
                0, f"{address.shown} gave no answer of HTTP. Is this the address of an arena?"
            )


def _check(address: Address, answer: Event, protocol: ClientProtocol) -> None:
    """Raise what was answered in place of a websocket, if that was."""
    assert isinstance(answer, Response)
    if answer.status_code != 101:
        location = answer.headers.get("Location", "")
        raise refused(address, answer.status_code, location, bytes(answer.body or b""))
    if isinstance(protocol.handshake_exc, InvalidHandshake):
        raise Refusal(
            0,
            f"{address.shown} does not answer as an arena does: {protocol.handshake_exc}. Look at "
            f"the address.",
        )


def _left(until: float) -> float:
    """Return the seconds until then; raise TimeoutError if there are none."""
    left = until - monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class Connecting:
    """A channel that is being opened, on a thread of its own; `fileno` has input once that ends."""

    def __init__(self, address: Address, token: str) -> None:
        self._done = os.eventfd(0, os.EFD_CLOEXEC)
        self._found: Channel | Exception | None = None
        self._lock = threading.Lock()
        self._is_wanted = True
        threading.Thread(target=self._open, args=(address, token), daemon=True).start()

    def fileno(self) -> int:
        """Return the descriptor that has input at the end."""
        return self._done

    def _open(self, address: Address, token: str) -> None:
        try:
            found: Channel | Exception = open_channel(address, token)
        except Exception as error:  # noqa: BLE001 - it is raised where the result is wanted
            found = error
        with self._lock:
            if self._is_wanted:
                self._found = found
                os.eventfd_write(self._done, 1)
            elif isinstance(found, Channel):
                found.close()

    def take(self) -> Channel:
        """Return the channel that was opened; raise as `open_channel` does."""
        found, self._found = self._found, None
        self.drop()
        if isinstance(found, Exception):
            raise found
        assert found is not None
        return found

    def drop(self) -> None:
        """Want it no more."""
        with self._lock:
            if self._is_wanted:
                self._is_wanted = False
                os.close(self._done)
            if isinstance(self._found, Channel):
                self._found.close()
