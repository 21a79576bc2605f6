"""The two lines of a door against their published schema, right and wrong."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from protocol.door import DoorAnswer, DoorRequest, door_schemas, read_request
from protocol.errors import ProtocolError
from protocol.lines import encode

SCHEMAS = door_schemas()
URL = "https://api.example.org/v1"
RIGHT = [
    DoorRequest(id=1, url=URL),
    DoorRequest(id=0, url=URL, method="POST", headers={"accept": "*/*"}, body="ä"),
    DoorRequest(id=2**53, url=URL, body64="AA=="),
    DoorAnswer(id=1, status=200, headers={"content-type": "text/plain"}, body=""),
    DoorAnswer(id=1, status=200, body64="AA=="),
    DoorAnswer(id=1, error="why"),
]
WRONG: list[Any] = [
    *([], {}, {"id": 1}, {"url": URL}, {"id": "1", "url": URL}, {"id": -1, "url": URL}),
    *({"id": 1, "url": URL, key: 1} for key in ("method", "headers", "body", "body64")),
    *({"id": 1, "url": URL, "method": method} for method in ("PUT", "get", "")),
    {"id": 1, "url": URL, "headers": {"accept": 1}},
    {"id": 2**53 + 1, "url": URL},
]


def fits(name: str, message: Any) -> bool:
    return Draft202012Validator({**SCHEMAS, "$ref": f"#/$defs/{name}"}).is_valid(message)


@pytest.mark.parametrize("message", RIGHT)
def test_a_line_fits_its_schema(message: DoorRequest | DoorAnswer) -> None:
    line = encode(message)
    assert fits(type(message).__name__, json.loads(line))
    if isinstance(message, DoorRequest):
        assert read_request(line) == message


@pytest.mark.parametrize("message", WRONG)
def test_schema_and_referee_refuse_the_same_requests(message: Any) -> None:
    assert not fits("DoorRequest", message)
    with pytest.raises(ProtocolError):
        read_request(encode(message))


@pytest.mark.parametrize("line", [b"", b"x", b"\xff", b'{"id":1,', b"[" * 5000 + b"]" * 5000])
def test_what_is_no_request_is_refused_with_a_reason(line: bytes) -> None:
    with pytest.raises(ProtocolError, match=r"\w"):
        read_request(line)


def test_every_field_is_described() -> None:
    for shape in SCHEMAS["$defs"].values():
        assert shape["description"].endswith(".")
        for field in shape["properties"].values():
            assert field["description"].endswith(".")
