"""A seat's time: free at each decision, then out of the bank; and a process's real use of it."""

import os
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.messages import TimeControl, TimeLeft
from referee.clock import Clock, cpu_clock, wall_cap

seconds = st.integers(0, 64).map(lambda eighths: eighths / 8)  # sums of these are exact


def clock(
    move_time: float = 1.0, bank: float = 0.0, increment: float = 0.0, threads: int = 1
) -> Clock:
    control = TimeControl(judge="cpu", move_time=move_time, bank=bank, increment=increment)
    return Clock(control, threads)


def test_move_time_is_free_at_every_decision() -> None:
    seat = clock(move_time=1.0)
    assert [seat.spend(1.0, 0.0) for _ in range(100)] == [True] * 100


def test_without_a_bank_more_than_the_move_time_is_late() -> None:
    seat = clock(move_time=1.0)
    assert not seat.spend(1.001, 0.0)
    assert seat.spend(1.0, 0.0)


def test_what_exceeds_the_move_time_is_drawn_from_the_bank() -> None:
    seat = clock(move_time=1.0, bank=2.0)
    assert seat.spend(2.5, 0.0)
    assert seat.bank == 0.5
    assert seat.allowed == 1.5


def test_time_that_was_not_used_is_not_saved() -> None:
    seat = clock(move_time=1.0, bank=2.0)
    seat.spend(0.0, 0.0)
    assert seat.bank == 2.0


def test_the_bank_may_be_used_up_to_the_last_bit() -> None:
    seat = clock(move_time=1.0, bank=2.0)
    assert seat.spend(3.0, 0.0)
    assert seat.bank == 0.0
    assert seat.spend(1.0, 0.0)


def test_an_empty_bank_is_late_and_owes_nothing() -> None:
    seat = clock(move_time=1.0, bank=2.0)
    assert not seat.spend(10.0, 0.0)
    assert seat.bank == 0.0
    assert seat.spend(1.0, 0.0)


def test_the_increment_is_added_after_each_decision_quick_slow_or_late() -> None:
    seat = clock(move_time=1.0, increment=0.5)
    seat.spend(0.0, 0.0)
    assert seat.bank == 0.5
    assert seat.spend(1.25, 0.0)
    assert seat.bank == 0.75
    assert not seat.spend(2.0, 0.0)
    assert seat.bank == 0.5


def test_an_increment_comes_too_late_for_the_decision_it_follows() -> None:
    assert not clock(move_time=1.0, increment=5.0).spend(1.5, 0.0)


def test_whatever_was_saved_no_decision_takes_longer_than_a_poll_can_wait() -> None:
    seat = clock(move_time=1.0, increment=86_400.0)
    for _ in range(30):
        seat.spend(0.0, 0.0)
    assert seat.bank == 30 * 86_400.0
    assert seat.allowed * 1000 < 2**31


def test_a_seat_is_told_what_it_may_spend() -> None:
    seat = clock(move_time=1.0, bank=2.0, increment=0.5)
    assert seat.left == TimeLeft(1.0, 2.0)
    seat.spend(1.75, 0.0)
    assert seat.left == TimeLeft(1.0, 1.75)


def test_a_seat_is_told_milliseconds() -> None:
    seat = clock(move_time=1.0, bank=2.0)
    seat.spend(1.000123, 0.0)
    assert seat.left == TimeLeft(1.0, 2.0)
    assert seat.allowed == pytest.approx(2.999877)


@given(seconds, seconds, seconds, st.lists(seconds))
def test_a_decision_is_late_exactly_when_it_takes_more_than_was_allowed(
    move_time: float, bank: float, increment: float, uses: list[float]
) -> None:
    seat = clock(move_time, bank, increment)
    for used in uses:
        allowed = seat.allowed
        assert seat.left == TimeLeft(move_time, seat.bank)
        assert seat.spend(used, 0.0) == (used <= allowed)
        assert seat.bank == max(allowed - max(used, move_time), 0.0) + increment


def test_by_cpu_a_decision_costs_its_cpu_time() -> None:
    seat = clock(move_time=1.0, bank=2.0)
    assert seat.spend(1.5, 2.5)
    assert seat.bank == 1.5


def test_by_cpu_a_decision_costs_the_share_of_each_of_several_threads() -> None:
    seat = clock(move_time=1.0, bank=2.0, threads=4)
    assert seat.spend(4.0, 1.0)
    assert seat.bank == 2.0
    assert seat.spend(6.0, 1.5)
    assert seat.bank == 1.5
    assert seat.left == TimeLeft(1.0, 1.5)
    assert not seat.spend(4 * 2.5 + 0.25, 2.75)


def test_by_cpu_a_sleeper_of_several_threads_pays_as_one_of_one() -> None:
    cap = wall_cap(3.0)
    assert clock(move_time=1.0, bank=2.0, threads=4).spend(0.0, cap)
    assert not clock(move_time=1.0, bank=2.0, threads=4).spend(0.0, cap + 0.25)


def test_by_the_wall_several_threads_cost_what_one_does() -> None:
    control = TimeControl(judge="wall", move_time=1.0, bank=2.0, increment=0.0)
    seat = Clock(control, 4)
    assert seat.spend(9.0, 2.5)
    assert seat.bank == 0.5


def test_by_the_wall_a_decision_costs_its_time_on_the_wall() -> None:
    seat = Clock(TimeControl(judge="wall", move_time=1.0, bank=2.0, increment=0.0), 1)
    assert seat.spend(0.0, 2.5)
    assert seat.bank == 0.5


@given(seconds, seconds, st.floats(0.001, 64))
def test_by_cpu_a_sleeper_is_late_just_when_the_cap_is_passed(
    move_time: float, bank: float, more: float
) -> None:
    cap = wall_cap(move_time + bank)
    assert clock(move_time, bank).spend(0.0, cap)
    assert not clock(move_time, bank).spend(0.0, cap + more)


def test_the_cap_on_the_wall_is_twice_what_is_allowed_and_a_second() -> None:
    assert wall_cap(0.0) == 1.0
    assert wall_cap(2.5) == 6.0


def test_the_cpu_clock_of_this_process_is_its_own() -> None:
    before = time.process_time()
    between = time.clock_gettime(cpu_clock(os.getpid()))
    assert before <= between <= time.process_time()


def test_the_cpu_clock_of_another_process_counts_all_its_threads() -> None:
    text = """
import threading, time
def burn():
    while time.thread_time() < 0.1: pass
threads = [threading.Thread(target=burn) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(time.process_time(), flush=True)
input()
"""
    with subprocess.Popen(
        [sys.executable, "-S", "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        told = float(process.stdout.readline())
        assert 0.3 <= told <= time.clock_gettime(cpu_clock(process.pid)) < told + 0.1


def test_there_is_no_clock_of_a_process_that_is_gone() -> None:
    process = subprocess.Popen([sys.executable, "-S", "-c", ""])
    process.wait()
    with pytest.raises(OSError, match="argument"):
        time.clock_gettime(cpu_clock(process.pid))
