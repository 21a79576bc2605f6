"""The messages of the protocol, version 1: four from the referee, two from the bot."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from protocol.errors import ProtocolError
from protocol.lines import (
    INTEGER_LIMIT,
    UNREADABLE,
    count_keys,
    refuse_repeated_keys,
    why_unreadable,
)

VERSION = 1
"""The protocol's version, sent in `hello`; it grows only when old bots would break."""
NOTE_LIMIT = 1024
"""How many characters of a reply's note are kept."""
SAMPLES_LIMIT = 16
"""How many samples of legal moves a bot may want with an ask."""

Seconds = Annotated[float, Meta(ge=0)]


class Hello(msgspec.Struct, tag="hello", tag_field="type", frozen=True, omit_defaults=True):
    """Opens the conversation; the bot gets ready and says so."""

    protocol: Annotated[int, Meta(description="The protocol's version.")]
    name: Annotated[str, Meta(description="The bot's name in this league.")]
    threads: Annotated[
        int, Meta(ge=1, description="How many of the bot's threads can run at a time, if not one.")
    ] = 1


class TimeControl(msgspec.Struct, frozen=True, kw_only=True):
    """How a bot's time is judged, in seconds; the same for every seat of a match."""

    judge: Annotated[
        Literal["cpu", "wall"],
        Meta(description="Whether the bot's CPU time counts or the time on the wall."),
    ]
    move_time: Annotated[Seconds, Meta(description="Free at each decision.")]
    bank: Annotated[Seconds, Meta(description="For a match: what exceeds move_time is drawn.")]
    increment: Annotated[Seconds, Meta(description="Added to the bank after each decision.")]


class TimeLeft(msgspec.Struct, frozen=True, gc=False):
    """What a seat may spend on the decision that is asked, in seconds."""

    move_time: Annotated[Seconds, Meta(description="Free for this decision.")]
    bank: Annotated[Seconds, Meta(description="Left in the bank.")]


class Start(msgspec.Struct, tag="start", tag_field="type", frozen=True, kw_only=True):
    """Opens a match; a process plays many, one after another. There is nothing to answer."""

    match: Annotated[str, Meta(description="The match's id, as `arena show` takes it.")]
    game: Annotated[str, Meta(description="The game's name.")]
    seat: Annotated[int, Meta(description="The bot's own seat, from 0.")]
    seats: Annotated[int, Meta(description="How many seats the match has.")]
    options: Annotated[dict[str, Any], Meta(description="The game's options, all of them.")]
    table: Annotated[
        dict[str, Any], Meta(description="The game's constants, such as a map; often empty.")
    ]
    clock: TimeControl
    seed: Annotated[
        int, Meta(description="For the bot's own dice; it tells nothing about the deal.")
    ]


class Ask(
    msgspec.Struct,
    tag="ask",
    tag_field="type",
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    gc=False,
):
    """Asks for one decision. With the start it holds all that a program need know."""

    id: Annotated[int, Meta(description="To be repeated in the reply; grows within a match.")]
    decision: Annotated[str, Meta(description="The decision's name.")]
    view: Annotated[dict[str, Any], Meta(description="All that the seat may know.")]
    legal: Annotated[
        list[dict[str, Any]] | None,
        Meta(description="Every legal move, where the list is not huge."),
    ] = None
    limits: Annotated[
        dict[str, Any] | None, Meta(description="Where it is: what bounds the moves.")
    ] = None
    samples: Annotated[
        list[dict[str, Any]] | None,
        Meta(description="Where it is: legal moves at random, as many as `ready` wanted."),
    ] = None
    clock: TimeLeft


class End(msgspec.Struct, tag="end", tag_field="type", frozen=True):
    """Closes a match. Another start follows, or the end of input: then the bot exits."""

    places: Annotated[
        list[int], Meta(description="By seat: 1 is best, equal numbers share the place.")
    ]
    reason: Annotated[str, Meta(description="In a word, why the match ended.")]


class Ready(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The bot's answer to `hello`."""

    # A field, not a tag: msgspec lets a lone tag be missing.
    type: Annotated[Literal["ready"], Meta(description="What the message is.")]
    samples: Annotated[
        int,
        Meta(
            ge=0,
            le=SAMPLES_LIMIT,
            description="How many legal moves to get with an ask that does not list them.",
        ),
    ] = 0


class Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """The bot's answer to an `ask`."""

    id: Annotated[int, Meta(ge=0, le=INTEGER_LIMIT, description="The id of the ask.")]
    move: Annotated[
        dict[str, Any], Meta(description="The decision's move; its game has the schema.")
    ]
    note: Annotated[
        str | None,
        Meta(description=f"For the author's eyes: {NOTE_LIMIT} characters are kept."),
    ] = None


FROM_REFEREE = (Hello, Start, Ask, End)
FROM_BOT = (Ready, Reply)

_ready = msgspec.json.Decoder(Ready)
_reply = msgspec.json.Decoder(Reply)


def read_ready(line: bytes) -> Ready:
    """Return the `ready` on `line`; raise ProtocolError with a reason for the bot's author."""
    try:
        ready = _ready.decode(line)
    except UNREADABLE as error:
        reason = why_unreadable(line, error)
        raise ProtocolError(f"{reason}{_hint(reason)}") from None
    if line.count(b":") > 1:
        refuse_repeated_keys(line)
    return ready


_PRINTED = "; what is no answer is to be printed to standard error"
_HINTS = {
    "Expected `object`, got `null` at `move`": ": did its choice return nothing?",
    "Object contains unknown field `type`": ": only `ready` has one, and only asks are answered",
}
"""What lies behind some errors of replies, mostly."""


def _hint(reason: str) -> str:
    """Return what lies behind an error, mostly, and what to do; empty if that is not known."""
    is_word = reason.startswith(("not JSON: invalid character", "not JSON: an empty line"))
    is_value = reason.startswith("Expected `object`, got") and " at " not in reason
    return _PRINTED if is_word or is_value else _HINTS.get(reason, "")


def read_reply(line: bytes) -> Reply:
    """Return the reply on `line`; raise ProtocolError with a reason for the bot's author."""
    try:
        reply = _reply.decode(line)
    except UNREADABLE as error:
        reason = why_unreadable(line, error)
        raise ProtocolError(f"{reason}{_hint(reason)}") from None
    keys = count_keys(reply.move) + (2 if reply.note is None else 3)
    if line.count(b":") != keys:
        refuse_repeated_keys(line)
    return reply


def message_schemas() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of every message: one `$defs` entry each."""
    return schemas_of((*FROM_REFEREE, *FROM_BOT), f"Bot Arena protocol, version {VERSION}")


def schemas_of(types: Sequence[type[msgspec.Struct]], title: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of messages: one `$defs` entry each."""
    _, components = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "$defs": components,
    }
