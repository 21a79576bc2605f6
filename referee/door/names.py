"""The names that a league's door opens to, and the addresses (URLs) of requests; pure.

An address is compared as text: nothing in it is decoded, folded or completed before it is compared,
so that there are no two readings of it.
"""

import ipaddress
import re
from collections.abc import Collection, Mapping
from typing import Literal

import msgspec

from protocol.errors import ProtocolError

URL_LIMIT = 8192
"""The longest address of a request, in characters."""

_LABEL = r"(?!-)[a-z0-9-]{1,63}(?<!-)"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})+")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""A last label like this makes a name an IPv4 address for some programs."""
_WRITTEN = re.compile(r"(https?)://(.*)", re.DOTALL)
_HOST_AND_PORT = re.compile(r"(\[[0-9a-f:.]+\]|[^:\[\]]*)(?::([1-9][0-9]{0,4}))?", re.DOTALL)
_AUTHORITY = re.compile(r"([a-z]+)://([^/?#]*)(.*)", re.DOTALL)
_TARGET = re.compile(r"(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?")
_STRANGE = 40  # characters of an address that are quoted

Scheme = Literal["http", "https"]


class Destination(msgspec.Struct, frozen=True):
    """Where requests to one allowed name go."""

    name: str
    """As `allow` has it."""
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

    @property
    def authorities(self) -> tuple[str, ...]:
        """The ways to write it in an address: the port may be left out if it is the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return tuple({self.authority: None, f"{host}:{self.port}": None})


_PORTS: Mapping[str, int] = {"http": 80, "https": 443}


def place_of(name: str) -> Destination:
    """Return what an entry of `allow` stands for; raise ValueError with a sentence if nothing."""
    written = _WRITTEN.fullmatch(name)
    scheme: Scheme = "http" if written and written[1] == "http" else "https"
    found = _HOST_AND_PORT.fullmatch(written[2] if written else name)
    host = found[1] if found else ""
    if not host or found is None or int(found[2] or 1) > 65535:
        raise ValueError(
            f"{name!r} is no name: write it like api.example.org or api.example.org:8443"
        )
    address = _address(host.strip("[]"))
    port = int(found[2] or _PORTS[scheme])
    if host == "localhost" or address is not None:
        if not written:
            raise ValueError(f"{name!r} is no name of the web: write it out, like http://{name}")
        return Destination(name, scheme, "localhost" if address is None else str(address), port)
    if not _is_name(host):
        raise ValueError(
            f"{name!r} is no name: it takes a whole name in small letters, like api.example.org "
            "(IDNA: xn--…), without user, path or dot at its end"
        )
    if written:
        raise ValueError(
            f"{name!r} has a scheme: write {name.removeprefix(f'{scheme}://')!r}, which is asked "
            "by https; only localhost and IP addresses are written out"
        )
    return Destination(name, "https", host, port)


def places_of(names: Collection[str]) -> dict[str, Destination]:
    """Return entries of `allow` by name; raise ValueError for a bad one, or two of one host."""
    found: dict[str, Destination] = {}
    taken: dict[str, str] = {}
    for name in names:
        place = found[name] = place_of(name)
        for authority in place.authorities:
            other = taken.setdefault(authority, name)
            if other != name:
                raise ValueError(f"{other!r} and {name!r} are one host and port: keep one of them")
    if len(found) < len(names):
        raise ValueError("a name is there twice")
    return found


class Doorplate:
    """What one bot may ask: finds the place, and the path, of an address that it gave."""

    __slots__ = ("_by_authority", "_by_url", "names")

    def __init__(self, places: Collection[Destination]) -> None:
        self.names = tuple(place.name for place in places)
        self._by_url: dict[tuple[str, str], Destination] = {
            (place.scheme, authority): place for place in places for authority in place.authorities
        }
        self._by_authority = {
            authority: place for place in places for authority in place.authorities
        }

    def find(self, url: str) -> tuple[Destination, str]:
        """Return the place that an address names, and its path; raise ProtocolError if refused."""
        found = _AUTHORITY.fullmatch(url) if len(url) <= URL_LIMIT else None
        if found is None:
            raise ProtocolError(f"{_short(url)} is no address like https://{self._example}/path.")
        place = self._by_url.get((found[1], found[2]))
        return self._found(place, found[2], found[3], url)

    def find_path(self, path: str) -> tuple[Destination, str]:
        """Return the same for `/HOST/rest`, as the endpoint of HTTP has it."""
        if len(path) > URL_LIMIT or not path.startswith("/"):
            raise ProtocolError(f"{_short(path)} is no path like /{self._example}/path.")
        authority, slash, rest = path[1:].partition("/")
        return self._found(self._by_authority.get(authority), authority, slash + rest, path)

    @property
    def _example(self) -> str:
        return self.names[0].rpartition("/")[2] if self.names else "HOST"

    def _found(
        self, place: Destination | None, authority: str, target: str, whole: str
    ) -> tuple[Destination, str]:
        if place is None:
            raise ProtocolError(
                f"{_short(authority)} is none of the names that this bot may ask, written just so: "
                f"{', '.join(self.names) or 'there are none'}."
            )
        if target.startswith("?"):
            target = f"/{target}"
        if not _TARGET.fullmatch(target) or target.startswith("//"):
            raise ProtocolError(
                f"the path of {_short(whole)} has something that is not sent: percent-encode all "
                "but letters, digits and -._~!$&'()*+,;=:@/?, and leave out a #fragment."
            )
        return place, target or "/"


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
