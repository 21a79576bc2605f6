"""The clock of a bot's turns: how long it is still waited for, and what a turn took; pure."""

from collections.abc import Callable

from referee.limits import CAP_SECONDS, cap_words, wall_cap
from referee.turn.clock import Clock, Turn
from referee.turn.meter import Meter

_STALL_SECONDS = 0.5  # a wait that overran by more: the referee was stopped, and the bot perhaps
_IDLE_SHARE = 0.1  # of the time allowed: a bot that used less CPU waits for something
_SHORT_SECONDS = 0.0001  # between two turns: what was used then counts as used in the second
_LEAST_SECONDS = 0.01  # for which a bot that had no core is waited for once more


class TurnClock:
    """Times the turns of one bot: `begin`, perhaps `settle`, `asked`, and `end`.

    It is given the time now, as `time.monotonic` shows it, and readings of the process's CPU clock.

    Args:
        reading: what the CPU clock shows now.
        waited: returns the seconds in which the bot had no core, as others had it, in the turn that
            began at a given time; each second once. It is only called where that may matter.
        threads: how many threads of the bot can run at a time.

    """

    __slots__ = (
        *("_cap_start", "_rested", "_threads", "_waited", "allowed", "answered", "began", "by_cpu"),
        *("charge", "cpu_start", "meter"),
    )

    def __init__(self, reading: float, waited: Callable[[float], float], threads: int) -> None:
        self.meter = Meter(reading)
        self._threads = threads
        self._waited = waited
        self.allowed = 0.0
        """The most that the turn may take, in seconds of each thread."""
        self.by_cpu = True
        """Whether its CPU time is judged, or the time on the wall."""
        self.began = 0.0
        self.answered = 0.0
        """When the bot was last heard, or looked for, in the turn."""
        self.charge = 0.0
        """What the turn is charged for CPU used before it."""
        self.cpu_start = reading
        """What the CPU clock showed when the turn began, less the charge."""
        self._cap_start = 0.0  # from when on the wall is held against the bot
        self._rested = 0.0  # when its last turn ended, if it had one in this match

    def begin_match(self) -> None:
        """Forget the turns of the last match."""
        self.meter.begin_match()
        self._rested = 0.0

    def begin(self, moment: float, clock: Clock) -> bool:
        """Begin a turn; return whether to `settle`, as some time has passed since the last one."""
        self.allowed = clock.allowed
        self.by_cpu = clock.by_cpu
        self.charge = 0.0
        self.cpu_start = self.meter.mark
        self.began = self._cap_start = self.answered = moment
        return moment - self._rested > _SHORT_SECONDS

    def settle(self, reading: float) -> None:
        """Charge CPU used since the last turn as off-turn time, where it was not free.

        Gaps shorter than 0.1 ms are not settled: CPU used in them counts towards the turn.
        """
        self.charge = self.meter.settle(reading)
        self.cpu_start = reading - self.charge

    def asked(self, moment: float) -> None:
        """Hold the wall against the bot from now on: what was before is the referee's.

        What the turn is charged counts on the wall too, where the CPU clock alone may leave room
        for it: a bot that uses one of its threads needs no CPU time of the others.
        """
        self.answered = moment
        self._cap_start = moment - self.charge

    def is_stalled(self, moment: float, wait: float, *, is_heard: bool) -> bool:
        """Note that the referee is awake again; return whether it overslept the longest `wait`.

        Then something stopped the whole machine, and the wall is held against the bot anew. A bot
        that is heard had answered by the end of the wait: what the referee overslept is its own.
        """
        overslept = moment - self.answered - wait
        is_stalled = overslept > _STALL_SECONDS
        self.answered = moment - overslept if is_heard and overslept > 0 else moment
        if is_stalled:
            self._cap_start = self.answered
        return is_stalled

    def used(self, reading: float) -> float:
        """Return the CPU seconds of this turn, with what it is charged."""
        return reading - self.cpu_start

    def is_idle(self, reading: float) -> bool:
        """Return whether the bot used next to nothing of what it is allowed."""
        return self.used(reading) < _IDLE_SHARE * self.allowed

    def left(self, moment: float, reading: float) -> float:
        """Return how long to wait for the bot now, in seconds; 0 if it is late.

        Time in which others had its core is not held against it on the wall.
        """
        if not self.by_cpu:
            return self._wall_left(moment, self.allowed)
        cpu_left = self._allowed_cpu - self.used(reading)
        if cpu_left <= 0:
            return 0.0
        return min(cpu_left / self._threads, self._wall_left(moment, wall_cap(self.allowed)))

    @property
    def _allowed_cpu(self) -> float:
        """The most CPU seconds that all threads together may use in the turn."""
        return self.allowed * self._threads

    def _wall_left(self, moment: float, cap: float) -> float:
        left = cap - (moment - self._cap_start)
        if left > 0:
            return left
        self._cap_start += self._waited(self.began)
        left = cap - (moment - self._cap_start)
        return max(left, _LEAST_SECONDS) if left > 0 else 0.0

    def why_late(self, moment: float, reading: float) -> str:
        """Return in words how a turn that has no time left has used it up."""
        used, wall = self.used(reading), moment - self._cap_start
        if not self.by_cpu:
            return f"no answer after {wall:.3f} s{self._before()}; {self.allowed:.3f} s allowed"
        if used >= self._allowed_cpu:
            allowed = f"{self._allowed_cpu:.3f} s allowed{self._of_threads()}"
            return f"{used:.3f} s of CPU time used{self._before()}; {allowed}"
        return (
            f"no answer after {wall:.3f} s on the wall, {used:.3f} s of CPU time used; "
            f"{cap_words(self.allowed)}"
        )

    def why_overdrawn(self, turn: Turn) -> str:
        """Return in words why an answer in this turn came too late."""
        return (
            f"answered after {turn.cpu:.3f} s of CPU time{self._before()} and "
            f"{turn.ended - turn.began:.3f} s on the wall; "
            f"{self._allowed_cpu if self.by_cpu else self.allowed:.3f} s "
            f"{'of CPU time ' if self.by_cpu else ''}allowed"
            f"{self._of_threads() if self.by_cpu else ''}"
        )

    def _of_threads(self) -> str:
        """Return in words what CPU time is allowed to each of several threads."""
        return f", {self.allowed:.3f} s for each of {self._threads} threads" * (self._threads > 1)

    def _before(self) -> str:
        """Return in words what of the turn's time was used before it, if any."""
        return f", {self.charge:.3f} s of it before it was asked" if self.charge else ""

    def end(self, reading: float | None) -> Turn:
        """End the turn, with the bot's last answer; return what it took.

        There is no reading of a process that has ended: then the turn took no CPU time.
        """
        answered = self._rested = self.answered
        if not self.by_cpu or answered - self._cap_start > CAP_SECONDS:  # where it may cost
            self._cap_start += self._waited(self.began)
        if reading is None:
            reading = self.cpu_start
            self._rested = 0.0  # so that the next turn reads the clock at once, and finds out
        cpu = reading - self.cpu_start
        meter = self.meter
        meter.mark = reading
        meter.on_turn += cpu
        return Turn(self.began, answered, cpu, answered - self._cap_start)
