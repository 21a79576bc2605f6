"""A match that does not end by itself is noticed, and one that goes on is left alone."""

from collections.abc import Callable
from typing import Any

import pytest

from arena.play import watchdog
from arena.play.watchdog import LOOK_SECONDS, STUCK_SECONDS, StuckError, Watchdog
from referee.match import Match, starts
from tests.referee.games_for_tests import Countdown, dealt
from tests.referee.scripted import CONTROL, ONE, ScriptedSeat


def play(dog: Watchdog, look: Callable[..., None]) -> None:
    """Play six decisions of two seats, and call `look` before each step is applied."""
    game = dealt(Countdown, 2, rounds=3)
    match = Match(game, [ScriptedSeat(ONE), ScriptedSeat(ONE)], 2)
    with dog.watching(match):
        match.play(starts(game, "m", CONTROL, [1, 2]), look)


def test_a_match_that_goes_on_is_left_alone() -> None:
    dog = Watchdog()
    seen = []

    def look(*_: Any) -> None:
        dog.look()
        seen.append(1)

    play(dog, look)
    play(dog, look)
    assert len(seen) > 4


LOOKS = int(STUCK_SECONDS / LOOK_SECONDS)


def test_a_match_that_is_slow_is_left_alone() -> None:
    dog = Watchdog()

    def look(*_: Any) -> None:
        for _each in range(LOOKS):
            dog.look()

    play(dog, look)


def test_a_match_without_a_decision_for_long_is_stuck() -> None:
    dog = Watchdog()

    def look(*_: Any) -> None:
        for _each in range(LOOKS + 1):
            dog.look()

    with pytest.raises(StuckError, match="20 s of CPU time since decision 1: an"):
        play(dog, look)
    dog.look()  # nothing is played any more


def test_a_match_of_too_many_decisions_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "MOST_DECISIONS", 3)
    dog = Watchdog()
    with pytest.raises(StuckError, match="has not ended after 3 decisions"):
        play(dog, lambda *_: dog.look())
