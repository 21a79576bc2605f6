"""What a league's door opens to, and on which terms: `[door]` of its file."""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from protocol.errors import ArenaError
from referee.allowed import all_allowed, origin_of
from referee.limits import PositiveSeconds, Seconds

Price = Annotated[float, Meta(ge=0, le=1e9)]
OUTAGE_WAIT = 300.0
"""Seconds for which a match waits, in all, for what a bot of it cannot reach."""

BEARER = "authorization: Bearer {key}"
"""How a key is sent, unless `headers` says otherwise."""
_HELD = 10.0  # times a decision's time: how long the rates may hold a bot up in a match
_SHARE = 0.75  # of a decision's time: the most that one request may take
KEY_BYTES = 8
"""The shortest key: a shorter one could not be struck out of answers without giving it away."""
_HEADER = re.compile(r"([A-Za-z0-9-]{1,64}): ?([\x21-\x7e ]*\{key\}[\x21-\x7e ]*)")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OURS = ("host", "content-length", "transfer-encoding", "connection", "idempotency-key", "upgrade")


def _allowed(example: str) -> Meta:
    return Meta(extra={"allowed": f"a table such as {example}"})


class TokenPrice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model costs for a million tokens, in any unit; that of `spend` is the same."""

    input: Price
    output: Price


class DoorTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The terms of a league's door; times are in seconds."""

    allow: tuple[str, ...]
    """The requests that bots may be allowed to make, as `referee.allowed` has them:
    `POST https://api.example.org/v1/chat/completions`, with `*` for any one segment of a path."""
    keys: Annotated[dict[str, str], _allowed('{ "https://api.example.org" = "MY_KEY" }')] = {}
    """By origin (`https://api.example.org`), the variable of the organizer's environment that holds
    its key."""
    bot_keys: Annotated[
        dict[str, dict[str, str]],
        _allowed('{ mine = { "https://api.example.org" = "ITS_KEY" } }'),
    ] = {}
    """By bot, the same for keys that are its own, and are sent in place of the others."""
    headers: Annotated[
        dict[str, str], _allowed('{ "https://api.example.org" = "x-api-key: {key}" }')
    ] = {}
    """By origin, the header that its key is sent in, if it is not `authorization: Bearer {key}`."""
    spend: Annotated[float, Meta(gt=0)] | None = None
    """The most that one bot may cost in the league, in the unit of the prices.

    Requests that are open when it is reached are still counted.
    """
    requests_per_minute: Annotated[int, Meta(ge=1, le=1_000_000)] = 60
    """The most requests to one origin in any minute, of all bots together; each has a share."""
    at_once: Annotated[int, Meta(ge=1, le=10_000)] = 100
    """The most requests to one origin at a time, of all bots together."""
    timeout: PositiveSeconds = 120.0
    """Of one request, from its beginning to the end of its answer; at most three quarters of a
    decision's time."""
    outage_wait: Seconds = OUTAGE_WAIT
    """In a match, in which requests of one bot that fail by the provider's doing are tried again;
    after that, each that fails is its fault."""
    shared: tuple[str, ...] = ()
    """Requests of our own, one to an origin: `GET https://api.example.org/v1/models`. Where such a
    one fails too, an outage is nobody's, and the matches wait."""
    absence: Seconds = 3600.0
    """How long they wait in a run, in all; then it ends, and they go on in the next one."""
    held_seconds: Seconds | None = None
    """How long the rates may hold up one bot in a match while its clock stands still; by default,
    ten times what it has for a decision."""
    request_kb: Annotated[int, Meta(ge=1, le=1 << 16)] = 1024
    """The longest body of a request, in KiB."""
    answer_kb: Annotated[int, Meta(ge=1, le=1 << 16)] = 4096
    """The longest body of an answer, in KiB."""
    prices: Annotated[
        dict[str, TokenPrice], _allowed('{ "model-x" = { input = 2.5, output = 10 } }')
    ] = {}
    """By the name of a model, as requests have it, in their bodies or their paths."""

    def __post_init__(self) -> None:
        """Raise ValueError, with a sentence, for entries that cannot be meant."""
        origins = {str(entry.origin) for entry in all_allowed(self.allow).values()}
        of_bots = {f"bot_keys of {bot}": own for bot, own in self.bot_keys.items()}
        for table, entries in {"keys": self.keys, "headers": self.headers, **of_bots}.items():
            for origin in entries:
                origin_of(origin)
                if origin not in origins:
                    raise ValueError(
                        f"{table} has {origin!r}, to which allow lets nothing through: add a "
                        "request there, or take it out here"
                    )
        for table, entries in {"keys": self.keys, **of_bots}.items():
            for origin, variable in entries.items():
                if not _VARIABLE.fullmatch(variable):
                    raise ValueError(
                        f"{table} has {_hidden(variable)} for {origin!r}, which is no name of a "
                        "variable: write the name of a variable of your environment, not the key "
                        "itself"
                    )
        for origin, line in self.headers.items():
            if not any(origin in keys for keys in (self.keys, *self.bot_keys.values())):
                raise ValueError(f"headers has {origin!r}, for which keys has no variable: add it")
            found = _HEADER.fullmatch(line)
            if found is None or line.count("{key}") > 1 or found[1].lower() in _OURS:
                raise ValueError(
                    f"headers has {line!r} for {origin!r}: write it like 'x-api-key: {{key}}'"
                )
        for entry, request in all_allowed(self.shared).items():
            if str(request.origin) not in origins or "*" in request.segments:
                raise ValueError(
                    f"shared has {entry!r}: write one request, without '*', to an origin of allow, "
                    "such as 'GET https://api.example.org/v1/models'"
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
        held = _HELD * move_time if self.held_seconds is None else self.held_seconds
        timeout = min(self.timeout, _SHARE * move_time)
        return msgspec.structs.replace(self, timeout=timeout, held_seconds=held)

    def variables_of(self, bot: str) -> dict[str, str]:
        """Return the variables that hold the keys of a bot, by origin; `bot` is its name."""
        return {**self.keys, **self.bot_keys.get(bot, {})}

    def header_of(self, origin: str) -> tuple[str, str]:
        """Return the header that the key of an origin is sent in, and its value with `{key}`."""
        header, _, value = self.headers.get(origin, BEARER).partition(":")
        return header.lower(), value.strip()


def keys_of(terms: DoorTerms, environ: Mapping[str, str], bots: Iterable[str]) -> dict[str, str]:
    """Return the keys of these bots by variable; raise ArenaError for one that is not there."""
    found = {}
    for bot in bots:
        for origin, variable in terms.variables_of(bot).items():
            key = environ.get(variable, "").strip()
            if not key:
                raise ArenaError(
                    f"the variable {variable} is not set, which is to hold the key of {origin}: "
                    f"export {variable}=… and start again."
                )
            if not key.isascii() or not key.isprintable() or len(key) < KEY_BYTES:
                raise ArenaError(
                    f"the variable {variable} holds no key for {origin}: it takes at least "
                    f"{KEY_BYTES} characters of ASCII in one line."
                )
            found[variable] = key
    return found


def _hidden(text: str) -> str:
    """Return how a text begins, which may be a key that was written in the wrong place."""
    return repr(f"{text[:3]}…")
