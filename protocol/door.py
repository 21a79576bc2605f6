"""The door: what a bot asks for on descriptor 4, and what it is answered on 3; a line of JSON each.

docs/protocol.md explains it. A league grants a door to a bot with the names that it may ask.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from protocol.errors import ProtocolError
from protocol.lines import INTEGER_LIMIT, UNREADABLE, why_unreadable
from protocol.messages import schemas_of

READS, WRITES = 3, 4
"""The descriptors by which a bot reads answers and writes requests."""
VARIABLE = "ARENA_DOOR"
"""The variable of a bot's environment that names them, as `3,4`."""
URL_VARIABLE = "ARENA_DOOR_URL"
"""The variable that names the HTTP endpoint, which a bot in bwrap has."""
PORT = 8377
"""The port of the HTTP endpoint on 127.0.0.1, in the bot's own network."""


class DoorRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request that the referee is to make for the bot."""

    id: Annotated[int, Meta(ge=0, le=INTEGER_LIMIT, description="To be repeated in the answer.")]
    url: Annotated[str, Meta(description="The whole address: https://NAME/path?query.")]
    method: Annotated[
        Literal["GET", "POST"] | None, Meta(description="If none: POST with a body, or GET.")
    ] = None
    headers: Annotated[dict[str, str], Meta(description="Of these, harmless ones are sent.")] = {}
    body: Annotated[str | None, Meta(description="The body, if it is text.")] = None
    body64: Annotated[str | None, Meta(description="Instead: any bytes, in base64.")] = None


class DoorAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of a request: a status with a body, or an error."""

    id: Annotated[int, Meta(description="The id of the request.")]
    status: Annotated[int | None, Meta(description="The status of HTTP, such as 200.")] = None
    headers: Annotated[dict[str, str], Meta(description="The headers, by small letters.")] = {}
    body: Annotated[str | None, Meta(description="The body, if it is UTF-8.")] = None
    body64: Annotated[str | None, Meta(description="Instead: any other, in base64.")] = None
    error: Annotated[
        str | None, Meta(description="In a sentence: what was refused or failed, what to do.")
    ] = None


_request = msgspec.json.Decoder(DoorRequest)


def read_request(line: bytes) -> DoorRequest:
    """Return the request on `line`; raise ProtocolError with a reason for the bot's author."""
    try:
        return _request.decode(line)
    except UNREADABLE as error:
        raise ProtocolError(why_unreadable(line, error)) from None


def door_schemas() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a request and of an answer: one `$defs` entry each."""
    return schemas_of((DoorRequest, DoorAnswer), "Bot Arena door, version 1")
