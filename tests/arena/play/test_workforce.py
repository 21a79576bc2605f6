"""What a worker has before it, as the runner sees it."""

from arena.play.worker import Batch, Report, Task
from arena.play.workforce import Worker
from arena.store.result import MatchResult, PlayedMatch, Record


class Idle(Worker):
    """A worker to whom nothing is really sent."""

    def _send(self, batch: Batch) -> None:
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
    """Return a worker that was given a batch."""
    worker = Idle()
    worker.give(Batch(tasks=list(tasks)))
    return worker


def left(worker: Worker) -> dict[int, list[int]]:
    """Return the rotations that are still to come, by number of the deal."""
    return {task.number: task.rotations for batch in worker.sent for task in batch.values()}


def test_a_deal_is_over_when_all_that_was_asked_of_it_is_played() -> None:
    worker = given(Task((0, 1), 0, [0, 1]), Task((0, 1), 1, [1]))
    assert worker.note(Report(played=[played(0, 0)])) == 0
    assert left(worker) == {0: [1], 1: [1]}
    assert worker.note(Report(played=[played(0, 1), played(1, 1)])) == 2
    assert left(worker) == {}


def test_a_deal_that_cannot_be_played_is_over() -> None:
    task = Task((0, 1), 0, [0, 1])
    worker = given(task, Task((0, 1), 1, [0, 1]))
    assert worker.note(Report(played=[played(0, 0)], failed=[(task, "why")])) == 1
    assert left(worker) == {1: [0, 1]}


def test_the_end_of_the_answer_ends_the_batch_whatever_is_left_of_it() -> None:
    worker = given(Task((0, 1), 0, [0, 1]))
    worker.give(Batch(tasks=[Task((0, 1), 1, [0, 1])]))
    worker.note(Report(played=[played(0, 0)], left=True, done=True))
    assert left(worker) == {1: [0, 1]}
