"""Workers that are kept between the runs of one league, with the processes of their bots."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

import msgspec

from arena.play.messages import Setup
from arena.play.spawning import kill_all
from arena.play.workforce import Worker
from arena.schedule.deal import BotIndex, Entrant, first_bots
from referee.sandbox import Program

W = TypeVar("W", bound=Worker)

_MOST_RUNS = 100
"""After so many, new workers begin: copies of bots that have left are gone with the old ones."""


class IdleWorkers(Generic[W]):
    """Workers without work; a run takes them over if its bots alone differ from those before."""

    def __init__(self) -> None:
        self.workers: list[W] = []
        self._setup: Setup | None = None
        self._fit: set[tuple[Entrant, str, Program]] = set()
        self._runs = 0

    def prepare(self, setup: Setup) -> None:
        """End the workers unless they can go on with another run."""
        if (
            self._setup is None
            or self._runs >= _MOST_RUNS
            or _conditions(setup) != _conditions(self._setup)
        ):
            self.clear()

    def take(self) -> W | None:
        """Return a worker, which is the run's from now on; None if there is none left."""
        return self.workers.pop(0) if self.workers else None

    def unknown(self, setup: Setup) -> Sequence[BotIndex]:
        """Return the bots of a run of which it is not known that they get ready."""
        entered = setup.entered
        return [bot for bot in first_bots(len(entered)) if entered[bot] not in self._fit]

    def keep(self, workers: Sequence[W], setup: Setup, fit: Collection[BotIndex]) -> None:
        """Take in the workers of a run that is over, in which some bots got ready."""
        entered = setup.entered
        self.workers += workers
        self._setup = setup
        self._fit = {*(entered[bot] for bot in fit), *self._fit.intersection(entered)}
        self._runs += 1

    def clear(self) -> None:
        """End the workers, and all others that this process has started."""
        kill_all()
        self.workers.clear()
        self._setup = None
        self._fit.clear()
        self._runs = 0


def _conditions(setup: Setup) -> tuple[Setup, int, list[tuple[object, ...]]]:
    """Return what is the same in two runs of which the bots alone may differ."""
    schedule = replace(setup.schedule, entrants=())
    common = msgspec.structs.replace(
        setup,
        schedule=schedule,
        names=[],
        programs=[],
        grants={},
        unbuilt={},
        out={},
        remotes={},
        wheels={},
    )
    return common, setup.cores, sorted(limits.enclosure for limits in setup.sandboxes)
