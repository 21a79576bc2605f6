"""The server of one table: on this machine alone, for one browser, behind a secret."""

import hmac
import json
import secrets
import select
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from arena.person.desk import Desk, Saying
from protocol.errors import Refusal, RunError

_BODY = 64 << 10  # bytes
_IDLE = 30.0  # seconds in which a request must come
_AT_ONCE = 16  # connections
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

Document = tuple[str, Callable[[], bytes | None]]
"""The type of what is at an address, and what returns it; None while it is not there yet."""


class TableServer(ThreadingHTTPServer):
    """Serves a desk and some documents to the first browser that knows the secret."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, desk: Desk, documents: Mapping[str, Document]) -> None:
        try:
            super().__init__(("127.0.0.1", 0), _Handler)
        except OSError as error:
            raise RunError(f"no page can be served on this machine: {error.strerror}.") from None
        self.desk = desk
        self.documents = documents
        self.secret = secrets.token_urlsafe(24)
        self.pass_word = secrets.token_urlsafe(24)
        self.is_taken = False
        """Whether a browser has come; the next one must bring the cookie that it was given."""
        self.taking = threading.Lock()
        self._room = threading.BoundedSemaphore(_AT_ONCE)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.port}/{self.secret}/"

    @property
    def cookie(self) -> str:
        """The name of the cookie; browsers keep those of all ports together."""
        return f"arena-table-{self.port}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, unless too many are busy."""
        if not self._room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and make room again."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away; a mistake of ours is shown."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


@contextmanager
def serving(desk: Desk, documents: Mapping[str, Document]) -> Iterator[str]:
    """Serve a desk, and yield the address of its page, which is the document ""."""
    with TableServer(desk, documents) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True)
        thread.start()
        try:
            yield server.address
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    """One connection of a browser."""

    server: TableServer
    protocol_version = "HTTP/1.1"
    server_version = "arena"
    sys_version = ""
    timeout = _IDLE

    def do_GET(self) -> None:
        """Return a document, or what is new at the table."""
        self._answered(self._get)

    def do_POST(self) -> None:
        """Take an answer, or that the person leaves."""
        self._answered(self._post)

    def _answered(self, answer: Callable[[str, dict[str, list[str]]], None]) -> None:
        try:
            answer(*self._admitted())
        except Refusal as refused:
            self.close_connection = True
            self._send(
                HTTPStatus(refused.status), "text/plain; charset=utf-8", f"{refused}\n".encode()
            )

    def _admitted(self) -> tuple[str, dict[str, list[str]]]:
        """Return what is asked for, below the secret; raise Refusal for whoever may not."""
        hosts = {f"127.0.0.1:{self.server.port}", f"localhost:{self.server.port}"}
        named = self.headers.get_all("Host", [])
        if len(named) != 1 or named[0].lower() not in hosts:
            raise Refusal(HTTPStatus.MISDIRECTED_REQUEST, "This table is not there.")
        if self.command == "POST" and self.headers.get("Origin") != f"http://{named[0]}":
            raise Refusal(HTTPStatus.FORBIDDEN, "Only the page of this table may ask that.")
        try:
            parts = urlsplit(self.path)
        except ValueError:
            raise Refusal(HTTPStatus.NOT_FOUND, "There is nothing here.") from None
        first, _, rest = parts.path.removeprefix("/").partition("/")
        if not hmac.compare_digest(first.encode(), self.server.secret.encode()):
            raise Refusal(HTTPStatus.NOT_FOUND, "There is nothing here.")
        with self.server.taking:
            if self._has_cookie():
                return rest, parse_qs(parts.query)
            if self.server.is_taken or self.command != "GET" or rest:
                raise Refusal(
                    HTTPStatus.FORBIDDEN, "This table is open in another browser, which has it."
                )
            self.server.is_taken = True
        return rest, {"new": ["1"]}

    def _has_cookie(self) -> bool:
        try:
            found = SimpleCookie(self.headers.get("Cookie", "")).get(self.server.cookie)
        except CookieError:
            return False
        given = found.value.encode() if found else b""
        return hmac.compare_digest(given, self.server.pass_word.encode())

    def _get(self, rest: str, query: dict[str, list[str]]) -> None:
        if rest == "state":
            version, frames, areas = (_number(query, key) for key in ("version", "frames", "areas"))
            found = self.server.desk.state(version, frames, areas, self._is_gone)
            self._send(HTTPStatus.OK, "application/json", msgspec.json.encode(found))
            return
        kind, make = self.server.documents.get(rest, ("", lambda: None))
        body = make()
        if body is None:
            raise Refusal(HTTPStatus.NOT_FOUND, "There is nothing here.")
        more = {}
        if query.get("new") and not self._has_cookie():
            word = f"{self.server.cookie}={self.server.pass_word}"
            more["Set-Cookie"] = f"{word}; Path=/{self.server.secret}/; HttpOnly; SameSite=Strict"
        if kind == "application/json":
            more["Content-Disposition"] = 'attachment; filename="match.json"'
        self._send(HTTPStatus.OK, kind, body, more)

    def _is_gone(self) -> bool:
        """Return whether the browser has closed the connection."""
        watch = select.poll()  # a socket with a time-out would wait for it
        watch.register(self.connection, select.POLLIN | select.POLLRDHUP)
        return any(event & ~select.POLLIN for _, event in watch.poll(0))

    def _post(self, rest: str, _: dict[str, list[str]]) -> None:
        body = self._body()
        if rest == "quit":
            self.server.desk.quit()
            found: dict[str, Any] = {}
        elif rest == "say":
            try:
                said = msgspec.json.decode(body, type=_Words)
            except msgspec.MsgspecError as error:
                raise Refusal(HTTPStatus.BAD_REQUEST, f"This is no answer: {error}.") from None
            found = self.server.desk.say(
                Saying(said.number, said.line, plays=said.plays, at_random=said.at_random)
            )
        else:
            raise Refusal(HTTPStatus.NOT_FOUND, "There is nothing here.")
        self._send(HTTPStatus.OK, "application/json", json.dumps(found).encode())

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal()) or len(length) > 9:
            raise Refusal(HTTPStatus.LENGTH_REQUIRED, "How long is it?")
        if int(length) > _BODY:
            raise Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "That is too long.")
        return self.rfile.read(int(length))

    def _send(
        self, status: HTTPStatus, kind: str, body: bytes, more: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in (_HEADERS | dict(more or {})).items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no request that is known here."""
        self.close_connection = True
        self._send(HTTPStatus(code), "text/plain; charset=utf-8", b"This is not understood.\n")

    def log_message(self, *_: object) -> None:
        """Say nothing: whoever plays looks at the page."""

    def setup(self) -> None:
        """Let answers go at once."""
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page sends of an answer."""

    number: int
    line: str
    plays: bool = True
    at_random: bool = False


def _number(query: Mapping[str, list[str]], name: str) -> int:
    word = query.get(name, ["0"])[0]
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 10 else 0
