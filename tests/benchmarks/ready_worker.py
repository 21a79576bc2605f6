"""A worker that plays nothing: every match is there at once, of a usual size."""

import os
from typing import Any

from arena.play import worker
from arena.play.messages import Fit, Setup
from arena.schedule.deal import Deal, Schedule
from arena.store.result import MatchResult, PlayedMatch, Record

RECORD = Record(os.urandom(300), os.urandom(300), 0.01)


class ReadyExecutor(worker.Executor):
    """Plays matches that need no bots, no rules and next to no time."""

    def _checked(self, bot: int) -> Fit:
        return Fit(bot, 0)

    def _match(self, deal: Deal, rotation: int) -> PlayedMatch:
        return ready(self._setup.schedule, deal, rotation)


def ready(schedule: Schedule, deal: Deal, rotation: int) -> PlayedMatch:
    """Return a match that the first seat has won; who sits there is not shuffled."""
    name = schedule.deal_id(deal)
    result = MatchResult(
        deal=name,
        number=deal.number,
        order=schedule.order(deal),
        rotation=rotation,
        bots=(*deal.lineup[rotation:], *deal.lineup[:rotation]),
        places=tuple(range(1, len(deal.lineup) + 1)),
        reason="made up",
        decisions=50,
        faults=tuple({} for _ in deal.lineup),
        forfeits=(),
        moves=int(name, 16) >> 1,
        clock=str([[25, 2000, 300, 4000] for _ in deal.lineup]),
    )
    return PlayedMatch(result, RECORD, "machine", "landlock")


def main(link: Any, setup: Setup, core: int | None, parent: int) -> None:
    """Do what a worker does, with such matches."""
    worker.Executor = ReadyExecutor  # type: ignore[misc]
    worker.main(link, setup, core, parent)
