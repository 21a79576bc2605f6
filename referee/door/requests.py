"""Requests as bots make them, by a line or by HTTP, read and checked, and as they are made; pure.

Of the headers that a bot sends are passed `accept`, `accept-language`, `content-type`,
`user-agent`, and names that end with `-version` or `-beta`. All others are dropped, without an
error, as libraries send many: some say who asks, whom, or how dearly.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Protocol, TypeAlias

import msgspec

from protocol.door import DoorRequest
from protocol.errors import ProtocolError
from referee.allowed import METHODS, AllowedRequest, AllowList
from referee.door.usage import Usage

HEADERS_LIMIT = 16 * 1024
"""The most that the headers of a request may take together, in bytes."""
_PASSED = frozenset({"accept", "accept-language", "content-type", "user-agent"})
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_OPEN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*-(version|beta)")
"""Which form of a provider's own requests is meant."""
_UNSEEN = """
alt-svc connection content-length keep-alive proxy-authenticate proxy-authorization proxy-connection
set-cookie set-cookie2 te trailer transfer-encoding upgrade www-authenticate
"""
"""Headers of answers that are between the provider and us."""
_UNSEEN_NAMES = frozenset(_UNSEEN.split())


class WantedRequest(msgspec.Struct, frozen=True):
    """What a bot wants to ask, which it may."""

    entry: AllowedRequest
    """What allows it."""
    target: str
    """Its path and query, as they are sent."""
    headers: Mapping[str, str]
    body: bytes


class MadeRequest(msgspec.Struct, frozen=True):
    """A request as it is made, but for the key."""

    idempotency_key: str
    """A hash of match, seat, request and `time`: the same whenever it is asked again."""
    time: int
    """Which time this seat asks just this in the match, from 0."""
    origin: str
    """Whom it asks: `https://api.example.org`."""
    method: str
    path: str
    """With the query."""
    headers: Mapping[str, str]
    body: bytes


class SeenAnswer(msgspec.Struct, frozen=True):
    """An answer as the bot sees it; the key is struck out."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Outcome: TypeAlias = SeenAnswer | str
"""An answer, or an error in a sentence."""


class Exchanges(Protocol):
    """Where requests are kept with their answers; called on the door's thread, and quick."""

    def find(self, asked: MadeRequest) -> SeenAnswer | None:
        """Return what the request was answered before, or None."""

    def keep(self, asked: MadeRequest, answered: SeenAnswer, usage: Usage) -> None:
        """Keep what a request was answered, before the bot sees it."""


class Remembered:
    """Keeps requests and answers in memory, for matches that are not stored."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[MadeRequest, SeenAnswer, Usage]] = {}
        """All of them, by idempotency key, as they were answered."""

    def find(self, asked: MadeRequest) -> SeenAnswer | None:
        """Return what the request was answered before, or None."""
        found = self.kept.get(asked.idempotency_key)
        return None if found is None else found[1]

    def keep(self, asked: MadeRequest, answered: SeenAnswer, usage: Usage) -> None:
        """Keep what a request was answered."""
        self.kept[asked.idempotency_key] = (asked, answered, usage)


def by_line(allow: AllowList, request: DoorRequest, most: int) -> WantedRequest:
    """Return what a line of the pipe wants; raise ProtocolError if it is refused.

    A body may have so many bytes.
    """
    body = _body_of(request)
    method = request.method or ("GET" if body is None else "POST")
    return _wanted(allow.find(method, request.url), request.headers, body, most)


def by_http(
    allow: AllowList, method: str, path: str, headers: Mapping[str, str], body: bytes, most: int
) -> WantedRequest:
    """Return what a request to the endpoint wants; raise ProtocolError if it is refused."""
    if method not in METHODS:
        raise ProtocolError(f"the method {method[:20]!r} is refused: use GET or POST.")
    return _wanted(allow.find_path(method, path), headers, body or None, most)


def digest_of(key: str, wanted: WantedRequest) -> bytes:
    """Return a hash of a request in a match, which `key` names."""
    digest = hashlib.sha256()
    headers = repr(sorted(wanted.headers.items()))
    for part in (key, str(wanted.entry.origin), wanted.entry.method, wanted.target, headers):
        digest.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass"))
    digest.update(wanted.body)
    return digest.digest()


def _wanted(
    found: tuple[AllowedRequest, str], headers: Mapping[str, str], body: bytes | None, most: int
) -> WantedRequest:
    entry, target = found
    if entry.method == "GET" and body is not None:
        raise ProtocolError("a GET has no body: use POST.")
    wanted = WantedRequest(entry, target, passed(headers), body or b"")
    if len(wanted.body) > most:
        raise ProtocolError(f"the body has more than {most >> 10} KiB: send less.")
    return wanted


def _body_of(request: DoorRequest) -> bytes | None:
    if request.body64 is None:
        if request.body is None:
            return None
        try:
            return request.body.encode("utf-8")
        except UnicodeEncodeError:
            raise ProtocolError("the body has half a character (a lone surrogate).") from None
    if request.body is not None:
        raise ProtocolError("there are both body and body64: send one of them.")
    try:
        return base64.b64decode(request.body64, validate=True)
    except (binascii.Error, ValueError):
        raise ProtocolError("body64 is no base64.") from None


def is_passed(name: str) -> bool:
    """Return whether a header of a bot's, in small letters, is sent to a provider."""
    if name in _PASSED:
        return True
    return bool(_OPEN.fullmatch(name))


def passed(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a bot's request that are sent, by small letters.

    Raises ProtocolError for what is no header at all, as of one that would become two.
    """
    found: dict[str, str] = {}
    room = HEADERS_LIMIT
    for name, value in headers.items():
        room -= len(name) + len(value) + 4
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            raise ProtocolError(
                f"{name[:40]!r} is no header of one line: take out line breaks and what is not "
                "Latin-1."
            )
        if room < 0:
            raise ProtocolError(f"the headers take more than {HEADERS_LIMIT} bytes together.")
        small = name.lower()
        if not is_passed(small):
            continue
        if small in found:
            raise ProtocolError(f"the header {small!r} is there twice.")
        found[small] = value.strip(" \t")
    return found


def shown(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the headers of an answer that a bot sees, by small letters; repeated ones joined."""
    found: dict[str, str] = {}
    for raw, value in headers:
        name = raw.decode("latin-1").lower()
        if name in _UNSEEN_NAMES:
            continue
        text = value.decode("latin-1")
        found[name] = f"{found[name]}, {text}" if name in found else text
    return found
