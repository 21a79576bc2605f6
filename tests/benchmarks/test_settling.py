"""The simulation of the format `settled`, and what it proves of it."""

import math

import pytest

from arena.schedule.settled import SettledOptions
from tests.benchmarks.settling.__main__ import main, until_right
from tests.benchmarks.settling.league import Course, Look, Plan, settled_course


def test_answers_are_right_from_some_match_on() -> None:
    def course(*right: bool) -> Course:
        looks = tuple(Look(10 * number, each, sure=False) for number, each in enumerate(right, 1))
        return Course(looks, 1.0, 1.0, 0.0, answered=True)

    assert until_right([course(False, True, True), course(True, True)]) == 20
    assert until_right([course(True, False, True)]) == 30
    assert until_right([course(True, False)]) == math.inf


@pytest.mark.slow
def test_the_simulation_prints_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--leagues", "1", "--rows", "8", "--first-deals", "3"])
    out = capsys.readouterr().out
    assert "| 20 bots, best, spread 3, 4 seats, luck 0.8 |" in out
    assert "| best, 4 seats |" in out


LEAST_FAVOURABLE = Plan(bots=4, spread=0, ahead=0.75, luck=0.0, deals=400)
"""The best bot is just so much better that it is an error to name another."""


def _wrong(confidence: float, leagues: int) -> tuple[int, int]:
    asked = SettledOptions(confidence=confidence)
    courses = [settled_course(LEAST_FAVOURABLE, f"{n}", asked) for n in range(leagues)]
    answered = [course for course in courses if course.answered]
    return sum(not course.last.right for course in answered), len(answered)


@pytest.mark.slow
def test_answers_are_seldom_wrong_even_where_that_is_easiest() -> None:
    wrong, answered = _wrong(0.95, 100)
    assert answered > 80
    assert wrong <= 5


@pytest.mark.slow
def test_who_looks_as_often_at_two_errors_is_wrong_more_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def at_two_errors(beyond: float, error: float) -> float:
        return 0.0 if beyond > 2 * error else 1.0

    monkeypatch.setattr("arena.schedule.goal.doubt", at_two_errors)
    wrong, _ = _wrong(0.95, 100)
    assert wrong > 8
