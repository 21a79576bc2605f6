"""What a worker has before it, as the runner sees it."""

import pytest

from arena.play.messages import Done, Failed, Left, Order, Play, Results, Task, Word
from arena.play.workforce import Worker
from arena.store.result import MatchResult, PlayedMatch, Record


class Idle(Worker):
    """A worker to whom nothing is really sent."""

    def _send(self, order: Order) -> None:
        pass


def played(number: int, rotation: int) -> PlayedMatch:
    """Return a match of the bots 0 and 1, as far as it is looked at."""
    result = MatchResult(
        deal=f"{number:016x}",
        number=number,
        rotation=rotation,
        bots=[rotation, 1 - rotation],
        places=[1, 2],
        reason="",
        decisions=1,
        faults=[{}, {}],
        forfeits=[],
        moves=0,
        clock="[]",
    )
    return PlayedMatch(result, Record(b"", b"", 0.0))


def given(*tasks: Task) -> Idle:
    """Return a worker that was given an order."""
    worker = Idle()
    worker.give(Play(list(tasks)))
    return worker


def left(worker: Worker) -> dict[int, tuple[int, ...]]:
    """Return the rotations that are still to come, by number of the deal."""
    return {task.number: task.rotations for given in worker.given for task in given.tasks()}


def test_a_deal_is_over_when_all_that_was_asked_of_it_is_played() -> None:
    worker = given(Task((0, 1), 0, (0, 1)), Task((0, 1), 1, (1,)))
    assert worker.note(Results([played(0, 0)], 0.0)) == 0
    assert left(worker) == {0: (1,), 1: (1,)}
    assert worker.note(Results([played(0, 1), played(1, 1)], 0.0)) == 2
    assert left(worker) == {}


def test_a_deal_that_cannot_be_played_is_over() -> None:
    task = Task((0, 1), 0, (0, 1))
    worker = given(task, Task((0, 1), 1, (0, 1)))
    assert worker.note(Results([played(0, 0)], 0.0)) == 0
    assert worker.note(Failed(task, "why")) == 1
    assert left(worker) == {1: (0, 1)}


@pytest.mark.parametrize("end", [Done(), Left()])
def test_the_end_of_an_order_ends_it_whatever_is_left_of_it(end: Word) -> None:
    worker = given(Task((0, 1), 0, (0, 1)))
    worker.give(Play([Task((0, 1), 1, (0, 1))]))
    worker.note(Results([played(0, 0)], 0.0))
    worker.note(end)
    assert left(worker) == {1: (0, 1)}
