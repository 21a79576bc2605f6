"""What a worker has before it, as the runner sees it, and what the runner makes of events."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from arena.play import messages
from arena.play.events import Notice, Problem, Started
from arena.play.messages import Check, Done, Fit, News, Order, Play, Results, Setup, Task, Word
from arena.play.runner import Runner
from arena.play.workforce import Event, Heard, Worker, Workforce
from arena.schedule.deal import BotIndex, Entrant, Schedule
from arena.store.result import MatchResult, PlayedMatch, Record
from referee.catalog.finding import Source
from referee.limits import Limits


class Idle(Worker):
    """A worker to whom nothing is really sent."""

    def _send(self, order: Order) -> None:
        pass


def played(
    number: int, rotation: int, lineup: Sequence[int] = (0, 1), seconds: float = 0.0, **facts: Any
) -> PlayedMatch:
    """Return a match of two bots, as far as it is looked at."""
    result = MatchResult(
        deal=f"{number:016x}",
        number=number,
        order=None,
        rotation=rotation,
        bots=(lineup[rotation], lineup[1 - rotation]),
        places=(1, 2),
        reason="",
        decisions=1,
        faults=({}, {}),
        forfeits=(),
        moves=0,
        clock="[]",
    )
    return PlayedMatch(msgspec.structs.replace(result, **facts), Record(b"", b"", seconds))


def given(*tasks: Task) -> Idle:
    worker = Idle()
    worker.give(Play(list(tasks)))
    return worker


def left(worker: Worker) -> dict[int, tuple[int, ...]]:
    return {task.number: task.rotations for given in worker.given for task in given.tasks()}


def test_a_deal_is_over_when_all_that_was_asked_of_it_is_played() -> None:
    worker = given(Task((0, 1), 0, (0, 1)), Task((0, 1), 1, (1,)))
    assert worker.note(Results([played(0, 0)], 0.0)) == 0
    assert left(worker) == {0: (1,), 1: (1,)}
    assert worker.note(Results([played(0, 1), played(1, 1)], 0.0)) == 2
    assert left(worker) == {}


@pytest.mark.parametrize(
    ("word", "over"),
    [
        (messages.Failed(Task((0, 1), 0, (0, 1)), 0, "it cannot be played"), 1),
        (messages.Away(Task((0, 1), 0, (1,)), "is neither over nor left", False), 0),
        (Done(), 0),
        (messages.Left(), 0),
    ],
)
def test_what_is_said_of_a_deal_or_an_order_ends_it_whatever_is_left_of_it(
    word: Word, over: int
) -> None:
    worker = given(Task((0, 1), 0, (0, 1)))
    worker.give(Play([Task((0, 1), 1, (0, 1))]))
    assert worker.note(Results([played(0, 0)], 0.0)) == 0
    assert worker.note(word) == over
    assert left(worker) == {1: (0, 1)}


class Still(Workforce):
    """A workforce in which nothing goes on but what a test says."""

    @contextmanager
    def running(self) -> Iterator[None]:
        yield

    def begin(self) -> None:
        pass

    def replace(self, worker: Worker) -> None:
        raise AssertionError("nobody dies")

    def leave(self) -> None:
        self.workers = []

    def release_idle(self) -> None:
        self.workers = []


class Scripted(Still):
    """An idle worker of whom it is known beforehand what is heard, at one look after the other."""

    def __init__(self, *looks: Sequence[Word | Event]) -> None:
        self._worker = Idle()
        self.workers = [self._worker]
        self._looks = iter(looks)

    def begin(self) -> None:
        self._worker.unchecked = [BotIndex(0), BotIndex(1)]
        for bot in self._worker.unchecked:
            self._worker.give(Check(bot))

    def events(self, patience: float) -> list[Event]:
        words = Fit | Results | Done
        said = next(self._looks)
        return [Heard(self._worker, each) if isinstance(each, words) else each for each in said]


def setup(*names: str, **more: Any) -> Setup:
    entrants = tuple(Entrant(name, "1") for name in names)
    schedule = Schedule("guerra", "key", 2, "cyclic", entrants)
    game = Source("guerra", "bundled")
    told = {"game": game, "options": {}, "limits": Limits(), "schedule": schedule}
    return Setup(**told, names=[*names], programs=[], **more)


def run(force: Scripted, *tasks: Task) -> list[Results | Notice]:
    runner = Runner(setup("ada", "bob"), tasks, force)
    return [event for happened in runner.run() for event in happened]


CHECKED = [Fit(BotIndex(0), 7), Done(), Fit(BotIndex(1), 8), Done()]


def test_all_that_is_heard_at_once_is_to_be_stored_at_once() -> None:
    one, other = played(0, 0), played(1, 0)
    force = Scripted(
        CHECKED, [Results([one], 0.5), Done(), News("so"), Results([other], 0.25), Done()]
    )
    assert run(force, Task((0, 1), 0, (0,)), Task((0, 1), 1, (0,))) == [
        Started("ada", 7),
        Started("bob", 8),
        Results([one, other], 0.75),
        News("so"),
    ]


def test_a_workforce_that_is_broken_is_a_problem_and_the_end() -> None:
    force = Scripted(CHECKED, [messages.Broken("all are gone.")], [])
    found = run(force, Task((0, 1), 0, (0,)))
    assert found[2:] == [Problem("all are gone.")]
