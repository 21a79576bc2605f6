"""Of a bot's standard error, the beginning and the end are kept."""

from hypothesis import given
from hypothesis import strategies as st

from referee.process.output import KEPT, Capture

HALF = KEPT // 2


def captured(*pieces: bytes) -> Capture:
    capture = Capture()
    for piece in pieces:
        capture.add(piece)
    return capture


def test_one_byte_more_leaves_a_gap_of_one_byte_in_the_middle() -> None:
    capture = captured(b"a" * HALF + b"-" + b"b" * HALF)
    assert capture.dropped == 1
    assert capture.text() == "a" * HALF + "\n[… 1 bytes left out …]\n" + "b" * HALF


def test_any_bytes_become_text_and_a_character_in_two_pieces_is_one() -> None:
    assert captured(b"caf\xe9 \x00 caf\xc3\xa9").text() == "caf\\xe9 \x00 café"
    assert captured(b"caf\xc3", b"\xa9").text() == "café"


@given(st.lists(st.integers(0, 3 * HALF), max_size=8))
def test_how_it_was_cut_into_pieces_makes_no_difference(sizes: list[int]) -> None:
    data = (b"0123456789\xc3\xa9abcdefghij\xff\n" * (sum(sizes) // 24 + 1))[: sum(sizes)]
    pieces, at = [], 0
    for size in sizes:
        pieces.append(data[at : at + size])
        at += size
    one, many = captured(data), captured(*pieces)
    assert many.dropped == one.dropped == max(0, len(data) - KEPT)
    assert many.text() == one.text()
