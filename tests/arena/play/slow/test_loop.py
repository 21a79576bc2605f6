"""The loop of slow matches: real descriptors and threads, and the times that its tasks are told."""

import os
import select
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from greenlet import GreenletExit

from arena.play.slow.loop import NOBODY, Loop, Turns

EVERYTHING = 0.3  # seconds of work, during which others are not told of anything


class Tasks:
    """A loop, and who worked in it, in order."""

    def __init__(self) -> None:
        self.worked: list[int] = []
        self.loop = Loop(self.worked.append)

    def run(self, *tasks: Callable[[Turns], None]) -> None:
        """Run tasks, numbered from 1 on, to the end of all."""
        for number, task in enumerate(tasks, 1):
            turns = Turns(self.loop, 10.0)
            self.loop.begin(number, lambda task=task, turns=turns: task(turns))  # type: ignore[misc]
        self.loop.run()


def busy(seconds: float) -> None:
    """Use a core for so long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def heard(turns: Turns, descriptor: int, seconds: float) -> float:
    """Wait for a descriptor; return when it was ready, and fail if it was not."""
    poll = turns.poll()
    poll.register(descriptor, select.POLLIN)
    assert poll.poll(seconds * 1000) == [(descriptor, select.POLLIN)]
    return turns.woke()


def test_others_work_where_one_waits_and_nowhere_else() -> None:
    tasks = Tasks()
    said: list[str] = []

    def two_steps(name: str) -> Callable[[Turns], None]:
        def task(turns: Turns) -> None:
            said.append(f"{name} 1")
            turns.sleep(0.01)
            said.append(f"{name} 2")
            said.append(f"{name} 3")

        return task

    tasks.run(two_steps("a"), two_steps("b"))
    assert said[:2] == ["a 1", "b 1"]
    assert sorted(said[2:]) == ["a 2", "a 3", "b 2", "b 3"]
    assert said.index("a 3") == said.index("a 2") + 1
    assert tasks.worked == [1, NOBODY, 2, NOBODY] * 2 or tasks.worked[4:] == [2, NOBODY, 1, NOBODY]


def test_what_came_while_another_worked_came_when_that_began() -> None:
    tasks, moments = Tasks(), dict[str, float]()
    read, write = os.pipe()

    def hearing(turns: Turns) -> None:
        moments["asked"] = time.monotonic()
        moments["heard"] = heard(turns, read, 10.0)
        moments["told"] = time.monotonic()

    def working(turns: Turns) -> None:
        moments["began"] = time.monotonic()
        busy(EVERYTHING / 2)
        os.write(write, b"x")
        busy(EVERYTHING / 2)

    tasks.run(hearing, working)
    assert moments["asked"] <= moments["heard"] <= moments["began"]
    assert moments["told"] - moments["heard"] >= EVERYTHING


def test_time_that_was_up_while_another_worked_was_up_when_it_was() -> None:
    """Or a bot would have longer than it may, by the work of others."""
    tasks, moments = Tasks(), dict[str, float]()
    read, _ = os.pipe()

    def waiting(turns: Turns) -> None:
        poll = turns.poll()
        poll.register(read, select.POLLIN)
        moments["began"] = time.monotonic()
        assert poll.poll(50) == []
        moments["up"] = turns.woke()
        moments["told"] = time.monotonic()

    tasks.run(waiting, lambda _: busy(EVERYTHING))
    assert 0.05 <= moments["up"] - moments["began"] < EVERYTHING / 2
    assert moments["told"] - moments["began"] >= EVERYTHING


def test_what_all_wait_for_is_heard_when_it_comes() -> None:
    read, write = os.pipe()
    moments: list[float] = []

    def send() -> None:
        time.sleep(0.1)
        moments.append(time.monotonic())
        os.write(write, b"x")

    with ThreadPoolExecutor() as pool:
        pool.submit(send)
        Tasks().run(lambda turns: moments.append(heard(turns, read, 10.0)))
    sent, came = moments
    assert 0 <= came - sent < 1.0


def test_time_that_is_up_is_told_after_it_and_nothing_is_found() -> None:
    read, _ = os.pipe()
    found: list[object] = []

    def waiting(turns: Turns) -> None:
        poll = turns.poll()
        poll.register(read, select.POLLIN)
        began = time.monotonic()
        found.append(poll.poll(50))
        found.append(turns.woke() - began)

    Tasks().run(waiting)
    assert found[0] == []
    assert isinstance(found[1], float)
    assert 0.05 <= found[1] < 2.0


def test_what_a_thread_does_is_waited_for_beside_others() -> None:
    said: list[object] = []
    never: Future[int] = Future()

    def asking(turns: Turns) -> None:
        with ThreadPoolExecutor() as pool:
            said.append(turns.result(pool.submit(lambda: time.sleep(0.1) or 7)))
        done: Future[int] = Future()
        done.set_result(8)
        said.append(turns.result(done))
        never.set_exception(ValueError("no"))
        with pytest.raises(ValueError, match="no"):
            turns.result(never)

    def other(turns: Turns) -> None:
        turns.sleep(0.0)
        said.append("meanwhile")

    Tasks().run(asking, other)
    assert said == ["meanwhile", 7, 8]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, GreenletExit])
def test_an_error_of_a_task_ends_the_loop(error: type[BaseException]) -> None:
    def failing(turns: Turns) -> None:
        turns.sleep(0.0)
        raise error

    with pytest.raises(error):
        Tasks().run(failing)


def test_tasks_that_are_left_do_not_go_on() -> None:
    tasks = Tasks()
    went_on: list[int] = []

    def waiting(turns: Turns) -> None:
        turns.sleep(0.05)
        went_on.append(1)

    def leaving(_: Turns) -> None:
        assert tasks.loop.is_working
        tasks.loop.leave()

    tasks.run(waiting, leaving)
    assert not tasks.loop.is_working
    assert tasks.loop.turns == 2
    time.sleep(0.1)
    assert went_on == []
