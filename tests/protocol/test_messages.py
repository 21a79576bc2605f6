"""What a bot may say: ready and replies, and every way to get them wrong."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from protocol.errors import ProtocolError
from protocol.lines import INTEGER_LIMIT, encode
from protocol.messages import (
    FROM_BOT,
    FROM_REFEREE,
    Ask,
    End,
    Hello,
    Reply,
    Start,
    TimeControl,
    TimeLeft,
    read_ready,
    read_reply,
)

unhurried = settings(suppress_health_check=[HealthCheck.too_slow])
CONTROL = TimeControl(judge="cpu", move_time=1.0, bank=0.0, increment=0.0)


def test_a_reply_has_an_id_and_a_move() -> None:
    assert read_reply(b'{"id":7,"move":{"play":"arm"}}') == Reply(7, {"play": "arm"})


def test_a_reply_may_have_a_note() -> None:
    assert read_reply(b'{"id":7,"move":{},"note":"hm"}').note == "hm"


def test_a_null_note_is_no_note() -> None:
    assert read_reply(b'{"id":7,"move":{},"note":null}') == Reply(7, {})


def test_the_order_of_fields_is_free() -> None:
    assert read_reply(b'{"note":"hm","move":{},"id":7}') == Reply(7, {}, "hm")


def test_an_empty_move_is_an_object_too() -> None:
    assert read_reply(b'{"id":7,"move":{}}').move == {}


def test_a_carriage_return_before_the_newline_is_accepted() -> None:
    assert read_reply(b'{"id":7,"move":{}}\r') == Reply(7, {})


def test_white_space_is_accepted() -> None:
    assert read_reply(b' \t{ "id" : 7 , "move" : { } } ') == Reply(7, {})


def test_an_escaped_field_name_is_accepted() -> None:
    assert read_reply(rb'{"\u0069d":7,"move":{}}') == Reply(7, {})


def test_a_surrogate_pair_is_one_character() -> None:
    assert read_reply(rb'{"id":7,"move":{"say":"\ud83d\ude00"}}').move == {"say": "😀"}


def test_numbers_and_truth_keep_their_types() -> None:
    move = read_reply(b'{"id":7,"move":{"a":1,"b":1.0,"c":true,"d":"1","e":null}}').move
    assert [type(value) for value in move.values()] == [int, float, bool, str, type(None)]


WRONG_IDS = ["true", "1.0", "1e0", "1.5", '"1"', "null", "[1]", "{}"]


@pytest.mark.parametrize("value", WRONG_IDS)
def test_an_id_that_is_not_an_integer_is_refused(value: str) -> None:
    with pytest.raises(ProtocolError, match=r"Expected `int`, got .* at `id`"):
        read_reply(f'{{"id":{value},"move":{{}}}}'.encode())


@pytest.mark.parametrize("value", ["null", "[]", "[{}]", '""', "1", "true"])
def test_a_move_that_is_not_an_object_is_refused(value: str) -> None:
    with pytest.raises(ProtocolError, match=r"Expected `object`, got .* at `move`"):
        read_reply(f'{{"id":1,"move":{value}}}'.encode())


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


@pytest.mark.parametrize("value", ["1", "true", "[]", "{}"])
def test_a_note_that_is_not_text_is_refused(value: str) -> None:
    with pytest.raises(ProtocolError, match="at `note`"):
        read_reply(f'{{"id":1,"move":{{}},"note":{value}}}'.encode())


@pytest.mark.parametrize("field", ["id", "move"])
def test_a_missing_field_is_named(field: str) -> None:
    reply: dict[str, Any] = {"id": 1, "move": {}}
    del reply[field]
    with pytest.raises(ProtocolError, match=f"missing required field `{field}`"):
        read_reply(json.dumps(reply).encode())


@pytest.mark.parametrize("field", ["type", "Move", "debug", ""])
def test_an_unknown_field_is_named(field: str) -> None:
    with pytest.raises(ProtocolError, match=f"unknown field `{field}`"):
        read_reply(json.dumps({"id": 1, "move": {}, field: 1}).encode())


@pytest.mark.parametrize("line", [b"[]", b'[{"id":1,"move":{}}]', b"1", b'"ready"', b"null"])
def test_a_reply_that_is_not_an_object_is_refused(line: bytes) -> None:
    with pytest.raises(ProtocolError, match="Expected `object`"):
        read_reply(line)


def test_the_other_message_of_a_bot_is_not_a_reply() -> None:
    with pytest.raises(ProtocolError):
        read_reply(b'{"type":"ready"}')


@pytest.mark.parametrize(
    "line", [b'{"type":"ready"}', b' { "type" : "ready" }\r', rb'{"type":"\u0072eady"}']
)
def test_ready_is_ready(line: bytes) -> None:
    read_ready(line)


NOT_READY = {
    "nothing": b"",
    "a word": b"ready",
    "a string": b'"ready"',
    "a list": b'["ready"]',
    "no type": b"{}",
    "another type": b'{"type":"hello"}',
    "a number": b'{"type":1}',
    "an unknown field": b'{"type":"ready","name":"x"}',
    "a repeated key": b'{"type":"ready","type":"ready"}',
    "a repeated key, once escaped": rb'{"type":"ready","t\u0079pe":"ready"}',
    "two messages": b'{"type":"ready"}{"type":"ready"}',
    "bad UTF-8": b'{"type":"ready\xff"}',
    "a byte order mark": b'\xef\xbb\xbf{"type":"ready"}',
    "30,000 nested lists": b'{"type":' + b"[" * 30_000,
    "a reply": b'{"id":1,"move":{}}',
}


@pytest.mark.parametrize("line", NOT_READY.values(), ids=NOT_READY)
def test_what_is_not_ready_is_refused(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        read_ready(line)


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (Hello(1, "me"), b'{"type":"hello","protocol":1,"name":"me"}\n'),
        (End([1, 2], "lead"), b'{"type":"end","places":[1,2],"reason":"lead"}\n'),
        (
            Start(
                match="m",
                game="g",
                seat=0,
                seats=2,
                options={"o": 1},
                table={},
                clock=CONTROL,
                seed=5,
            ),
            b'{"type":"start","match":"m","game":"g","seat":0,"seats":2,"options":{"o":1},'
            b'"table":{},"clock":{"judge":"cpu","move_time":1.0,"bank":0.0,"increment":0.0},'
            b'"seed":5}\n',
        ),
        (
            Ask(id=1, decision="d", view={"v": 1}, legal=[{"a": 1}], clock=TimeLeft(1.0, 0.5)),
            b'{"type":"ask","id":1,"decision":"d","view":{"v":1},"legal":[{"a":1}],'
            b'"clock":{"move_time":1.0,"bank":0.5}}\n',
        ),
        (
            Ask(id=1, decision="d", view={}, limits={"max": 4}, clock=TimeLeft(1.0, 0.0)),
            b'{"type":"ask","id":1,"decision":"d","view":{},"limits":{"max":4},'
            b'"clock":{"move_time":1.0,"bank":0.0}}\n',
        ),
    ],
    ids=["hello", "end", "start", "ask with a list", "ask with limits"],
)
def test_a_message_of_the_referee_is_this_line(message: msgspec.Struct, line: bytes) -> None:
    assert encode(message) == line


def test_six_messages_make_the_protocol() -> None:
    names = [message.__name__ for message in (*FROM_REFEREE, *FROM_BOT)]
    assert names == ["Hello", "Start", "Ask", "End", "Ready", "Reply"]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-INTEGER_LIMIT, INTEGER_LIMIT)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)
replies = st.builds(
    Reply,
    id=st.integers(0, INTEGER_LIMIT),
    move=st.dictionaries(st.text(st.characters(codec="utf-8")), json_values),
    note=st.none() | st.text(st.characters(codec="utf-8")),
)


@pytest.mark.slow
@unhurried
@given(
    replies,
    st.booleans(),
    st.sampled_from([None, 0, 1, "\t"]),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", "\r:  ")]),
)
def test_a_reply_survives_any_json_writer(
    reply: Reply, ascii_only: bool, indent: int | str | None, separators: tuple[str, str]
) -> None:
    text = json.dumps(
        {"id": reply.id, "move": reply.move, "note": reply.note},
        ensure_ascii=ascii_only,
        indent=indent,
        separators=separators,
    )
    assert read_reply(text.replace("\n", "\r").encode()) == reply


@pytest.mark.slow
@unhurried
@given(replies)
def test_a_reply_survives_our_own_writer(reply: Reply) -> None:
    assert read_reply(encode(reply)) == reply


def accepted(line: bytes) -> Reply | None:
    """Return the reply on a line, or None where it is refused as it should be."""
    try:
        return read_reply(line)
    except ProtocolError:
        return None


@unhurried
@given(st.binary() | st.text().map(lambda text: text.encode(errors="surrogatepass")))
@example(b"")
def test_any_bytes_are_a_reply_or_are_refused(line: bytes) -> None:
    assert isinstance(accepted(line), Reply | None)


@unhurried
@given(st.binary() | st.text().map(lambda text: text.encode(errors="surrogatepass")))
def test_any_bytes_are_ready_or_are_refused(line: bytes) -> None:
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
