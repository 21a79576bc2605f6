"""How long a seat may still think, and what a process has really used."""

import msgspec

from protocol.messages import TimeControl, TimeLeft
from referee.limits import CAP_FACTOR, CAP_SECONDS

_LONGEST = 10 * 86_400.0  # seconds: no poll waits for a month


class Turn(msgspec.Struct, frozen=True, gc=False):
    """When an answer was asked for and when it came, in seconds of `time.monotonic`."""

    began: float
    ended: float
    cpu: float = 0.0
    """CPU seconds that the bot used in it."""
    wall: float = 0.0
    """Seconds on the wall that are held against the bot."""


class Clock:
    """One seat's time in one match: `move_time` is free at each decision, then the bank pays.

    Args:
        control: the times, which are those of one thread.
        threads: how many threads of the bot can run at a time. By CPU time, a decision costs what
            all of them used, divided by their number.

    """

    __slots__ = ("allowed", "bank", "by_cpu", "increment", "left", "move_time", "threads")

    def __init__(self, control: TimeControl, threads: int) -> None:
        self.by_cpu = control.judge == "cpu"
        self.threads = threads
        self.move_time = control.move_time
        self.increment = control.increment
        self._fill(control.bank)

    def _fill(self, bank: float) -> None:
        self.bank = bank
        self.allowed = min(self.move_time + bank, _LONGEST)
        """The most a decision may take now, in seconds of each thread."""
        self.left = TimeLeft(self.move_time, round(bank, 3))
        """What the seat may spend now, as its ask shows it."""

    def spend(self, cpu: float, wall: float) -> bool:
        """Pay for a decision that took so many seconds; return whether it was in time.

        By CPU time, a sleeper pays what makes it late just when `wall_cap` does, so that a bank
        is no store of time to sleep.
        """
        used = wall
        if self.by_cpu:
            used = cpu / self.threads
            if wall > CAP_SECONDS:
                used = max(used, (wall - CAP_SECONDS) / CAP_FACTOR)
        if used <= self.move_time and not self.increment:
            return True
        left = self.bank - max(used - self.move_time, 0.0)
        self._fill(max(left, 0.0) + self.increment)
        return left >= 0
