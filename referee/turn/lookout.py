"""What the referee looks at while it waits for a bot: its neighbours, its pipes, and its core."""

import os
from collections.abc import Collection

from referee.limits import Limits
from referee.process.procfs import Waits, WaitsInside, cores_of, descendants, identity, open_in_none
from referee.sandbox import Child
from referee.turn.wire import Wire

_AWAY_SECONDS = 0.005  # of a core that were not used in a turn: another process may have had them


class Lookout:
    """Looks around for one bot, in turns that take long.

    Args:
        child: the bot's process.
        limits: the bot's own. In `bwrap`, a process of bwrap's holds the pipes too, and lives
            as long as the bot's.
        neighbours: the processes that live beside it, itself perhaps among them.
        look_seconds: the least between two looks.

    """

    def __init__(
        self,
        child: Child,
        limits: Limits,
        neighbours: Collection[Wire],
        look_seconds: float,
    ) -> None:
        self._look_seconds = look_seconds
        self._pid = child.pid
        self._neighbours = neighbours
        self._is_inside = limits.sandbox == "bwrap"
        self._threads = limits.threads
        ends = {child.stdin: "input", child.stdout: "output"}
        self._pipes = {identity(os.fstat(end)): name for end, name in ends.items()}
        self._looked = 0.0
        self._waits: Waits | None = None  # in this turn, since it was away from the core
        self._forgiven = 0.0

    def look(self, own: Wire, moment: float, began: float, used: float) -> str:
        """Make sure that the bot has the core; return the pipe that it has closed, if any.

        `own` is the bot; `used` is its CPU time, in seconds, in the turn that `began` then. Freezes
        neighbours that use the core, and begins to notice what others take of it. Does nothing too
        soon after the turn began, or after the last look.
        """
        if moment - max(self._looked, began) < self._look_seconds:
            return ""
        if self._looked < began:
            self._waits = None
        self._looked = moment
        for other in self._neighbours:
            if other is not own:
                other.watch()
        if self._is_inside:
            pids = descendants(self._pid)
            for closed in open_in_none(pids, self._pipes.keys()):
                return self._pipes[closed]
        if self._waits is None and (moment - began) * self._threads - used > _AWAY_SECONDS:
            self._waits, self._forgiven = self._watched(), 0.0
        return ""

    def _watched(self) -> Waits:
        if not self._is_inside:
            return Waits(self._pid, self._threads)
        return WaitsInside(self._pid, cores_of(self._pid))

    def waited(self, began: float) -> float:
        """Return the seconds without a core in the turn that began then; each second once."""
        if self._waits is None or self._looked < began:
            return 0.0
        before, self._forgiven = self._forgiven, self._waits.seconds()
        return self._forgiven - before

    def forgiven(self, began: float) -> float:
        """Return the seconds without a core that `waited` has returned for this turn."""
        return self._forgiven if self._waits is not None and self._looked >= began else 0.0

    def forget(self) -> None:
        """Begin to notice anew what others take."""
        self._waits = None
