"""Requests as bots make them, by a line or by HTTP, read and checked; pure."""

import base64
import binascii
import hashlib
from collections.abc import Mapping

import msgspec

from protocol.door import DoorRequest
from protocol.errors import ProtocolError
from referee.allowed import METHODS, AllowedRequest, AllowList
from referee.door.headers import passed


class WantedRequest(msgspec.Struct, frozen=True):
    """What a bot wants to ask, which it may."""

    entry: AllowedRequest
    """What allows it."""
    target: str
    """Its path and query, as they are sent."""
    headers: Mapping[str, str]
    body: bytes


def by_line(allow: AllowList, request: DoorRequest, most: int) -> WantedRequest:
    """Return what a line of the pipe wants; raise ProtocolError if it is refused.

    A body may have so many bytes.
    """
    body = _body_of(request)
    method = request.method or ("GET" if body is None else "POST")
    entry, target = allow.find(method, request.url)
    if method == "GET" and body is not None:
        raise ProtocolError("a GET has no body: use POST.")
    return _checked(WantedRequest(entry, target, passed(request.headers), body or b""), most)


def by_http(
    allow: AllowList, method: str, path: str, headers: Mapping[str, str], body: bytes, most: int
) -> WantedRequest:
    """Return what a request to the endpoint wants; raise ProtocolError if it is refused."""
    if method not in METHODS:
        raise ProtocolError(f"the method {method[:20]!r} is refused: use GET or POST.")
    entry, target = allow.find_path(method, path)
    if method == "GET" and body:
        raise ProtocolError("a GET has no body: use POST.")
    return _checked(WantedRequest(entry, target, passed(headers), body), most)


def digest_of(key: str, wanted: WantedRequest) -> bytes:
    """Return a hash of a request in a match, which `key` names."""
    digest = hashlib.sha256()
    headers = repr(sorted(wanted.headers.items()))
    for part in (key, str(wanted.entry.origin), wanted.entry.method, wanted.target, headers):
        digest.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass"))
    digest.update(wanted.body)
    return digest.digest()


def _checked(wanted: WantedRequest, most: int) -> WantedRequest:
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
