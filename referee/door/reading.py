"""Requests as bots make them, by a line or by HTTP, read and checked; pure."""

import base64
import binascii
import hashlib
from collections.abc import Mapping

import msgspec

from protocol.door import DoorRequest
from protocol.errors import ProtocolError
from referee.door.headers import passed
from referee.door.names import Destination, Doorplate


class WantedRequest(msgspec.Struct, frozen=True):
    """What a bot wants to ask, which it may."""

    place: Destination
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def rest(self) -> tuple[str, str, Mapping[str, str], bytes]:
        """All but the place."""
        return self.method, self.path, self.headers, self.body


def by_line(plate: Doorplate, request: DoorRequest, most: int) -> WantedRequest:
    """Return what a line of the pipe wants; raise ProtocolError if it is refused.

    A body may have so many bytes.
    """
    place, path = plate.find(request.url)
    body = _body_of(request)
    method = request.method or ("GET" if body is None else "POST")
    if method == "GET" and body is not None:
        raise ProtocolError("a GET has no body: use POST.")
    return _checked(WantedRequest(place, method, path, passed(request.headers), body or b""), most)


def by_http(
    plate: Doorplate, method: str, path: str, headers: Mapping[str, str], body: bytes, most: int
) -> WantedRequest:
    """Return what a request to the endpoint wants; raise ProtocolError if it is refused."""
    place, rest = plate.find_path(path)
    if method not in ("GET", "POST"):
        raise ProtocolError(f"the method {method[:20]!r} is refused: use GET or POST.")
    if method == "GET" and body:
        raise ProtocolError("a GET has no body: use POST.")
    return _checked(WantedRequest(place, method, rest, passed(headers), body), most)


def digest_of(key: str, wanted: WantedRequest) -> bytes:
    """Return a hash of a request in a match, which `key` names."""
    method, path, headers, body = wanted.rest
    digest = hashlib.sha256()
    for part in (key, wanted.place.name, method, path, repr(sorted(headers.items()))):
        digest.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass"))
    digest.update(body)
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
