"""A match that does not end by itself is noticed, and one that goes on is left alone."""

from typing import Any

import pytest

from arena.play import watchdog
from arena.play.watchdog import LOOK_SECONDS, STUCK_SECONDS, Watchdog
from referee.match.match import Match, starts
from referee.match.seat import play_match as drive
from tests.referee.games_for_tests import Countdown, dealt
from tests.referee.scripted import CONTROL, ONE, ScriptedSeat

LOOKS = int(STUCK_SECONDS / LOOK_SECONDS)


def play(dog: Watchdog, looks: int) -> int:
    """Play six decisions of two seats, look so often before each step; return how many looked."""
    game = dealt(Countdown, 2, rounds=3)
    seen = []

    def look(*_: Any) -> None:
        for each in range(looks):
            seen.append(each)
            dog.look()

    match = Match(game, 2, watch=look)
    with dog.watching(match):
        drive(match, [ScriptedSeat(ONE), ScriptedSeat(ONE)], starts(game, "m", CONTROL, [1, 2]))
    return len(seen)


def test_a_match_that_goes_on_is_left_alone_however_slow_it_is() -> None:
    dog = Watchdog()
    assert play(dog, 1) > 2
    assert play(dog, LOOKS) > 2 * LOOKS


def test_a_match_without_a_decision_for_long_is_stuck() -> None:
    dog = Watchdog()
    with pytest.raises(RuntimeError, match="20 s of CPU time since decision 1: an"):
        play(dog, LOOKS + 1)
    dog.look()  # nothing is played any more


def test_a_match_of_too_many_decisions_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "MOST_DECISIONS", 3)
    with pytest.raises(RuntimeError, match="has not ended after 3 decisions"):
        play(Watchdog(), 1)
