"""What a league's door opens to, and on which terms: `[door]` of its file."""

import re
from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from protocol.errors import ArenaError
from referee.door.names import places_of
from referee.limits import PositiveSeconds, Seconds

Price = Annotated[float, Meta(ge=0, le=1e9)]
BEARER = "authorization: Bearer {key}"
"""How a key is sent, unless `headers` says otherwise."""
_SHARE = 0.75  # of a decision's time: the most that one request may take
KEY_BYTES = 8
"""The shortest key: a shorter one could not be struck out of answers without giving it away."""
_HEADER = re.compile(r"([A-Za-z0-9-]{1,64}): ?([\x21-\x7e ]*\{key\}[\x21-\x7e ]*)")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OURS = ("host", "content-length", "transfer-encoding", "connection", "idempotency-key", "upgrade")


class TokenPrice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model costs for a million tokens, in any unit; that of `spend` is the same."""

    input: Price
    output: Price


class DoorTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The terms of a league's door; times are in seconds."""

    allow: tuple[str, ...]
    """The names that bots may be allowed to ask: `api.example.org`, by https on port 443, or
    `api.example.org:8443`; or, for a model of one's own, `http://localhost:11434`."""
    keys: dict[str, str] = {}
    """By name, the variable of the organizer's environment that holds its key."""
    headers: dict[str, str] = {}
    """By name, the header that its key is sent in, if it is not `authorization: Bearer {key}`."""
    spend: Annotated[float, Meta(gt=0)] | None = None
    """The most that one bot may cost in the league, in the unit of the prices.

    Requests that are open when it is reached are still counted.
    """
    requests_per_minute: Annotated[int, Meta(ge=1, le=1_000_000)] = 60
    """The most requests to one name in any minute, of all bots together."""
    at_once: Annotated[int, Meta(ge=1, le=10_000)] = 100
    """The most requests to one name at a time, of all bots together."""
    timeout: PositiveSeconds = 120.0
    """Of one request, from its beginning to the end of its answer; at most three quarters of a
    decision's time."""
    patience: Seconds = 60.0
    """In which a request that fails by the provider's doing is tried again."""
    outages: Annotated[int, Meta(ge=0, le=1000)] = 3
    """How often a match is broken off by an outage and goes on, in one run."""
    request_kb: Annotated[int, Meta(ge=1, le=1 << 16)] = 1024
    """The longest body of a request, in KiB."""
    answer_kb: Annotated[int, Meta(ge=1, le=1 << 16)] = 4096
    """The longest body of an answer, in KiB."""
    prices: dict[str, TokenPrice] = {}
    """By the name of a model, as requests have it."""

    def __post_init__(self) -> None:
        """Raise ValueError, with a sentence, for entries that cannot be meant."""
        places = places_of(self.allow)
        for table in ("keys", "headers"):
            for name in getattr(self, table):
                if name not in places:
                    raise ValueError(
                        f"{table} has {name!r}, which is not in allow: add it there, or take it "
                        "out here"
                    )
        for name, variable in self.keys.items():
            if not _VARIABLE.fullmatch(variable):
                raise ValueError(
                    f"keys has {_hidden(variable)} for {name!r}, which is no name of a variable: "
                    "write the name of a variable of your environment, not the key itself"
                )
        for name, line in self.headers.items():
            if name not in self.keys:
                raise ValueError(f"headers has {name!r}, for which keys has no variable: add it")
            found = _HEADER.fullmatch(line)
            if found is None or line.count("{key}") > 1 or found[1].lower() in _OURS:
                raise ValueError(
                    f"headers has {line!r} for {name!r}: write it like 'x-api-key: {{key}}'"
                )
        if self.spend is not None and not self.prices:
            raise ValueError(
                "spend needs prices, for a million tokens: add "
                "'prices = { \"model-x\" = { input = 2.5, output = 10 } }'"
            )

    def within(self, move_time: float) -> "DoorTerms":
        """Return the terms for bots that have so many seconds for a decision.

        A provider that hangs is found out before the bot is late by its doing.
        """
        return msgspec.structs.replace(self, timeout=min(self.timeout, _SHARE * move_time))

    def header_of(self, name: str) -> tuple[str, str]:
        """Return the header that the key of a name is sent in, and its value with `{key}`."""
        header, _, value = self.headers.get(name, BEARER).partition(":")
        return header.lower(), value.strip()


def keys_of(terms: DoorTerms, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the keys by name; raise ArenaError for a variable that is not set or holds none."""
    found = {}
    for name, variable in terms.keys.items():
        key = environ.get(variable, "").strip()
        if not key:
            raise ArenaError(
                f"the variable {variable} is not set, which is to hold the key of {name}: export "
                f"{variable}=… and start again."
            )
        if not key.isascii() or not key.isprintable() or len(key) < KEY_BYTES:
            raise ArenaError(
                f"the variable {variable} holds no key for {name}: it takes at least {KEY_BYTES} "
                "characters of ASCII in one line."
            )
        found[name] = key
    return found


def _hidden(text: str) -> str:
    """Return how a text begins, which may be a key that was written in the wrong place."""
    return repr(f"{text[:3]}…")
