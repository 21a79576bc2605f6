"""A seat's time: free at each decision, then out of the bank; and a process's real use of it."""

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.messages import TimeControl, TimeLeft
from referee.limits import wall_cap
from referee.process.procfs import cpu_clock
from referee.turn.clock import Clock

seconds = st.integers(0, 64).map(lambda eighths: eighths / 8)  # sums of these are exact


def clock(
    move_time: float, bank: float, increment: float = 0.0, threads: int = 1, judge: str = "cpu"
) -> Clock:
    control = TimeControl(judge=judge, move_time=move_time, bank=bank, increment=increment)
    return Clock(control, threads)


def test_whatever_was_saved_no_decision_takes_longer_than_a_poll_can_wait() -> None:
    seat = clock(1.0, 0.0, increment=86_400.0)
    for _ in range(30):
        seat.spend(0.0, 0.0)
    assert seat.bank == 30 * 86_400.0
    assert seat.allowed * 1000 < 2**31


def test_a_seat_is_told_milliseconds() -> None:
    seat = clock(1.0, 2.0)
    seat.spend(1.000123, 0.0)
    assert seat.left == TimeLeft(1.0, 2.0)
    assert seat.allowed == pytest.approx(2.999877)


@given(
    st.sampled_from([("cpu", 1), ("cpu", 4), ("wall", 1), ("wall", 4)]),
    *(seconds, seconds, seconds, st.lists(st.tuples(seconds, seconds))),
)
def test_a_decision_is_late_exactly_when_it_takes_more_than_was_allowed(
    judged: tuple[str, int],
    move_time: float,
    bank: float,
    increment: float,
    uses: list[tuple[float, float]],
) -> None:
    """By CPU, each thread may use that; by the wall, what was used counts for nothing."""
    judge, threads = judged
    seat = clock(move_time, bank, increment, threads, judge)
    for used, other in uses:
        allowed = seat.allowed
        assert seat.left == TimeLeft(move_time, seat.bank)
        by_cpu = (used * threads, min(other, wall_cap(used)))
        in_time = seat.spend(*(by_cpu if judge == "cpu" else (other, used)))
        assert in_time == (used <= allowed)
        assert seat.bank == max(allowed - max(used, move_time), 0.0) + increment


@given(seconds, seconds, st.floats(0.001, 64), st.sampled_from([1, 4]))
def test_by_cpu_a_sleeper_is_late_just_when_the_cap_is_passed(
    move_time: float, bank: float, more: float, threads: int
) -> None:
    cap = 2 * (move_time + bank) + 1
    assert clock(move_time, bank, threads=threads).spend(0.0, cap)
    assert not clock(move_time, bank, threads=threads).spend(0.0, cap + more)


def test_the_cpu_clock_of_another_process_counts_all_its_threads_until_it_is_gone() -> None:
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
    with pytest.raises(OSError, match="argument"):
        time.clock_gettime(cpu_clock(process.pid))
