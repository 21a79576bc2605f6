"""Letters over connections that are cut anywhere: each comes once, in order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import ProtocolError
from protocol.remote import MOST_UNSEEN, CopyLine, Post, read_from_author, read_from_league


class Side:
    """One side: what it has sent and taken, and what is on its way to the other."""

    def __init__(self) -> None:
        self.post = Post()
        self.sent: list[str] = []
        self.taken: list[str] = []
        self.way: list[str | int] = []
        """Frames to the other side; a number stands for what a beat or an echo says was seen."""

    def write(self, *, is_connected: bool) -> None:
        line = str(len(self.sent))
        letter = CopyLine(n=self.post.number(), copy=1, line=line)
        frame = self.post.hold(letter)
        self.sent.append(line)
        if is_connected:
            self.way.append(frame)

    def take(self, frame: str | int) -> None:
        if isinstance(frame, int):
            self.post.forget(frame)
            return
        letter = read_from_league(frame)
        assert letter == read_from_author(frame)
        assert isinstance(letter, CopyLine)
        if self.post.take(letter):
            self.taken.append(letter.line)


STEPS = st.lists(
    st.tuples(st.sampled_from(["write", "take", "see", "cut"]), st.booleans(), st.integers(0, 3)),
    max_size=80,
)


def connect(one: Side, other: Side) -> None:
    """Begin a connection: each side says what it has seen, and sends the rest again."""
    for a, b in ((one, other), (other, one)):
        a.post.forget(b.post.seen)
        a.way = list(a.post.unseen())


@settings(max_examples=100)
@given(STEPS)
def test_letters_come_once_and_in_order_whatever_is_cut(
    steps: list[tuple[str, bool, int]],
) -> None:
    sides = Side(), Side()
    is_connected = True
    for what, is_first, number in steps:
        one, other = sides if is_first else sides[::-1]
        if what == "write":
            one.write(is_connected=is_connected)
        elif what == "cut":
            for each in sides:  # what was on the way is lost, all or the last of it
                del each.way[number:]
            for a, b in (sides, sides[::-1]):
                for frame in a.way:
                    b.take(frame)
                a.way = []
            is_connected = not is_connected
            if is_connected:
                connect(*sides)
        elif is_connected and what == "see":
            one.way.append(one.post.seen)
        elif is_connected and one.way:
            other.take(one.way.pop(0))
        for a, b in (sides, sides[::-1]):
            assert b.taken == a.sent[: len(b.taken)]
    connect(*sides)
    for a, b in (sides, sides[::-1]):
        for frame in a.way:
            b.take(frame)
        assert b.taken == a.sent
        a.post.forget(b.post.seen)
        assert a.post.unseen() == []


def test_what_cannot_be_is_refused() -> None:
    post = Post()
    post.hold(CopyLine(n=1, copy=1, line="a"))
    with pytest.raises(ProtocolError, match="letter 2 was never sent"):
        post.forget(2)
    with pytest.raises(ProtocolError, match="letter 2 came after letter 0"):
        post.take(CopyLine(n=2, copy=1, line="b"))
    letter = CopyLine(n=1, copy=1, line="b")
    assert (post.take(letter), post.take(letter)) == (True, False)


def test_too_much_that_was_not_seen_is_refused_and_what_was_seen_makes_room() -> None:
    post = Post()
    line = "x" * 65_000
    while post.number() < 3 * (MOST_UNSEEN >> 16):
        post.hold(CopyLine(n=post.number(), copy=1, line=line))
        post.forget(post.number() - 1)
    for _ in range(MOST_UNSEEN // 65_100):
        post.hold(CopyLine(n=post.number(), copy=1, line=line))
    with pytest.raises(ProtocolError, match="has not taken its letters"):
        post.hold(CopyLine(n=post.number(), copy=1, line=2 * line))
