"""Headers: which of a bot's are sent, and which of a provider's the bot sees; pure.

Of what a bot sends are passed `accept`, `accept-language`, `content-type`, `user-agent`, and names
that begin with `x-` or end with `-version` or `-beta`, if none of their words (between hyphens) is
about who asks, whom, or how: see `_TELLING`. All others are dropped, without an error, as libraries
send many.
"""

import re
from collections.abc import Iterable, Mapping

from protocol.errors import ProtocolError

HEADERS_LIMIT = 16 * 1024
"""The most that the headers of a request may take together, in bytes."""
_PASSED = frozenset({"accept", "accept-language", "content-type", "user-agent"})
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_TELLING = """
access account amz api apikey assertion auth authenticate authentication authorization bearer
billing cache client cluster config connecting conversation cookie credential credentials csrf date
delegate deployment engine envoy fallback fallbacks forward forwarded forwarder goog host http https
idempotency identity ip jwt key keys login method model models ms nonce oauth org organization
origin original pass password path port preset project proto protocol proxy quota real remote
request rewrite route router scheme secret security server session sid sign signature store
subscription thread token tokens upgrade uri url user username vault via xsrf
"""
"""Words of headers that say who asks, whom, or how: none with such a word is passed."""
_UNSEEN = """
alt-svc connection content-length keep-alive proxy-authenticate proxy-authorization proxy-connection
set-cookie set-cookie2 te trailer transfer-encoding upgrade www-authenticate
"""
"""Headers of answers that are between the provider and us."""
_TELLING_WORDS = frozenset(_TELLING.split())
_UNSEEN_NAMES = frozenset(_UNSEEN.split())


def is_passed(name: str) -> bool:
    """Return whether a header of a bot's, in small letters, is sent to a provider."""
    if name in _PASSED:
        return True
    words = re.split(r"[-_.]", name)
    is_open = words[0] == "x" or words[-1] in ("version", "beta")
    return is_open and name.replace("-", "").isalnum() and _TELLING_WORDS.isdisjoint(words)


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
