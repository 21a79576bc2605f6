"""The clock of a bot's turns, in plain numbers: what is left, what is charged, what a turn took."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.messages import TimeControl
from referee.limits import CAP_SECONDS, wall_cap
from referee.turn.clock import Clock, Turn
from referee.turn.meter import FREE_PER_MATCH, FREE_SECONDS, FREE_SHARE
from referee.turn.turn_clock import TurnClock
from tests.golden import Golden

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


def used_before(used: float, clock: Clock = BY_CPU, threads: int = 1) -> TurnClock:
    """Return the clock of a bot that is asked again at 12.0, and used so much more than is free."""
    turn = turn_clock(clock, threads=threads)
    answer(turn, 11.0, 0.25)
    turn.begin(12.0, clock)
    turn.settle(0.25 + FREE_SECONDS + used)
    turn.asked(12.0)
    return turn


def answer(turn: TurnClock, moment: float, reading: float) -> Turn:
    """Answer at a moment, with the CPU clock as it is then."""
    turn.answered = moment
    return turn.end(reading)


def test_a_turn_takes_the_cpu_used_in_it_and_the_wall_from_when_it_was_asked() -> None:
    turn = TurnClock(0.25, nobody, 1)
    turn.begin(10.0, BY_CPU)
    turn.asked(10.5)
    assert answer(turn, 11.0, 0.75) == Turn(10.0, 11.0, 0.5, 0.5)
    turn.begin(11.0, BY_CPU)
    assert turn.end(0.75) == Turn(11.0, 11.0), "it was never asked"


def test_a_process_that_has_ended_took_no_cpu_and_is_found_out_at_its_next_turn() -> None:
    turn = turn_clock()
    turn.answered = 11.0
    assert turn.end(None) == Turn(10.0, 11.0, 0.0, 1.0)
    assert turn.begin(11.0, BY_CPU)


def test_what_is_used_at_once_after_a_turn_counts_towards_the_next_but_not_in_a_match() -> None:
    turn = turn_clock()
    answer(turn, 11.0, 0.5)
    assert not turn.begin(11.00009, BY_CPU)
    assert turn.begin(11.0002, BY_CPU)
    turn.begin_match()
    assert turn.begin(11.0, BY_CPU)


def test_what_is_used_beyond_what_is_free_is_charged_to_the_turn_and_not_to_the_next() -> None:
    turn = used_before(0.5)
    reading = 0.75 + FREE_SECONDS
    assert turn.used(reading) == pytest.approx(0.5)
    found = answer(turn, 12.5, reading + 0.25)
    assert (found.cpu, found.wall) == (pytest.approx(0.75), pytest.approx(1.0))
    assert turn.meter.charged == pytest.approx(0.5)
    assert turn.meter.burner
    turn.begin(12.5, BY_CPU)
    turn.asked(12.5)
    assert answer(turn, 12.75, reading + 0.25) == Turn(12.5, 12.75, 0.0, 0.25)


def test_what_no_clock_shows_is_charged_too() -> None:
    turn = turn_clock()
    answer(turn, 11.0, 0.25)
    turn.meter.owed = 0.5
    turn.begin(12.0, BY_CPU)
    turn.settle(0.25)
    assert turn.charge == 0.5
    assert answer(turn, 12.5, 0.5).cpu == 0.75


def test_a_turn_earns_a_share_of_it_to_be_free_after_it_but_what_it_is_charged_does_not() -> None:
    for charged in (0.0, 4.0):
        turn = used_before(charged)
        reading = 4.25 + FREE_SECONDS + charged
        answer(turn, 12.5, reading)
        assert not turn.meter.is_overdrawn(reading + FREE_SHARE * 3.99)
        assert turn.meter.is_overdrawn(reading + FREE_SHARE * 4.01)


def test_what_is_charged_begins_anew_with_a_match_and_so_does_what_was_earned() -> None:
    turn = used_before(4.0)
    answer(turn, 12.5, 8.25)
    turn.begin_match()
    assert (turn.meter.charged, turn.meter.burner) == (0.0, False)
    assert turn.meter.is_overdrawn(8.251 + FREE_PER_MATCH)
    assert not turn.meter.is_overdrawn(8.249 + FREE_PER_MATCH)
    for _ in range(20):
        turn.begin_match()
    assert turn.meter.is_overdrawn(8.251 + FREE_SECONDS), "quiet matches save up no more"


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


@pytest.mark.parametrize(
    ("clock", "threads", "moment", "reading", "left"),
    [
        (BY_CPU, 1, 10.5, 0.75, 1.5),
        (BY_CPU, 1, 10.5, 2.25, 0.0),
        (BY_CPU, 1, 10.0 + CAP - 0.5, 0.25, 0.5),  # the cap comes first
        (BY_CPU, 1, 10.0 + CAP, 0.5, 0.0),
        (BY_WALL, 1, 10.5, 50.0, 1.5),
        (BY_CPU, 4, 10.5, 7.25, 0.25),  # if all of them go on
        (BY_CPU, 4, 11.0, 8.25, 0.0),
        (BY_CPU, 4, 10.0 + CAP - 0.5, 0.25, 0.5),
        (BY_CPU, 4, 10.0 + CAP, 0.25, 0.0),
        (BY_WALL, 4, 10.5, 50.0, 1.5),
    ],
)
def test_what_is_left_is_the_cpu_time_of_all_threads_or_the_wall_that_one_has(
    clock: Clock, threads: int, moment: float, reading: float, left: float
) -> None:
    assert turn_clock(clock, threads=threads).left(moment, reading) == left


def test_one_thread_of_several_gains_no_time_by_what_it_used_before() -> None:
    """The others leave CPU time enough for all that it can use; the wall bounds it."""
    turn = used_before(0.5, threads=4)
    assert turn.left(12.0 + CAP - 1.0, CAP - 0.5) == pytest.approx(0.5)
    assert turn.left(12.0 + CAP - 0.5, CAP) == 0.0


def test_by_the_wall_a_bot_is_late_with_what_it_used_before() -> None:
    turn = used_before(0.5, BY_WALL)
    assert turn.left(12.0, 0.75 + FREE_SECONDS) == pytest.approx(1.5)
    assert turn.left(13.5, 1.0) == 0.0
    assert answer(turn, 12.5, 1.0).wall == pytest.approx(1.0)


def test_why_a_turn_is_late_is_told(golden: Golden) -> None:
    told = [
        turn_clock().why_late(10.5, 2.25),
        turn_clock().why_late(10.0 + CAP, 0.5),
        turn_clock(threads=4).why_late(11.0, 8.25),
        used_before(0.5, BY_WALL).why_late(13.5, 1.0),
    ]
    for clock, threads in ((BY_CPU, 1), (BY_CPU, 2), (BY_WALL, 2)):
        turn = turn_clock(clock, threads=threads)
        told.append(turn.why_overdrawn(answer(turn, 12.5, 4.75)))
    golden("\n".join(told))


@pytest.mark.parametrize(("used", "is_idle"), [(0.125, True), (0.25, False)])
def test_who_used_less_than_a_tenth_was_idle(used: float, is_idle: bool) -> None:
    assert turn_clock().is_idle(0.25 + used) == is_idle


def test_at_the_cap_what_others_had_of_the_core_is_taken_off() -> None:
    core = Core()
    turn = turn_clock(waited=core)
    core.taken = 0.75
    assert turn.left(10.0 + CAP, 0.25) == 0.75
    assert turn.left(10.5 + CAP, 0.25) == 0.25
    assert turn.left(10.75 + CAP, 0.25) == 0.0
    core.taken = 2**-20
    assert turn.left(10.75 + CAP, 0.25) == 0.01, "a moment at least"
    assert core.asked_of == [10.0] * 3


def test_no_core_is_no_excuse_for_cpu_time_used_nor_asked_for_where_time_is_left() -> None:
    core = Core()
    turn = turn_clock(waited=core)
    core.taken = 5.0
    assert turn.left(10.0 + CAP, 2.25) == 0.0
    assert turn.left(10.0 + CAP - 0.5, 0.25) == 0.5
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
