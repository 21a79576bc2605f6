"""Sessions: who entered with a token, kept in a signed cookie; and guesses at tokens, counted."""

import hashlib
import hmac
import secrets
from collections import OrderedDict, deque
from time import monotonic

import msgspec
from itsdangerous import BadSignature, URLSafeTimedSerializer

from arena.handin.people import Person
from arena.serve.connections import network_of

SESSION_SECONDS = 30 * 86_400
"""How long a session lasts."""

_NONCE_BYTES = 16
_MOST_ADDRESSES = 10_000
_MOST_KNOWN = 4096
_WRONG = 10  # tokens ...
_SECONDS = 60.0  # ... within so many seconds, after which an address has to wait


class Session(msgspec.Struct, frozen=True, array_like=True):
    """What a cookie says, once its signature was found to be ours."""

    person: int
    version: int
    """The version of the person's token when the session began: with another one it has ended."""
    csrf: str
    """What a form or script of the same origin sends back."""


class Sessions:
    """The sessions of one league.

    Args:
        league: its name on the server.
        key: that signs its cookies.

    """

    def __init__(self, league: str, key: bytes) -> None:
        self._serializer = URLSafeTimedSerializer(
            key, salt=f"arena session {league}", signer_kwargs={"digest_method": hashlib.sha256}
        )
        self._name = f"arena-{league}"

    def cookie_name(self, *, secure: bool) -> str:
        """Return the cookie's name: one that a browser takes only from this host, if it can."""
        return f"__Host-{self._name}" if secure else self._name

    def begin(self, person: Person) -> str:
        """Return the cookie of a new session."""
        return self._serializer.dumps(
            [person.number, person.version, secrets.token_urlsafe(_NONCE_BYTES)]
        )

    def read(self, cookie: str) -> Session | None:
        """Return what a cookie says; None unless we signed it for this league, and lately."""
        try:
            found = self._serializer.loads(cookie, max_age=SESSION_SECONDS)
            return msgspec.convert(found, Session)
        except (BadSignature, msgspec.ValidationError):
            return None


def is_same(one: str, other: str) -> bool:
    """Return whether two secrets are the same, in a time that does not depend on what they are."""
    return hmac.compare_digest(one.encode(), other.encode())


class Guesses:
    """Wrong tokens, by address; one with too many has to wait, and nobody else does.

    Tokens that were right before are right at once, so that nobody is held up by a neighbour
    behind the same address.
    """

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()
        self._known: OrderedDict[bytes, None] = OrderedDict()

    def wait(self, address: str, token: str) -> float:
        """Return for how many seconds a token from an address is not looked at; 0 if it is."""
        found = self._wrong.get(network_of(address))
        if found is None or len(found) < _WRONG or _hash(token) in self._known:
            return 0.0
        return max(0.0, found[0] + _SECONDS - monotonic())

    def note(self, address: str, token: str, *, right: bool) -> None:
        """Take note of a token that was looked at."""
        if right:
            self._known[_hash(token)] = None
            self._known.move_to_end(_hash(token))
            if len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
            return
        network = network_of(address)
        self._wrong.setdefault(network, deque(maxlen=_WRONG)).append(monotonic())
        self._wrong.move_to_end(network)
        if len(self._wrong) > _MOST_ADDRESSES:
            self._wrong.popitem(last=False)


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()
