"""Stops a bot's processes between its turns, and finds out if they run all the same.

A signal stops them, and programs have found ways to make the kernel send them the signal that lifts
it. The sandbox refuses the known ways. What counts is measured: a process that used CPU while it
was stopped has lifted its freeze.

A signal stops all threads of a process once one of them has taken it up, which on a busy machine
may not get a core at once, while others run on. The kernel shows that. But a thread can wait in the
kernel where no signal reaches it, and let others run meanwhile. So that is no excuse for long.
"""

import contextlib
import os
import signal
from time import clock_gettime, monotonic

from referee.process.procfs import awaits, cores_of, cpu_clock, cpu_of, family
from referee.sandbox import Child

_STOPPING_SECONDS = 0.02  # of CPU that a process may use until it has stopped
_LIFTED_SECONDS = 0.1  # of CPU used in a match while frozen: more means that it lifted its freeze
_LATE_SECONDS = 1.0  # of CPU used in a match that are excused, as the signal was not taken up yet
_LOOK_SECONDS = 0.02  # between looks at all processes of a sandbox, each of which takes 50 us


class Freezer:
    """The freeze of one bot.

    Args:
        child: its process, running.
        sandbox: its kind. In `bwrap` the known process only waits for the bot's, so the CPU time of
            all processes in there is read.

    """

    def __init__(self, child: Child, sandbox: str) -> None:
        self.frozen = False
        self.lifted = ""
        """How it lifted its freeze, in words, until `take_lifted` has returned it."""
        self._lifts = 0
        self._child = child
        self._has_group = sandbox in ("bwrap", "none")  # the others' filter allows no children
        self._is_inside = sandbox == "bwrap"
        self._cpu_clock = cpu_clock(child.pid)
        self._mark = 0.0  # what had been used when it was frozen, or when last looked at
        self._awake = 0.0  # seconds since then that it was let run
        self._thawed = self._looked = monotonic()
        self.begin_match()
        self._cores = len(cores_of(child.pid)) if self._is_inside else 1

    def begin_match(self) -> None:
        """Begin to count what it uses in a match."""
        self.ran = 0.0
        """CPU seconds used while frozen, in this match."""
        self._excused = 0.0  # those for which it is not blamed
        self._blamed = 0.0  # those for which it was

    @property
    def is_hopeless(self) -> bool:
        """Whether it has lifted its freeze a second time."""
        return self._lifts > 1

    def take_lifted(self) -> str:
        """Return in words how it lifted its freeze, and forget it: it is blamed once."""
        lifted, self.lifted = self.lifted, ""
        return lifted

    def freeze(self) -> None:
        """Stop it where it is."""
        if not self.frozen:
            self._signal(signal.SIGSTOP)
            self.frozen = True
            if self._is_inside:
                self._awake += monotonic() - self._thawed
            else:
                self._mark = self._cpu()

    def thaw(self) -> None:
        """Let the process go on."""
        if self.frozen:
            if self._is_inside:
                self._thawed = monotonic()  # before it can take the core from us
            self._signal(signal.SIGCONT)
            self.frozen = False

    def look(self) -> float:
        """Look at a frozen bot; if it runs, stop it again.

        Returns the CPU seconds that it used and that its own clock does not show. What stopping may
        take is not counted; within one freeze, CPU time adds up from look to look.
        """
        if not self._is_inside:
            now = self._cpu()
            used = now - self._mark
        else:
            moment = monotonic()
            if moment - self._looked < _LOOK_SECONDS:
                return 0.0
            self._looked = moment
            now = cpu_of(family(self._child.pid))
            # on its turns it may have used every core all the time: the rest was not on its turns
            used = now - self._mark - self._awake * self._cores
            if self._awake:
                self._mark, self._awake = now, 0.0
        if used <= _STOPPING_SECONDS:
            return 0.0
        self._mark = now
        self.ran += used
        if any(awaits(pid, signal.SIGSTOP) for pid in family(self._child.pid)):
            self._excused = min(self._excused + used, _LATE_SECONDS)
        self._signal(signal.SIGSTOP)
        self._blame()
        return used if self._is_inside else 0.0

    def _blame(self) -> None:
        ran = self.ran - self._excused - self._blamed
        if ran > _LIFTED_SECONDS:
            self._blamed = self.ran - self._excused
            self._lifts += 1
            self.lifted = f"it ran while it was frozen between its turns: {ran:.3f} s of CPU time"
            if self.is_hopeless:
                self.lifted += ", and was ended for it, as it was not the first time"

    def _cpu(self) -> float:
        try:
            return clock_gettime(self._cpu_clock)
        except OSError:  # it has ended and was reaped
            return self._mark

    def _signal(self, number: int) -> None:
        """Signal the process, and its children: the sandbox lets none of them leave its group."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._child.pidfd, number)
            if self._has_group:
                os.killpg(self._child.pid, number)
