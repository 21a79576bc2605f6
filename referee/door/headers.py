"""Headers: which of a bot's are sent, and which of a provider's the bot sees; pure.

Of what a bot sends are passed `accept`, `accept-language`, `content-type`, `user-agent`, and names
that end with `-version` or `-beta`. All others are dropped, without an error, as libraries send
many: some say who asks, whom, or how dearly.
"""

import re
from collections.abc import Iterable, Mapping

from protocol.errors import ProtocolError

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
