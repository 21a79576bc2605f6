"""What a league's door lets through: entries of `allow`, and the addresses of requests; pure.

An entry is a method, an origin (RFC 6454), and a path whose segments are exact, but for `*`, which
stands for one. A request is compared with it segment by segment, each decoded once, and what is
sent is spelled by the entry: so a provider cannot read it in another way than it was read here.
"""

import ipaddress
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, get_args
from urllib.parse import unquote_to_bytes

import msgspec

from protocol.errors import ProtocolError

URL_LIMIT = 8192
"""The longest address of a request, in characters."""
ANY = "*"
"""A segment of an entry's path that stands for any one."""

Scheme = Literal["http", "https"]
Method = Literal["GET", "POST"]
METHODS: tuple[Method, ...] = get_args(Method)

_LABEL = r"(?!-)[a-z0-9-]{1,63}(?<!-)"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})+")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""A last label like this makes a name an IPv4 address for some programs."""
_HOST_AND_PORT = re.compile(r"(\[[0-9a-f:.]+\]|[^:\[\]]*)(?::([1-9][0-9]{0,4}))?", re.DOTALL)
_URL = re.compile(r"([a-z]+://[^/?#]*)([^?#]*)(?:\?([^#]*))?", re.DOTALL)
_SEGMENT = re.compile(r"[A-Za-z0-9@_~][A-Za-z0-9._~:@+=-]{0,255}")
"""What an entry may have between two slashes, and what `*` stands for: it cannot be `..`."""
_QUERY = re.compile(r"[A-Za-z0-9._~:@+=&-]{1,1000}")
_BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_PORTS: Mapping[str, int] = {"http": 80, "https": 443}
_EXAMPLE = "POST https://api.example.org/v1/chat/completions"
_STRANGE = 60  # characters of an address that are quoted


class Origin(msgspec.Struct, frozen=True):
    """Where requests go: `https://api.example.org`, or an address that an organizer wrote out."""

    scheme: Scheme
    host: str
    """A name, `localhost`, or an IP address without brackets."""
    port: int

    @property
    def is_written_out(self) -> bool:
        """Whether an organizer wrote the very address of a model of their own."""
        return self.host == "localhost" or _address(self.host) is not None

    @property
    def authority(self) -> str:
        """The host, and the port if it is not the scheme's own: what is sent as `host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        """Return it as it is written: `https://api.example.org`."""
        return f"{self.scheme}://{self.authority}"


class AllowedRequest(msgspec.Struct, frozen=True):
    """An entry of `allow`: requests that a bot may make."""

    method: Method
    origin: Origin
    segments: tuple[str, ...]
    """Of the path, without its first slash; `*` stands for any one."""
    query: str = ""

    def __str__(self) -> str:
        """Return it as it is written in `allow`."""
        return f"{self.method} {self.origin}{self.target(self.segments)}"

    def covers(self, other: "AllowedRequest") -> bool:
        """Return whether all that another entry allows is allowed by this one."""
        same = (self.method, self.origin, self.query) == (other.method, other.origin, other.query)
        pairs = zip(self.segments, other.segments, strict=False)
        return (
            same
            and len(self.segments) == len(other.segments)
            and all(mine == its or (mine == ANY and its != "") for mine, its in pairs)
        )

    def fits(self, segments: Sequence[str]) -> bool:
        """Return whether a path of these segments is meant."""
        return len(segments) == len(self.segments) and all(
            _SEGMENT.fullmatch(given) if mine == ANY else given == mine
            for mine, given in zip(self.segments, segments, strict=True)
        )

    def target(self, segments: Sequence[str]) -> str:
        """Return path and query of a request with these segments, which fit."""
        return f"/{'/'.join(segments)}" + (f"?{self.query}" if self.query else "")

    def chosen(self, target: str) -> Iterator[tuple[int, str]]:
        """Yield what a target of this entry has in the places of `*`, each with where it begins."""
        start = 1
        for mine, segment in zip(
            self.segments, target.partition("?")[0][1:].split("/"), strict=True
        ):
            if mine == ANY:
                yield start, segment
            start += len(segment) + 1


def origin_of(text: str) -> Origin:
    """Return the origin that a text stands for; raise ValueError with a sentence if none."""
    written, _, authority = text.partition("://")
    found = _HOST_AND_PORT.fullmatch(authority)
    if written not in _PORTS or found is None or not found[1] or int(found[2] or 1) > 65535:
        raise ValueError(
            f"{text!r} is no origin: write it like https://api.example.org or "
            "https://api.example.org:8443"
        )
    host = found[1]
    scheme: Scheme = "http" if written == "http" else "https"
    address = _address(host.strip("[]"))
    is_own = host == "localhost" or address is not None
    if not is_own and not _is_name(host):
        raise ValueError(
            f"{text!r} is no origin: it takes a whole name in small letters, like "
            "https://api.example.org (IDNA: xn--…), without user, path or dot at its end"
        )
    if not is_own and scheme == "http":
        raise ValueError(
            f"{text!r} is asked by https: write https://{authority}; only localhost and IP "
            "addresses may be asked by http"
        )
    origin = Origin(
        scheme, host if address is None else str(address), int(found[2] or _PORTS[scheme])
    )
    if str(origin) != text:
        raise ValueError(f"write {str(origin)!r} for {text!r}")
    return origin


def allowed_of(entry: str) -> AllowedRequest:
    """Return what an entry of `allow` stands for; raise ValueError with a sentence if nothing."""
    method, space, url = entry.partition(" ")
    found = _URL.fullmatch(url)
    if method not in METHODS or not space or found is None or not found[2]:
        raise ValueError(f"{entry!r} is no request: {_better(entry)}")
    try:
        origin = origin_of(found[1])
    except ValueError as error:
        raise ValueError(f"{entry!r} cannot be meant: {error}") from None
    segments = found[2][1:].split("/")
    for number, segment in enumerate(segments, 1):
        is_last = number == len(segments)
        if segment != ANY and not _SEGMENT.fullmatch(segment) and (segment or not is_last):
            raise ValueError(
                f"{entry!r} has {segment!r} in its path: write each segment as it is, of letters, "
                f"digits and -._~:@+=, or {ANY} for any one whole segment"
            )
    query = found[3]
    if query is not None and not _QUERY.fullmatch(query):
        raise ValueError(
            f"{entry!r} has the query {query!r}: write it as it is sent, of letters, digits and "
            "-._~:@+=&, or leave the ? out"
        )
    return AllowedRequest(
        "GET" if method == "GET" else "POST", origin, tuple(segments), query or ""
    )


def all_allowed(entries: Collection[str]) -> dict[str, AllowedRequest]:
    """Return entries of `allow` by their texts; raise ValueError for one that cannot be meant.

    Of a host and port there is one origin, as the endpoint of HTTP names no scheme.
    """
    found = {entry: allowed_of(entry) for entry in entries}
    if len(found) < len(entries):
        raise ValueError("a request is there twice")
    schemes: dict[tuple[str, int], Origin] = {}
    for each in found.values():
        other = schemes.setdefault((each.origin.host, each.origin.port), each.origin)
        if other != each.origin:
            raise ValueError(f"{other!s} and {each.origin!s} are one host and port: keep one")
    return found


class AllowList:
    """What one bot may ask: finds the entry, and the target, of a request that it wants made."""

    __slots__ = ("_by_authority", "_by_origin", "entries")

    def __init__(self, entries: Collection[AllowedRequest]) -> None:
        self.entries = tuple(entries)
        self._by_origin: dict[str, list[AllowedRequest]] = {}
        for entry in entries:
            self._by_origin.setdefault(str(entry.origin), []).append(entry)
        self._by_authority = {entry.origin.authority: str(entry.origin) for entry in entries}

    def find(self, method: str, url: str) -> tuple[AllowedRequest, str]:
        """Return the entry that a request is of, and its target as it is sent.

        Raises ProtocolError if it is refused.
        """
        found = _URL.fullmatch(url) if len(url) <= URL_LIMIT else None
        if found is None or _BAD_PERCENT.search(found[2]):
            raise ProtocolError(
                f"{_short(url)} is no address like {self._example}: it has a scheme, a host, and "
                "a path of whole percent-encodings, and no #fragment."
            )
        segments = [*_decoded(found[2])]
        for entry in self._by_origin.get(found[1], ()):
            if entry.method == method and entry.query == (found[3] or "") and entry.fits(segments):
                return entry, entry.target(segments)
        raise ProtocolError(
            f"{method[:20]} {_short(url)} is none of the requests that this bot may make, written "
            f"just so: {', '.join(map(str, self.entries)) or 'there are none'}."
        )

    def find_path(self, method: str, path: str) -> tuple[AllowedRequest, str]:
        """Return the same for `/HOST/rest`, as the endpoint of HTTP has it."""
        authority, slash, rest = path[1:].partition("/")
        origin = self._by_authority.get(authority)
        if not path.startswith("/") or origin is None:
            hosts = ", ".join(self._by_authority) or "there are none"
            raise ProtocolError(
                f"{_short(path)} is no path like /HOST/path; the hosts that this bot may ask, "
                f"written just so: {hosts}."
            )
        return self.find(method, f"{origin}{slash}{rest}")

    @property
    def _example(self) -> str:
        return str(self.entries[0]).partition(" ")[2] if self.entries else "https://HOST/path"


def _decoded(path: str) -> Iterator[str]:
    """Yield the segments of a path, each decoded once.

    One that is no UTF-8 then, or has half a character, is none of any entry.
    """
    for segment in path.split("/")[1:]:
        try:
            yield unquote_to_bytes(segment).decode("ascii")
        except UnicodeError:
            yield ".."


def _better(entry: str) -> str:
    """Return the line to write in place of one that is no request."""
    first, space, rest = entry.strip().partition(" ")
    method, url = (first, rest.strip()) if space else ("POST", entry.strip())
    scheme, slashes, bare = url.rpartition("://")
    host, _, path = bare.partition("/")
    name = host.rpartition(":")[0] or host
    is_own = name == "localhost" or _address(name.strip("[]")) is not None
    origin = f"{scheme if slashes and is_own else 'http' if is_own else 'https'}://{host}"
    method = method.upper() if method.upper() in METHODS else "POST"
    line = f"{method} {origin}/{path.strip('/') or 'v1/chat/completions'}"
    try:
        origin_of(origin)
    except ValueError:
        line = _EXAMPLE
    return f"it takes a method (GET or POST), a host and a path, like {line!r}"


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return None
    return None if "%" in host else found


def _is_name(host: str) -> bool:
    is_number = _NUMBER.fullmatch(host.rpartition(".")[2])
    return len(host) <= 253 and bool(_NAME.fullmatch(host)) and not is_number


def _short(text: str) -> str:
    return repr(text if len(text) <= _STRANGE else f"{text[:_STRANGE]}…")
