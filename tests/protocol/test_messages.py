"""What a bot may say: ready and replies, and every way to get them wrong."""

import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from protocol.errors import ProtocolError
from protocol.lines import encode
from protocol.messages import (
    FROM_BOT,
    FROM_REFEREE,
    Ask,
    Reply,
    TimeLeft,
    read_ready,
    read_reply,
)

unhurried = settings(suppress_health_check=[HealthCheck.too_slow])


GOOD = {
    b'{"id":7,"move":{"play":"arm"}}': Reply(7, {"play": "arm"}),
    b'{"id":7,"move":{},"note":"hm"}': Reply(7, {}, "hm"),
    b'{"id":7,"move":{},"note":null}': Reply(7, {}),
    b'{"note":"hm","move":{},"id":7}': Reply(7, {}, "hm"),
    b'{"id":7,"move":{}}\r': Reply(7, {}),
    b' \t{ "id" : 7 , "move" : { } } ': Reply(7, {}),
    rb'{"\u0069d":7,"move":{}}': Reply(7, {}),
    rb'{"id":7,"move":{"say":"\ud83d\ude00"}}': Reply(7, {"say": "😀"}),
}


@pytest.mark.parametrize("line", GOOD)
def test_a_reply_has_an_id_a_move_and_perhaps_a_note_in_any_json(line: bytes) -> None:
    assert read_reply(line) == GOOD[line]


def test_numbers_and_truth_keep_their_types() -> None:
    move = read_reply(b'{"id":7,"move":{"a":1,"b":1.0,"c":true,"d":"1","e":null}}').move
    assert [type(value) for value in move.values()] == [int, float, bool, str, type(None)]


@pytest.mark.parametrize(
    ("line", "values", "says"),
    [
        (
            '{"id":%s,"move":{}}',
            ("true", "1.0", "1e0", "1.5", '"1"', "null", "[1]", "{}"),
            r"Expected `int`, got .* at `id`",
        ),
        (
            '{"id":1,"move":%s}',
            ("null", "[]", "[{}]", '""', "1", "true"),
            r"Expected `object`, got .* at `move`",
        ),
        ('{"id":1,"move":{},"note":%s}', ("1", "true", "[]", "{}"), "at `note`"),
        ("%s", ("[]", '[{"id":1,"move":{}}]', "1", '"ready"', "null"), "Expected `object`"),
        ("%s", ('{"move":{}}',), "missing required field `id`"),
        ("%s", ('{"id":1}',), "missing required field `move`"),
        ('{"id":1,"move":{},%s:1}', ('"type"', '"Move"', '"debug"', '""'), "unknown field `.*`"),
    ],
    ids=["id", "move", "note", "no object", "no id", "no move", "unknown"],
)
def test_a_reply_with_a_wrong_field_is_refused_and_the_field_named(
    line: str, values: tuple[str, ...], says: str
) -> None:
    for value in values:
        with pytest.raises(ProtocolError, match=says):
            read_reply((line % value).encode())


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


@pytest.mark.parametrize(
    "line", [b'{"type":"ready"}', b' { "type" : "ready" }\r', rb'{"type":"\u0072eady"}']
)
def test_ready_is_ready(line: bytes) -> None:
    read_ready(line)


NOT_READY = [
    *(b"", b"ready", b'"ready"', b'["ready"]', b"{}", b'{"type":"hello"}', b'{"type":1}'),
    *(b'{"type":"ready","name":"x"}', b'{"type":"ready"}{"type":"ready"}', b'{"id":1,"move":{}}'),
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


def test_six_messages_make_the_protocol() -> None:
    names = [message.__name__ for message in (*FROM_REFEREE, *FROM_BOT)]
    assert names == ["Hello", "Start", "Ask", "End", "Ready", "Reply"]


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
