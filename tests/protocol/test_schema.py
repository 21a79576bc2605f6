"""The published JSON Schema of the messages against messages, right and wrong."""

from collections.abc import Iterator
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


def schema(name: str) -> dict[str, Any]:
    """Return the schema of one message by itself."""
    return {**SCHEMAS, "$ref": f"#/$defs/{name}"}


def fits(name: str, message: Any) -> bool:
    """Return whether a message is of a kind, as the schema has it."""
    return Draft202012Validator(schema(name)).is_valid(message)


def sent(message: msgspec.Struct) -> Any:
    """Return a message as a bot's JSON reader finds it."""
    return msgspec.json.decode(encode(message))


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMAS)


@pytest.mark.parametrize("name", MESSAGES)
def test_each_message_has_a_schema_that_says_what_it_is(name: str) -> None:
    assert SCHEMAS["$defs"][name]["description"]


def test_the_title_tells_the_version() -> None:
    assert SCHEMAS["title"].endswith(f"version {VERSION}")


def fields() -> Iterator[tuple[str, str]]:
    """Yield every field of every definition; `type` says no more than the definition's name."""
    for name, shape in SCHEMAS["$defs"].items():
        for field in shape["properties"]:
            if field != "type":
                yield name, field


@pytest.mark.parametrize(("name", "field"), [*fields()])
def test_each_field_is_described(name: str, field: str) -> None:
    shape = SCHEMAS["$defs"][name]["properties"][field]
    if "$ref" in shape:
        shape = SCHEMAS["$defs"][shape["$ref"].removeprefix("#/$defs/")]
    assert shape["description"].endswith(".")


@pytest.mark.parametrize("message", EXAMPLES.values(), ids=EXAMPLES)
def test_a_message_fits_its_schema(message: msgspec.Struct) -> None:
    Draft202012Validator(schema(type(message).__name__)).validate(sent(message))


@pytest.mark.parametrize("message", EXAMPLES.values(), ids=EXAMPLES)
@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_fits_no_other_schema(name: str, message: msgspec.Struct) -> None:
    assert fits(name, sent(message)) is (name == type(message).__name__)


@pytest.mark.parametrize("message", EXAMPLES.values(), ids=EXAMPLES)
def test_no_message_fits_without_a_field_that_is_required(message: msgspec.Struct) -> None:
    name = type(message).__name__
    for field in SCHEMAS["$defs"][name]["required"]:
        cut = {key: value for key, value in sent(message).items() if key != field}
        assert not fits(name, cut), field


@pytest.mark.parametrize("message", EXAMPLES.values(), ids=EXAMPLES)
def test_no_message_fits_with_a_field_of_the_wrong_type(message: msgspec.Struct) -> None:
    name = type(message).__name__
    for field in sent(message):
        assert not fits(name, {**sent(message), field: True}), field


WRONG_REPLIES = {
    "no object": [],
    "no id": {"move": {}},
    "no move": {"id": 1},
    "a null move": {"id": 1, "move": None},
    "a list for a move": {"id": 1, "move": []},
    "a text for an id": {"id": "1", "move": {}},
    "true for an id": {"id": True, "move": {}},
    "a number for a note": {"id": 1, "move": {}, "note": 1},
    "an unknown field": {"id": 1, "move": {}, "type": "reply"},
}


@pytest.mark.parametrize("reply", WRONG_REPLIES.values(), ids=WRONG_REPLIES)
def test_schema_and_referee_refuse_the_same_replies(reply: Any) -> None:
    assert not fits("Reply", reply)
    with pytest.raises(ProtocolError):
        read_reply(encode(reply))


WRONG_READY = [
    *({}, {"type": "go"}, {"type": 1}, {"type": "ready", "name": "x"}, ["ready"], {"samples": 4}),
    *({"type": "ready", "samples": value} for value in (-1, 17, 10**9, True, "4", None, 0.5, [4])),
]


@pytest.mark.parametrize("ready", WRONG_READY)
def test_schema_and_referee_refuse_the_same_words_for_ready(ready: Any) -> None:
    assert not fits("Ready", ready)
    with pytest.raises(ProtocolError):
        read_ready(encode(ready))


def test_a_bot_may_meet_new_fields_in_what_the_referee_sends() -> None:
    assert fits("End", {**sent(End([1, 2], "lead")), "new": 1})
