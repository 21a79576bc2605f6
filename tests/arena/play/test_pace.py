"""What a run says of its pace, and of the bots that it waits for."""

from types import SimpleNamespace

import pytest

from arena.play.pace import Pace
from arena.store.result import PlayedMatch
from tests.arena.play.test_workforce import played
from tests.golden import Golden


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that is set by hand."""
    found = SimpleNamespace(now=0.0)
    monkeypatch.setattr("arena.play.pace.monotonic", lambda: found.now)
    return found


def match(one: tuple[int, float], other: tuple[int, float], each: int = 10) -> PlayedMatch:
    """Return a match of bots that took so many seconds on the wall for all their answers."""
    bots, walls = zip(one, other, strict=True)
    clock = str([[each, 1000, 200, round(wall * 1e6)] for wall in walls])
    return played(0, 0, bots, sum(walls), decisions=2 * each, clock=clock)


def test_what_is_left_is_known_after_some_seconds(time: SimpleNamespace) -> None:
    pace = Pace(["a", "b"], 2)
    pace.take([match((0, 0.1), (1, 0.1))] * 10)
    time.now = 1.0
    assert pace.left(100) is None
    time.now = 8.0
    assert pace.left(100) == pytest.approx(80)


def test_what_is_on_its_way_counts_and_what_was_answered_before_the_run_is_no_pace(
    time: SimpleNamespace,
) -> None:
    for answers, left in ((18, 90.0), (18 + 9 * 9, 9.0), (9, 171.0)):
        pace = Pace(["a", "b"], 2)
        pace.take([match((0, 0.1), (1, 0.1), each=9)])
        pace.hear(answers)
        time.now += 10.0
        assert pace.left(9) == pytest.approx(left)


def test_what_may_be_asked_in_a_minute_bounds_the_pace(time: SimpleNamespace) -> None:
    pace = Pace(["a", "b"], 2, asking=[0], per_minute=30)
    pace.take([match((0, 0.1), (1, 0.1))])
    time.now = 10.0
    assert pace.left(6) == pytest.approx(2 * 60)


def test_who_sleeps_is_named_once_with_what_the_rest_takes_without_it(
    time: SimpleNamespace, golden: Golden
) -> None:
    pace = Pace(["quick", "other", "third", "sleeper"], 2)
    pace.take([match((0, 0.05), (1, 0.05)), match((2, 0.1), (3, 2.0))] * 10)
    time.now = 10.0
    golden(pace.holdup(1000))
    assert pace.holdup(1000) == ""


def test_two_who_sleep_are_both_named_and_nobody_near_the_end(time: SimpleNamespace) -> None:
    pace = Pace(["a", "b", "c", "d", "e", "f"], 2)
    pace.take([match((0, 2.0), (1, 0.1)), match((2, 2.0), (3, 0.1)), match((4, 0.1), (5, 0.1))])
    time.now = 10.0
    assert pace.left(18) == pytest.approx(60)
    assert pace.holdup(18) == ""
    said = [pace.holdup(1000) for _ in range(3)]
    assert [words.split(" ")[0] for words in said] == ["a", "c", ""]


def test_nobody_is_named_who_answers_in_milliseconds(time: SimpleNamespace) -> None:
    pace = Pace(["quick", "other", "third", "busy"], 2)
    pace.take([match((0, 0.01), (1, 0.01)), match((2, 0.01), (3, 0.9))] * 10)
    time.now = 10.0
    assert pace.holdup(1000) == ""


def test_nobody_is_named_where_all_take_about_as_much(time: SimpleNamespace) -> None:
    for walls in ([1.0] * 6, [1.0, 1.5, 0.5, 1.0, 1.0, 1.0], [1.5, 1.0]):
        time.now = 0.0
        pace = Pace([*"abcdef"[: len(walls)]], 2)
        for first in range(0, len(walls), 2):
            pace.take([match((first, walls[first]), (first + 1, walls[first + 1]))])
        time.now = 10.0
        assert pace.holdup(1000) == ""
