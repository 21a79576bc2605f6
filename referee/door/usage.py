"""What a request took: bytes, tokens and what they cost, from what went out and came in; pure."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from protocol.errors import ProtocolError
from referee.allowed import AllowedRequest
from referee.door.terms import TokenPrice

_MOST_TOKENS = 10**9
_USAGES = ("usage", "usageMetadata")
_INPUT = ("prompt_tokens", "input_tokens", "promptTokenCount", "inputTokens")
_MORE_INPUT = (
    *("cache_creation_input_tokens", "cache_read_input_tokens", "cacheWriteInputTokens"),
    *("cacheReadInputTokens", "toolUsePromptTokenCount"),
)
_OUTPUT = ("completion_tokens", "output_tokens", "candidatesTokenCount", "outputTokens")
_MODEL_WORDS = ("model", "fallback")
_MODEL_KEYS = frozenset(
    {"engine", "deployment", "deploymentid", "deploymentname", "preset", "assistantid"}
    | {"cachedcontent", "servicetier", "speed"}
)
"""Keys of a request that name what answers it, or how dearly, beside those with such words."""
_MORE_OUTPUT = ("thoughtsTokenCount",)
_HOLDERS = ("message", "response")
"""Keys of an event below which its usage may stand."""


class Usage(msgspec.Struct, frozen=True):
    """What one request took."""

    sent: int = 0
    """Bytes of its body."""
    got: int = 0
    """Bytes of the body of its answer, as the provider sent them."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """In the unit of the prices."""
    is_metered: bool = True
    """Whether the provider said the tokens; else, with a price, bytes are counted as tokens."""


class Metering:
    """Counts what requests cost, by the prices of models."""

    def __init__(self, prices: Mapping[str, TokenPrice], *, strict: bool) -> None:
        self._prices = prices
        self._strict = strict
        names = "|".join(map(re.escape, sorted(prices, key=len, reverse=True)))
        verb = "(?::[a-z]+[A-Z][A-Za-z]*)?"  # as of Google: model:generateContent
        self._in_target = re.compile(rf"(?<=[/=])({names})(?={verb}(?:[/?&]|$))")
        """Finds the models that a path or a query names."""

    def price_of(self, entry: AllowedRequest, target: str, body: bytes) -> TokenPrice | None:
        """Return the price of the models that a request names; None if it names none of a price.

        If it names several, as some providers let one stand in for another, it is the dearest of
        each kind. Raises ProtocolError, if it is strict, for one without a price, for a request
        that names none, and for a body that could be read in two ways.
        """
        if not self._prices:
            return None
        try:
            named = self._models(entry, target, body)
        except ProtocolError as error:
            if self._strict:
                raise self._refused(str(error)) from None
            return None
        unpriced = [each for each in named if each[0] not in self._prices]
        if self._strict and (unpriced or not named):
            raise self._refused(
                f"{unpriced[0][0][:60]!r}, in its {unpriced[0][1]}, has no price"
                if unpriced
                else "no model is named"
            )
        prices = [self._prices[name] for name, _ in named if name in self._prices]
        if not prices:
            return None
        return TokenPrice(
            input=max(price.input for price in prices),
            output=max(price.output for price in prices),
        )

    def measure(self, price: TokenPrice | None, sent: int, status: int, body: bytes) -> Usage:
        """Return what a request took, of so many bytes, that was answered so."""
        tokens = tokens_of(body)
        got = len(body)
        if tokens is None:
            if price is None or not 200 <= status < 300:
                return Usage(sent, got, is_metered=price is None)
            return Usage(sent, got, sent, got, _cost(price, sent, got), is_metered=False)
        cost = 0.0 if price is None else _cost(price, *tokens)
        return Usage(sent, got, *tokens, cost)

    def _models(self, entry: AllowedRequest, target: str, body: bytes) -> list[tuple[str, str]]:
        """Return what a request names in the places of models, and where: path, query, body."""
        priced = [*self._in_target.finditer(target)]
        named = [(match[1], "path") for match in priced]
        for start, chosen in entry.chosen(target):
            if not any(match.start(1) <= start < match.end(1) for match in priced):
                named.append((chosen, "path"))
        return named + (_models_in(body) if entry.method == "POST" else [])

    def _refused(self, why: str) -> ProtocolError:
        return ProtocolError(
            f"this league has a limit of spend, and of the request {why}: name none but "
            f'{", ".join(self._prices)}, as "model" in a body of JSON, and let [door] have prices '
            "for all that bots may name."
        )


def tokens_of(body: bytes) -> tuple[int, int] | None:
    """Return the tokens, in and out, that an answer says; None if it says none."""
    most: tuple[int, int] | None = None
    for each in _objects(body):
        for holder in (each, *(each.get(key) for key in _HOLDERS)):
            usages = map(holder.get, _USAGES) if isinstance(holder, dict) else ()
            for usage in usages:
                if not isinstance(usage, dict) or usage.keys().isdisjoint((*_INPUT, *_OUTPUT)):
                    continue
                into = _tokens(usage, _INPUT) + sum(_tokens(usage, (key,)) for key in _MORE_INPUT)
                out = _tokens(usage, _OUTPUT) + _tokens(usage, _MORE_OUTPUT)
                most = (max(into, most[0]), max(out, most[1])) if most else (into, out)
    return most


def _objects(body: bytes) -> Iterator[dict[str, Any]]:
    """Yield the object of an answer, or those of its events."""
    stripped = body.lstrip()
    if stripped.startswith(b"{"):
        pieces = [stripped]
    else:
        # All events are looked at: some providers say the input first and the output last.
        pieces = [line[5:] for line in body.splitlines() if line.startswith(b"data:")]
        pieces = [piece for piece in pieces if b'"usage' in piece]
    for piece in pieces:
        try:
            found = msgspec.json.decode(piece)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _tokens(usage: dict[str, Any], keys: tuple[str, ...]) -> int:
    for key in keys:
        value = usage.get(key)
        if isinstance(value, int | float) and 0 <= value <= _MOST_TOKENS:
            return int(value)
    return 0


def _cost(price: TokenPrice, tokens_in: int, tokens_out: int) -> float:
    return (tokens_in * price.input + tokens_out * price.output) / 1e6


def _models_in(body: bytes) -> list[tuple[str, str]]:
    """Return the models that a body names, wherever it does, each with that.

    Keys are compared as the laxest readers do, without regard to capitals. Raises ProtocolError
    for a body that is no JSON, or has a key twice, of which programs differ in which they take.
    """
    found: list[tuple[str, str]] = []

    def take(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys: set[str] = set()
        for key, value in pairs:
            folded = key.casefold()
            if folded in keys:
                raise ProtocolError(f"the body has the key {key[:40]!r} twice")
            keys.add(folded)
            if _names_a_model(folded):
                found.extend((name, f"key {key[:40]!r}") for name in _names_in(value))
        return dict(pairs)

    try:
        json.loads(body.decode("utf-8"), object_pairs_hook=take)
    except (ValueError, RecursionError):
        raise ProtocolError("the body is no JSON") from None
    return found


def _names_a_model(key: str) -> bool:
    """Return whether a key, in small letters, says what is to answer a request."""
    plain = key.replace("_", "").replace("-", "")
    return plain in _MODEL_KEYS or any(word in plain for word in _MODEL_WORDS)


def _names_in(value: Any) -> Iterator[str]:
    """Yield the names that such a key has: one, several, or those of objects that have one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _names_in(each)
    elif isinstance(value, dict):  # its keys of models were looked at
        yield from (each for key in ("id", "name") if isinstance(each := value.get(key), str))
    elif value is not None:
        yield json.dumps(value)
