"""The clock of a bot's turns, in plain numbers: what is left, what is charged, what a turn took."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.messages import TimeControl
from referee.clock import CAP_SECONDS, Clock, Turn, wall_cap
from referee.meter import FREE_PER_MATCH, FREE_SECONDS, FREE_SHARE
from referee.turn_clock import TurnClock

seconds = st.integers(0, 64).map(lambda parts: parts / 64)  # sums of these are exact

BY_CPU = Clock(TimeControl(judge="cpu", move_time=2.0, bank=0.0, increment=0.0), 1)
BY_WALL = Clock(TimeControl(judge="wall", move_time=2.0, bank=0.0, increment=0.0), 1)
CAP = wall_cap(2.0)


class Core:
    """What others had of the bot's core: seconds, each returned once, of the turn asked for."""

    def __init__(self) -> None:
        self.taken = 0.0
        self.asked_of: list[float] = []

    def __call__(self, began: float) -> float:
        self.asked_of.append(began)
        taken, self.taken = self.taken, 0.0
        return taken


def nobody(began: float) -> float:
    """Nobody else wants the core."""
    return 0.0


def turn_clock(
    clock: Clock = BY_CPU,
    waited: Callable[[float], float] = nobody,
    asked: float = 10.0,
    threads: int = 1,
) -> TurnClock:
    """Return the clock of a bot that used 0.25 s so far, and is asked, after little else."""
    turn = TurnClock(0.25, waited, threads)
    turn.begin(asked, clock)
    turn.asked(asked)
    return turn


def answer(turn: TurnClock, moment: float, reading: float) -> Turn:
    """Answer at a moment, with the CPU clock as it is then."""
    turn.answered = moment
    return turn.end(reading)


# What a turn took


def test_a_turn_takes_the_cpu_used_in_it_and_the_wall_from_when_it_was_asked() -> None:
    turn = TurnClock(0.25, nobody, 1)
    turn.begin(10.0, BY_CPU)
    turn.asked(10.5)
    assert answer(turn, 11.0, 0.75) == Turn(10.0, 11.0, 0.5, 0.5)


def test_the_next_turn_begins_with_what_the_clock_shows_then() -> None:
    turn = turn_clock()
    answer(turn, 10.25, 0.75)
    turn.begin(10.25, BY_CPU)
    turn.asked(10.25)
    assert answer(turn, 10.5, 1.0) == Turn(10.25, 10.5, 0.25, 0.25)


def test_a_turn_that_was_never_asked_took_no_time() -> None:
    turn = TurnClock(0.25, nobody, 1)
    turn.begin(10.0, BY_CPU)
    assert turn.end(0.25) == Turn(10.0, 10.0)


def test_a_process_that_has_ended_took_no_cpu_and_is_found_out_at_its_next_turn() -> None:
    turn = turn_clock()
    turn.answered = 11.0
    assert turn.end(None) == Turn(10.0, 11.0, 0.0, 1.0)
    assert turn.begin(11.0, BY_CPU)


# What was used before it


def test_what_is_used_at_once_after_a_turn_counts_towards_the_next() -> None:
    turn = turn_clock()
    answer(turn, 11.0, 0.5)
    assert not turn.begin(11.00009, BY_CPU)
    assert turn.begin(11.0002, BY_CPU)


def test_the_first_turn_of_a_match_is_settled_however_close_it_follows() -> None:
    turn = turn_clock()
    answer(turn, 11.0, 0.5)
    turn.begin_match()
    assert turn.begin(11.0, BY_CPU)


def test_what_is_free_between_turns_counts_for_none() -> None:
    turn = turn_clock()
    answer(turn, 11.0, 0.25)
    turn.begin(12.0, BY_CPU)
    turn.settle(0.25 + FREE_SECONDS)
    turn.asked(12.0)
    assert answer(turn, 12.5, 0.25 + FREE_SECONDS + 0.5) == Turn(12.0, 12.5, 0.5, 0.5)
    assert (turn.meter.charged, turn.meter.burner) == (0.0, False)


def test_what_is_used_beyond_it_is_charged_to_the_turn() -> None:
    turn = turn_clock()
    answer(turn, 11.0, 0.25)
    turn.begin(12.0, BY_CPU)
    turn.settle(0.75 + FREE_SECONDS)
    turn.asked(12.0)
    assert turn.used(0.75 + FREE_SECONDS) == pytest.approx(0.5)
    found = answer(turn, 12.5, 1.0 + FREE_SECONDS)
    assert found.cpu == pytest.approx(0.75)
    assert found.wall == pytest.approx(1.0)
    assert turn.meter.charged == pytest.approx(0.5)
    assert turn.meter.burner


def test_where_the_wall_is_judged_the_charge_is_taken_from_that() -> None:
    turn = turn_clock(BY_WALL)
    answer(turn, 11.0, 0.25)
    turn.begin(12.0, BY_WALL)
    turn.settle(0.75 + FREE_SECONDS)
    turn.asked(12.0)
    assert turn.left(12.0, 0.75 + FREE_SECONDS) == pytest.approx(1.5)
    assert answer(turn, 12.5, 1.0).wall == pytest.approx(1.0)


def test_what_no_clock_shows_is_charged_too() -> None:
    turn = turn_clock()
    answer(turn, 11.0, 0.25)
    turn.meter.owed = 0.5
    turn.begin(12.0, BY_CPU)
    turn.settle(0.25)
    assert turn.charge == 0.5
    assert answer(turn, 12.5, 0.5).cpu == 0.75


def test_a_turn_is_not_charged_twice() -> None:
    turn = turn_clock()
    answer(turn, 11.0, 0.25)
    turn.begin(12.0, BY_WALL)
    turn.settle(1.0)
    answer(turn, 12.5, 1.0)
    turn.begin(12.5, BY_WALL)
    turn.asked(12.5)
    assert turn.charge == 0.0
    assert answer(turn, 12.75, 1.0) == Turn(12.5, 12.75, 0.0, 0.25)


def test_a_turn_earns_a_share_of_it_to_be_free_after_it() -> None:
    turn = turn_clock()
    answer(turn, 11.0, 4.25)
    assert not turn.meter.is_overdrawn(4.25 + FREE_SECONDS + FREE_SHARE * 4.0)
    assert turn.meter.is_overdrawn(4.26 + FREE_SECONDS + FREE_SHARE * 4.0)


def test_what_a_turn_is_charged_earns_nothing() -> None:
    turn = turn_clock()
    answer(turn, 11.0, 0.25)
    turn.begin(12.0, BY_CPU)
    turn.settle(4.25 + FREE_SECONDS)
    reading = 8.25 + FREE_SECONDS
    assert answer(turn, 12.5, reading).cpu == pytest.approx(8.0)
    assert not turn.meter.is_overdrawn(reading + FREE_SHARE * 3.99)
    assert turn.meter.is_overdrawn(reading + FREE_SHARE * 4.01)


def test_what_is_charged_begins_anew_with_a_match_and_so_does_what_was_earned() -> None:
    turn = turn_clock()
    answer(turn, 11.0, 0.25)
    turn.begin(12.0, BY_CPU)
    turn.settle(4.25)
    answer(turn, 12.5, 4.25)
    turn.begin_match()
    assert (turn.meter.charged, turn.meter.burner) == (0.0, False)
    assert turn.meter.is_overdrawn(4.251 + FREE_PER_MATCH)
    assert not turn.meter.is_overdrawn(4.249 + FREE_PER_MATCH)


@given(st.lists(st.tuples(seconds, seconds, st.booleans()), max_size=20))
def test_what_the_cpu_clock_showed_is_on_turn_or_was_free(
    turns: list[tuple[float, float, bool]],
) -> None:
    """Each turn: what the bot uses before it and in it, and whether a match begins."""
    turn = TurnClock(0.25, nobody, 1)
    reading, took = 0.25, 0.0
    for number, (before, within, is_first) in enumerate(turns):
        if is_first:
            turn.begin_match()
        reading += before
        turn.begin(float(number), BY_CPU)
        turn.settle(reading)
        assert 0.0 <= turn.charge <= before + 1e-9  # of which a part was taken, and rounded
        reading += within
        took += answer(turn, number + 0.5, reading).cpu
    on_turn = turn.meter.on_turn
    assert took == pytest.approx(on_turn)
    free = reading - 0.25 - on_turn
    matches = sum(is_first for _, _, is_first in turns)
    most = FREE_SECONDS + FREE_PER_MATCH * matches + FREE_SHARE * on_turn
    assert -1e-9 <= free <= most + 1e-9


# What is left


def test_by_cpu_the_cpu_time_is_waited_for() -> None:
    turn = turn_clock()
    assert turn.left(10.5, 0.75) == 1.5


def test_by_cpu_the_cap_on_the_wall_is_waited_for_if_it_comes_first() -> None:
    core = Core()
    turn = turn_clock(waited=core)
    assert turn.left(10.0 + CAP - 0.5, 0.25) == 0.5
    assert core.asked_of == [], "who had the core matters only where nothing is left"


def test_by_the_wall_no_cpu_counts() -> None:
    turn = turn_clock(BY_WALL)
    assert turn.left(10.5, 50.0) == 1.5


def test_all_that_is_allowed_is_late() -> None:
    turn = turn_clock()
    assert turn.left(10.5, 2.25) == 0.0
    assert turn.why_late(10.5, 2.25) == "2.000 s of CPU time used; 2.000 s allowed"


def test_a_sleeper_is_late_at_the_cap() -> None:
    turn = turn_clock()
    assert turn.left(10.0 + CAP, 0.5) == 0.0
    assert turn.why_late(10.0 + CAP, 0.5) == (
        "no answer after 5.000 s on the wall, 0.250 s of CPU time used; "
        "5.000 s allowed there: 2 times the 2.000 s of a decision, and 1 s"
    )


def test_by_the_wall_a_bot_is_late_with_what_it_used_before() -> None:
    turn = turn_clock(BY_WALL)
    answer(turn, 11.0, 0.25)
    turn.begin(12.0, BY_WALL)
    turn.settle(0.75 + FREE_SECONDS)
    turn.asked(12.0)
    assert turn.left(13.5, 1.0) == 0.0
    assert turn.why_late(13.5, 1.0) == (
        "no answer after 2.000 s, 0.500 s of it before it was asked; 2.000 s allowed"
    )


def test_an_answer_that_came_too_late_is_explained() -> None:
    turn = turn_clock()
    found = answer(turn, 12.0, 3.25)
    assert turn.why_overdrawn(found) == (
        "answered after 3.000 s of CPU time and 2.000 s on the wall; 2.000 s of CPU time allowed"
    )


@pytest.mark.parametrize(("used", "is_idle"), [(0.125, True), (0.25, False)])
def test_who_used_less_than_a_tenth_was_idle(used: float, is_idle: bool) -> None:
    assert turn_clock().is_idle(0.25 + used) == is_idle


# Several threads


def test_several_threads_may_use_as_many_times_the_cpu_time() -> None:
    turn = turn_clock(threads=4)
    assert turn.left(10.5, 0.25 + 7.0) == 0.25  # if all of them go on
    assert turn.left(11.0, 0.25 + 8.0) == 0.0
    assert turn.why_late(11.0, 0.25 + 8.0) == (
        "8.000 s of CPU time used; 8.000 s allowed, 2.000 s for each of 4 threads"
    )


def test_on_the_wall_several_threads_have_no_more_time_than_one() -> None:
    turn = turn_clock(threads=4)
    assert turn.left(10.0 + CAP - 0.5, 0.25) == 0.5
    assert turn.left(10.0 + CAP, 0.25) == 0.0
    assert turn_clock(BY_WALL, threads=4).left(10.5, 50.0) == 1.5


def test_one_thread_of_several_gains_no_time_by_what_it_used_before() -> None:
    """The others leave CPU time enough for all that it can use; the wall bounds it."""
    turn = turn_clock(threads=4)
    answer(turn, 11.0, 0.25)
    turn.begin(12.0, BY_CPU)
    turn.settle(0.75 + FREE_SECONDS)
    turn.asked(12.0)
    assert turn.left(12.0 + CAP - 1.0, CAP - 0.5) == pytest.approx(0.5)
    assert turn.left(12.0 + CAP - 0.5, CAP) == 0.0


def test_an_answer_of_several_threads_that_came_too_late_is_explained() -> None:
    turn = turn_clock(threads=2)
    assert turn.why_overdrawn(answer(turn, 12.5, 4.75)) == (
        "answered after 4.500 s of CPU time and 2.500 s on the wall; 4.000 s of CPU time allowed, "
        "2.000 s for each of 2 threads"
    )
    turn = turn_clock(BY_WALL, threads=2)
    assert turn.why_overdrawn(answer(turn, 12.5, 4.75)).endswith("on the wall; 2.000 s allowed")


# When somebody else had the core


def test_at_the_cap_what_others_had_of_the_core_is_taken_off() -> None:
    core = Core()
    turn = turn_clock(waited=core)
    core.taken = 0.75
    assert turn.left(10.0 + CAP, 0.25) == 0.75
    assert turn.left(10.5 + CAP, 0.25) == 0.25
    assert turn.left(10.75 + CAP, 0.25) == 0.0
    assert set(core.asked_of) == {10.0}


def test_a_bot_that_had_no_core_gets_a_moment_at_least() -> None:
    core = Core()
    turn = turn_clock(waited=core)
    core.taken = 2**-20
    assert turn.left(10.0 + CAP, 0.25) == 0.01


def test_no_core_is_no_excuse_for_cpu_time_used() -> None:
    core = Core()
    turn = turn_clock(waited=core)
    core.taken = 5.0
    assert turn.left(10.0 + CAP, 2.25) == 0.0
    assert core.asked_of == []


@pytest.mark.parametrize(
    ("clock", "wall", "took"),
    [
        (BY_WALL, 0.5, 0.25),  # by the wall, each second costs
        (BY_CPU, CAP_SECONDS, CAP_SECONDS),  # by CPU, none may cost so far
        (BY_CPU, CAP_SECONDS + 0.5, CAP_SECONDS + 0.25),
    ],
)
def test_what_others_had_of_the_core_is_taken_off_a_turn_where_it_may_cost(
    clock: Clock, wall: float, took: float
) -> None:
    core = Core()
    turn = turn_clock(clock, core)
    core.taken = 0.25
    assert answer(turn, 10.0 + wall, 0.25) == Turn(10.0, 10.0 + wall, 0.0, took)


# When the referee was stopped


def test_a_wait_that_took_long_begins_the_cap_anew() -> None:
    turn = turn_clock()
    assert turn.is_stalled(14.0, 0.25, is_heard=False)
    assert turn.left(14.0, 0.25) == 2.0
    assert turn.left(14.0 + CAP - 0.25, 0.25) == 0.25
    assert answer(turn, 14.25, 0.25) == Turn(10.0, 14.25, 0.0, 0.25)


def test_a_wait_that_took_a_little_longer_is_held_against_the_bot() -> None:
    turn = turn_clock()
    assert not turn.is_stalled(10.75, 0.25, is_heard=False)
    assert not turn.is_stalled(11.5, 0.25, is_heard=False)
    assert turn.left(11.5, 0.25) == 2.0
    assert answer(turn, 11.5, 0.25).wall == 1.5


@pytest.mark.parametrize("overslept", [0.25, 2.0])
def test_a_bot_that_had_answered_by_the_end_of_a_wait_does_not_pay_for_the_referees_sleep(
    overslept: float,
) -> None:
    turn = turn_clock(BY_WALL)
    turn.is_stalled(11.0 + overslept, 1.0, is_heard=True)
    assert turn.end(0.25).wall <= 1.0
