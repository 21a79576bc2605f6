"""What a request took: bytes, tokens and what they cost, from what went out and came in; pure."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from protocol.errors import ProtocolError
from referee.door.terms import TokenPrice

_MOST_TOKENS = 10**9
_INPUT = ("prompt_tokens", "input_tokens")
_MORE_INPUT = ("cache_creation_input_tokens", "cache_read_input_tokens")
_OUTPUT = ("completion_tokens", "output_tokens")
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

    def price_of(self, body: bytes) -> TokenPrice | None:
        """Return the price of the model that a request names; None if it has none.

        Raises ProtocolError for that, if it is strict, and for a body that could be read in two
        ways.
        """
        if not self._prices:
            return None
        model = _model_of(body, strict=self._strict)
        if self._strict and (model is None or model not in self._prices):
            raise ProtocolError(
                f"this league has a limit of spend, and {_named(model)}: name one of "
                f'{", ".join(self._prices)} as "model" in a body of JSON.'
            )
        return None if model is None else self._prices.get(model)

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


def tokens_of(body: bytes) -> tuple[int, int] | None:
    """Return the tokens, in and out, that an answer says; None if it says none."""
    most: tuple[int, int] | None = None
    for each in _objects(body):
        for holder in (each, *(each.get(key) for key in _HOLDERS)):
            usage = holder.get("usage") if isinstance(holder, dict) else None
            if isinstance(usage, dict) and any(key in usage for key in (*_INPUT, *_OUTPUT)):
                into = _tokens(usage, _INPUT) + sum(_tokens(usage, (key,)) for key in _MORE_INPUT)
                out = _tokens(usage, _OUTPUT)
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
        pieces = [piece for piece in pieces if b'"usage"' in piece]
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
        if type(value) is int and 0 <= value <= _MOST_TOKENS:
            return value
    return 0


def _cost(price: TokenPrice, tokens_in: int, tokens_out: int) -> float:
    return (tokens_in * price.input + tokens_out * price.output) / 1e6


def _model_of(body: bytes, *, strict: bool) -> str | None:
    try:
        found = json.loads(body.decode("utf-8"), object_pairs_hook=_once)
    except _TwiceError as error:
        if not strict:
            return None
        raise ProtocolError(f"the body has the key {str(error)[:40]!r} twice.") from None
    except (ValueError, RecursionError):
        return None
    model = found.get("model") if isinstance(found, dict) else None
    return model if isinstance(model, str) else None


class _TwiceError(Exception):
    """A key that an object has twice: programs differ in which of them they take."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return found


def _named(model: str | None) -> str:
    return "no model is named" if model is None else f"{model[:60]!r} has no price"
