"""The published JSON Schema of the messages against messages, right and wrong."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from protocol.errors import ProtocolError
from protocol.lines import encode
from protocol.messages import (
    VERSION,
    Ask,
    End,
    Hello,
    Ready,
    Reply,
    Start,
    TimeControl,
    TimeLeft,
    message_schemas,
    read_ready,
    read_reply,
)

SCHEMAS = message_schemas()
MESSAGES = ("Hello", "Start", "Ask", "End", "Ready", "Reply")
LEFT = TimeLeft(0.5, 0.0)
EXAMPLES: dict[str, msgspec.Struct] = {
    "hello": Hello(VERSION, "my_bot"),
    "start": Start(
        match="0123456789abcdef-0",
        game="cold_war",
        seat=0,
        seats=4,
        options={"talk": False},
        table={"map": []},
        clock=TimeControl(judge="wall", move_time=0.5, bank=10.0, increment=0.1),
        seed=123,
    ),
    "ask with a list": Ask(id=1, decision="play", view={}, legal=[{"play": "arm"}], clock=LEFT),
    "ask with limits": Ask(id=2, decision="play", view={"a": [1]}, limits={"max": 4}, clock=LEFT),
    "end": End([1, 3, 1, 3], "attack"),
    "ask with samples": Ask(
        id=3, decision="play", view={}, limits={}, samples=[{"play": "arm"}], clock=LEFT
    ),
    "ready": msgspec.convert({"type": "ready"}, Ready),
    "ready for samples": Ready("ready", 16),
    "reply": Reply(1, {"play": "arm", "add": [0, 2, 1, 1]}),
    "reply with a note": Reply(1, {}, "better safe"),
}


def fits(name: str, message: Any) -> bool:
    """Return whether a message is of a kind, as the schema has it."""
    return Draft202012Validator({**SCHEMAS, "$ref": f"#/$defs/{name}"}).is_valid(message)


def sent(message: msgspec.Struct) -> Any:
    """Return a message as a bot's JSON reader finds it."""
    return msgspec.json.decode(encode(message))


def test_the_schema_is_a_schema_of_this_version_and_describes_every_message_and_field() -> None:
    """`type` says no more than the definition's name."""
    Draft202012Validator.check_schema(SCHEMAS)
    assert SCHEMAS["title"].endswith(f"version {VERSION}")
    shapes = SCHEMAS["$defs"]
    assert {*MESSAGES} <= shapes.keys()
    for name, shape in shapes.items():
        assert shape["description"].endswith("."), name
        for field, found in shape["properties"].items():
            described = shapes[found["$ref"].removeprefix("#/$defs/")] if "$ref" in found else found
            assert field == "type" or described["description"].endswith("."), (name, field)


@pytest.mark.parametrize("message", EXAMPLES.values(), ids=EXAMPLES)
def test_a_message_fits_its_schema_alone_and_with_all_its_fields_right(
    message: msgspec.Struct,
) -> None:
    name, found = type(message).__name__, sent(message)
    assert [each for each in MESSAGES if fits(each, found)] == [name]
    for field in found:
        assert not fits(name, {**found, field: True}), field
    for field in SCHEMAS["$defs"][name]["required"]:
        cut = {key: value for key, value in found.items() if key != field}
        assert not fits(name, cut), field


WRONG_REPLIES: list[Any] = [
    *([], {"move": {}}, {"id": 1}, {"id": 1, "move": None}, {"id": 1, "move": []}),
    *({"id": number, "move": {}} for number in ("1", True)),
    *({"id": 1, "move": {}, "note": 1}, {"id": 1, "move": {}, "type": "reply"}),
]


WRONG_READY: list[Any] = [
    *({}, {"type": "go"}, {"type": 1}, {"type": "ready", "name": "x"}, ["ready"], {"samples": 4}),
    *({"type": "ready", "samples": value} for value in (-1, 17, 10**9, True, "4", None, 0.5, [4])),
]


@pytest.mark.parametrize(
    ("name", "read", "wrong"),
    [("Reply", read_reply, WRONG_REPLIES), ("Ready", read_ready, WRONG_READY)],
)
def test_schema_and_referee_refuse_the_same_answers(
    name: str, read: Callable[[bytes], object], wrong: list[Any]
) -> None:
    for each in wrong:
        assert not fits(name, each), each
        with pytest.raises(ProtocolError):
            read(encode(each))


def test_a_bot_may_meet_new_fields_in_what_the_referee_sends() -> None:
    assert fits("End", {**sent(End([1, 2], "lead")), "new": 1})
