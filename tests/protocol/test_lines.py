"""Lines and the limits of what may stand on one, against every hostile input known to us."""

import json
import sys
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.errors import ProtocolError
from protocol.lines import BOT_LINE_BYTES, DEPTH_LIMIT, INTEGER_LIMIT, LineBuffer
from protocol.messages import read_reply

unhurried = settings(suppress_health_check=[HealthCheck.too_slow])


def popped(buffer: LineBuffer) -> list[bytes]:
    """Return all whole lines of a buffer."""
    lines = []
    while (line := buffer.pop()) is not None:
        lines.append(line)
    return lines


@unhurried
@given(st.lists(st.text("ab\n", max_size=6).map(str.encode), max_size=12))
def test_pieces_give_the_same_lines_as_the_whole(pieces: list[bytes]) -> None:
    buffer = LineBuffer(BOT_LINE_BYTES)
    lines = []
    for piece in pieces:
        buffer.push(piece)
        lines += popped(buffer)
    buffer.push(b"\n")
    assert lines + popped(buffer) == b"".join(pieces).split(b"\n")


@pytest.mark.parametrize("end", [b"", b"\n"], ids=["before it ends", "when it ends"])
def test_a_longer_line_is_refused_and_those_before_it_are_read(end: bytes) -> None:
    buffer = LineBuffer(BOT_LINE_BYTES)
    buffer.push(b"short\n" + b"x" * (BOT_LINE_BYTES + 1) + end)
    assert buffer.pop() == b"short"
    with pytest.raises(ProtocolError, match="more than 65536 bytes"):
        buffer.pop()


@pytest.mark.parametrize("size", [1, 1000, BOT_LINE_BYTES])
def test_a_long_line_in_pieces_is_refused_by_the_byte_that_is_too_many(size: int) -> None:
    buffer = LineBuffer(BOT_LINE_BYTES)
    for _ in range(BOT_LINE_BYTES // size):
        buffer.push(b"x" * size)
        assert buffer.pop() is None
    if size == BOT_LINE_BYTES:
        whole = LineBuffer(BOT_LINE_BYTES)
        whole.push(b"x" * BOT_LINE_BYTES + b"\n")
        assert whole.pop() == b"x" * BOT_LINE_BYTES
    buffer.push(b"x" * size)
    with pytest.raises(ProtocolError):
        buffer.pop()


def with_value(value: bytes) -> bytes:
    """Return a reply whose move holds a value."""
    return b'{"id":1,"move":{"a":' + value + b"}}"


def nested(levels: int, bracket: bytes = b"[]") -> bytes:
    """Return a reply whose move is so many levels deep, itself the first."""
    opening, closing = {b"[]": (b"[", b"]"), b"{}": (b'{"a":', b"}")}[bracket]
    inside = levels - 1
    return with_value(opening * inside + b"1" + closing * inside)


WORDS = [
    *(b"NaN", b"Infinity", b"-Infinity", b"01", b"+1", b"0x10", b"'x'", b"[1,]", b"1 /* one */"),
    *(b'"\x00"', b'"\t"', rb'"\x41"', rb'"\ud800"', rb'"\ud800 and more text"', rb'"\udc00"'),
    rb'"\udc00\ud800"',
]

ONE = with_value(b"1")
NOT_JSON = [
    *(b"", b"   ", b"hello", *map(with_value, WORDS)),
    *(b'{"id":1,"move":{"a":', with_value(b'"x')[:-2], ONE + b"x", ONE + ONE, ONE + b"\x00"),
    *(b"\xef\xbb\xbf" + ONE, rb'{"id":1,"move":{"\ud800":1}}'),
    *(ONE.decode().encode(coding) for coding in ("utf-16", "utf-16-le", "utf-32-be")),
]


def test_what_is_not_json_is_refused() -> None:
    for line in NOT_JSON:
        with pytest.raises(ProtocolError, match=r"^not JSON: "):
            pytest.fail(f"{line!r}: {read_reply(line)}")


NOT_UTF8 = [
    *(b'"\xff"', b'"\xe2\x82"', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"'),
    *(b'["ok",{"b":"\xff"}]', b'{"\xff":1}'),
]
"""A lone byte, a cut and an overlong sequence, a surrogate, beyond Unicode, inside, in a key."""

UNSEEN = [
    *(b'{"id":1,"move":{},"note":"\xff"}', b'{"id":1,"move":{},"note":"\xff","note":"ok"}'),
    *(b'{"id":1,"move":{"a":"\xff"},"move":{}}', b'{"id":1,"move":{"a":"\xff","a":1}}'),
    b'{"id":1,"move":{},"x":"\xff"}',
]


def test_what_is_not_utf8_is_refused_even_where_nobody_would_look() -> None:
    for value in NOT_UTF8:
        with pytest.raises(ProtocolError, match=r"^not UTF-8: "):
            pytest.fail(f"{value!r}: {read_reply(with_value(value))}")
    for line in UNSEEN:
        with pytest.raises(ProtocolError):
            pytest.fail(f"{line!r}: {read_reply(line)}")


@pytest.mark.parametrize("bracket", [b"[]", b"{}"], ids=["lists", "objects"])
def test_a_move_as_deep_as_the_limit_passes_and_a_deeper_one_is_refused(bracket: bytes) -> None:
    assert read_reply(nested(DEPTH_LIMIT, bracket)).id == 1
    for levels in (DEPTH_LIMIT + 1, 500, 2000, 5000):
        with pytest.raises(ProtocolError, match="nested deeper than 32 levels"):
            read_reply(nested(levels, bracket))


def test_thirty_thousand_lists_are_refused_with_and_without_an_end() -> None:
    with pytest.raises(ProtocolError, match="nested deeper than 32 levels"):
        read_reply(nested(30_000))
    with pytest.raises(ProtocolError):
        read_reply(b"[" * 30_000)


def test_depth_hidden_under_a_repeated_key_is_refused_at_any_depth() -> None:
    for levels in range(sys.getrecursionlimit()):
        hidden = b"[" * levels + b"]" * levels
        with pytest.raises(ProtocolError):
            read_reply(b'{"id":1,"move":{"a":%b,"a":1}}' % (hidden or b"1"))


def test_a_number_within_the_limits_passes() -> None:
    for number in (INTEGER_LIMIT, -INTEGER_LIMIT, 0):
        assert read_reply(with_value(b"%d" % number)).move == {"a": number}
    assert read_reply(with_value(b"0." + b"3" * 5000)).move == {"a": pytest.approx(1 / 3)}


BEYOND = {
    r"an integer beyond 2\*\*53": [
        *(b"%d" % (INTEGER_LIMIT + 1), b"%d" % (-INTEGER_LIMIT - 1), b"%d" % 2**63),
        *(b"%d" % (2**64 - 1), b"%d" % 2**64, b"%d" % 10**400),
    ],
    "out of range": [b"1e999", b"-1e999", b"1" * 400 + b".0"],
    ".": [
        sign + b"9" * digits
        for sign in (b"", b"-")
        for digits in (4000, 4299, 4300, 4301, 5000, 60_000)
    ],
}


@pytest.mark.parametrize("reason", BEYOND)
def test_a_number_beyond_them_is_refused_under_a_repeated_key_too(reason: str) -> None:
    for number in BEYOND[reason]:
        with pytest.raises(ProtocolError, match=reason):
            read_reply(with_value(number))
        with pytest.raises(ProtocolError):
            read_reply(b'{"id":1,"move":{"a":%b,"a":1}}' % number)


REPEATED = [
    *(b'{"id":1,"id":1,"move":{}}', b'{"id":1,"move":{},"move":{}}'),
    *(b'{"id":1,"move":{},"note":"a","note":"b"}', b'{"id":1,"move":{},"note":null,"note":null}'),
    b'{"id":1,"move":{"a":1,"a":1,"a":1}}',
    b'{"id":1,"move":{"x":{"a":1,"a":2},"x":1}}',
    b'{"id":1,"move":{"a":":::","a":"::"},"note":":"}',
    *(rb'{"id":1,"\u0069d":1,"move":{}}', rb'{"id":1,"move":{"\u00e9":1,"\u00E9":2}}'),
    rb'{"id":1,"move":{"/":1,"\/":2}}',
    '{"id":1,"move":{"\\ud83d\\ude00":1,"😀":2}}'.encode(),
]
"""What the random messages below do not repeat: fields of a reply, hidden ones, other spellings."""


def test_a_repeated_key_is_refused_and_named() -> None:
    for line in REPEATED:
        with pytest.raises(ProtocolError, match="twice in one object"):
            pytest.fail(f"{line!r}: {read_reply(line)}")
    with pytest.raises(ProtocolError, match="the key 'attack' twice in one object"):
        read_reply(b'{"id":1,"move":{"b":1,"attack":1,"attack":2}}')


def test_a_key_that_only_looks_repeated_passes() -> None:
    """Nested, side by side, as outside, in another case, in a string, and not normalised."""
    for line in (
        b'{"id":1,"move":{"a":{"a":{"a":1}}}}',
        b'{"id":1,"move":{"x":[{"a":1},{"a":1}]}}',
        b'{"id":1,"move":{"id":1,"move":{},"note":""}}',
        b'{"id":1,"move":{"a":1,"A":1}}',
        b'{"id":1,"move":{"say":"\\"a\\":1,\\"a\\":2"}}',
        '{"id":1,"move":{"é":1,"e\u0301":1}}'.encode(),
    ):
        assert read_reply(line).move == json.loads(line)["move"]


texts = st.text(st.sampled_from(':"\\{}[],a /é😀\n'), max_size=4)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-INTEGER_LIMIT, INTEGER_LIMIT) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=12,
)

messages = st.fixed_dictionaries(
    {"id": st.integers(1, 99), "move": st.dictionaries(texts, values, max_size=4)},
    optional={"note": texts | st.none()},
)


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects with keys in a value, itself included."""
    if isinstance(value, dict) and value:
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from objects(inner)


def spelt(text: str, rng: Random) -> str:
    """Return a string as JSON, with some of its characters escaped that need not be."""
    letters = []
    for letter in text:
        plain = letter >= " " and letter not in '"\\'
        units = letter.encode("utf-16-be").hex()
        escaped = "".join(rf"\u{units[at : at + 4]}" for at in range(0, len(units), 4))
        letters.append(letter if plain and rng.random() < 0.6 else escaped)
    return f'"{"".join(letters)}"'


def spaced(word: str, rng: Random) -> str:
    """Return a word of JSON with white space around it, now and then."""
    return rng.choice(["", "", "", " ", "\t", "\r", "  "]) + word + rng.choice(["", "", "", " "])


def written(value: Any, rng: Random, twice: object = None) -> str:
    """Return a value as JSON, spelt and spaced at random; the object `twice` repeats a key."""
    if isinstance(value, dict):
        pairs = [*value.items()]
        if value is twice:
            pairs.insert(rng.randint(0, len(pairs)), rng.choice(pairs))
        inner = [
            spaced(spelt(key, rng), rng) + ":" + spaced(written(item, rng, twice), rng)
            for key, item in pairs
        ]
        return "{" + ",".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ",".join(spaced(written(item, rng, twice), rng) for item in value) + "]"
    return spelt(value, rng) if isinstance(value, str) else json.dumps(value)


seeds = st.integers(0, 2**32).map(Random)


@unhurried
@given(messages, seeds)
def test_a_message_passes_however_it_is_spelt_and_spaced(
    message: dict[str, Any], rng: Random
) -> None:
    reply = read_reply(spaced(written(message, rng), rng).encode())
    assert (reply.id, reply.move, reply.note) == (
        message["id"],
        message["move"],
        message.get("note"),
    )


@unhurried
@given(messages, seeds)
def test_a_repeated_key_is_refused_wherever_it_is(message: dict[str, Any], rng: Random) -> None:
    twice = rng.choice([*objects(message)])
    with pytest.raises(ProtocolError, match="twice in one object"):
        read_reply(written(message, rng, twice).encode())
