"""What a run says of its pace, and of the bots that it waits for."""

import pytest

from arena.play.pace import Pace
from arena.store.result import MatchResult, PlayedMatch, Record
from tests.golden import Golden


class Time:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    found = Time()
    monkeypatch.setattr("arena.play.pace.monotonic", found)
    return found


def match(*bots: tuple[int, float], each: int = 10) -> PlayedMatch:
    """Return a match of bots that took so many seconds on the wall for all their answers."""
    result = MatchResult(
        deal="d",
        number=0,
        rotation=0,
        bots=[bot for bot, _ in bots],
        places=[1 for _ in bots],
        reason="over",
        decisions=each * len(bots),
        faults=[{} for _ in bots],
        forfeits=[],
        moves=0,
        clock=str([[each, 1000, 200, round(wall * 1e6)] for _, wall in bots]),
    )
    return PlayedMatch(result, Record(b"", b"", sum(wall for _, wall in bots)))


def test_what_is_left_is_known_after_some_seconds(time: Time) -> None:
    pace = Pace(["a", "b"], 2)
    pace.take([match((0, 0.1), (1, 0.1))] * 10)
    time.now = 1.0
    assert pace.left(100) is None
    time.now = 8.0
    assert pace.left(100) == 80.0


def test_who_sleeps_is_named_once_with_what_the_rest_takes_without_it(
    time: Time, golden: Golden
) -> None:
    pace = Pace(["quick", "other", "third", "sleeper"], 2)
    pace.take([match((0, 0.05), (1, 0.05)), match((2, 0.1), (3, 2.0))] * 10)
    time.now = 10.0
    golden(pace.holdup(1000))
    assert pace.holdup(1000) == ""


def test_two_who_sleep_are_both_named_and_nobody_near_the_end(time: Time) -> None:
    pace = Pace(["a", "b", "c", "d", "e", "f"], 2)
    pace.take([match((0, 2.0), (1, 0.1)), match((2, 2.0), (3, 0.1)), match((4, 0.1), (5, 0.1))])
    time.now = 10.0
    assert pace.holdup(1) == ""
    said = [pace.holdup(1000) for _ in range(3)]
    assert [words.split(" ")[0] for words in said] == ["a", "c", ""]


def test_nobody_is_named_where_all_take_about_as_much(time: Time) -> None:
    for walls in ([1.0] * 6, [1.0, 1.5, 0.5, 1.0, 1.0, 1.0], [1.5, 1.0]):
        time.now = 0.0
        pace = Pace([*"abcdef"[: len(walls)]], 2)
        for first in range(0, len(walls), 2):
            pace.take([match(*((bot, walls[bot]) for bot in (first, first + 1)))])
        time.now = 10.0
        assert pace.holdup(1000) == ""
