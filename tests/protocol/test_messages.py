"""What is said: the published schema, ready and replies, and every way to get them wrong."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from protocol.errors import ProtocolError
from protocol.lines import encode
from protocol.messages import (
    FROM_BOT,
    FROM_REFEREE,
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
MESSAGES = [message.__name__ for message in (*FROM_REFEREE, *FROM_BOT)]
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


def test_a_bot_may_meet_new_fields_in_what_the_referee_sends() -> None:
    assert fits("End", {**sent(End([1, 2], "lead")), "new": 1})
    assert MESSAGES == ["Hello", "Start", "Ask", "End", "Ready", "Reply"]


WRONG_READY: list[Any] = [
    *({}, {"type": "go"}, {"type": 1}, {"type": "ready", "name": "x"}, ["ready"], {"samples": 4}),
    *({"type": "ready", "samples": value} for value in (-1, 17, 10**9, True, "4", None, 0.5, [4])),
]


def test_schema_and_referee_refuse_the_same_as_ready() -> None:
    for each in WRONG_READY:
        assert not fits("Ready", each), each
        with pytest.raises(ProtocolError):
            read_ready(encode(each))


unhurried = settings(suppress_health_check=[HealthCheck.too_slow])


def test_a_reply_has_an_id_a_move_and_perhaps_a_note_in_any_order() -> None:
    """Other spellings and spaces are tried with random messages, in test_lines."""
    assert read_reply(b'{"id":7,"move":{},"note":null}\r') == Reply(7, {})
    assert read_reply(b'{"note":"hm","move":{"a":1},"id":7}') == Reply(7, {"a": 1}, "hm")
    for line in (b'{"type":"ready"}', b' { "type" : "ready" }\r', rb'{"type":"\u0072eady"}'):
        read_ready(line)


def test_numbers_and_truth_keep_their_types() -> None:
    move = read_reply(b'{"id":7,"move":{"a":1,"b":1.0,"c":true,"d":"1","e":null}}').move
    assert [type(value) for value in move.values()] == [int, float, bool, str, type(None)]


WRONG_FIELDS = {
    r"Expected `int`, got .* at `id`": (
        '{"id":%s,"move":{}}',
        ["true", "1.0", "1e0", "1.5", '"1"', "null", "[1]", "{}"],
    ),
    r"Expected `object`, got .* at `move`": (
        '{"id":1,"move":%s}',
        ["null", "[]", "[{}]", '""', "1", "true"],
    ),
    "at `note`": ('{"id":1,"move":{},"note":%s}', ["1", "true", "[]", "{}"]),
    "Expected `object`": ("%s", ["[]", '[{"id":1,"move":{}}]', "1", '"ready"', "null"]),
    "missing required field `id`": ("%s", ['{"move":{}}']),
    "missing required field `move`": ("%s", ['{"id":1}']),
    "unknown field `.*`": ('{"id":1,"move":{},%s:1}', ['"type"', '"Move"', '"debug"', '""']),
}


def test_a_reply_with_a_wrong_field_is_refused_by_the_schema_too_and_the_field_named() -> None:
    for says, (line, values) in WRONG_FIELDS.items():
        for value in values:
            with pytest.raises(ProtocolError, match=says):
                read_reply((line % value).encode())
            # jsonschema takes 1.0 for a whole number
            assert fits("Reply", json.loads(line % value)) == (value in ("1.0", "1e0"))


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (b'{"id":1,"move":null}', "did its choice return nothing?"),
        (b'{"type":"ready"}', "only asks are answered"),
        (b"", "not JSON: an empty line; what is no answer is to be printed to standard error"),
        (b"Loading", "(byte 0); what is no answer is to be printed to standard error"),
        (b"[1]", "Expected `object`, got `array`; what is no answer is to be printed to standard"),
        (b'{"id":1,', "not JSON: it breaks off; an answer is one whole line"),
    ],
)
def test_a_common_mistake_is_named(line: bytes, hint: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        read_reply(line)
    assert hint in str(caught.value)


NOT_READY = [
    *(b"", b"ready", b'"ready"', b'{"type":"hello"}', b'{"type":"ready"}{"type":"ready"}'),
    *(b'{"type":"ready","type":"ready"}', rb'{"type":"ready","t\u0079pe":"ready"}'),
    *(b'{"type":"ready\xff"}', b'\xef\xbb\xbf{"type":"ready"}', b'{"type":' + b"[" * 30_000),
]


def test_what_is_not_ready_is_refused() -> None:
    for line in NOT_READY:
        with pytest.raises(ProtocolError):
            pytest.fail(f"{line!r} is {read_ready(line)}")


def test_an_ask_with_a_list_is_this_line() -> None:
    """The transcript on the page of the protocol has every other message."""
    ask = Ask(id=1, decision="d", view={"v": 1}, legal=[{"a": 1}], clock=TimeLeft(1.0, 0.5))
    assert encode(ask) == (
        b'{"type":"ask","id":1,"decision":"d","view":{"v":1},"legal":[{"a":1}],'
        b'"clock":{"move_time":1.0,"bank":0.5}}\n'
    )


def accepted(line: bytes) -> Reply | None:
    """Return the reply on a line, or None where it is refused as it should be."""
    try:
        return read_reply(line)
    except ProtocolError:
        return None


@unhurried
@given(st.binary() | st.text().map(lambda text: text.encode(errors="surrogatepass")))
def test_any_bytes_are_a_reply_or_ready_or_are_refused(line: bytes) -> None:
    assert isinstance(accepted(line), Reply | None)
    try:
        read_ready(line)
    except ProtocolError:
        return
    assert json.loads(line) == {"type": "ready"}


SAMPLE = rb'{"id":1,"move":{"a":[1,-2.5e3,"\ud83d\ude00",{"b":null}],"c":"d:e"},"note":"n\u00e9"}'
SCRAPS = [b'"', b"\\", b":", b",", b"{", b"}", b"[", b"]", b"\\u", b"d800", b"\xff", b"\x00", b"9"]


@unhurried
@given(
    st.lists(
        st.tuples(
            st.integers(0, len(SAMPLE)), st.integers(0, 5), st.sampled_from(SCRAPS) | st.binary()
        ),
        max_size=4,
    )
)
def test_a_damaged_reply_is_still_a_reply_or_is_refused(
    damages: list[tuple[int, int, bytes]],
) -> None:
    line = SAMPLE
    for at, length, scrap in damages:
        line = line[:at] + scrap + line[at + length :]
    reply = accepted(line)
    assert reply is None or read_reply(encode(reply)) == reply
