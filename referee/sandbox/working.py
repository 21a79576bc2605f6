"""A command that works in a sandbox: started by a fork server of its own, watched until its end."""

import os
import select
from contextlib import ExitStack, suppress
from pathlib import Path
from signal import SIGKILL
from time import monotonic
from typing import BinaryIO

from referee.limits import WorkLimits
from referee.process.output import PrintedText
from referee.sandbox.enclosure import Enclosure
from referee.sandbox.errors import MachineError, StartError, unstartable
from referee.sandbox.fork_server import EVERYTHING, REFUSALS_LIMIT
from referee.sandbox.starter import Child, Ended, Starter, new_pipe, said
from referee.sandbox.usage import Disk, memory_of, processes_of

BUILD_SERVER = Path(__file__).with_name("build_server.py")
LOOK_SECONDS = 0.05
"""Between two looks at what a command uses."""
FLOOD = 256
"""A command is ended when it has printed so many times as much as is kept."""
_PIECE = 1 << 16  # bytes read at a time
_MIB = 1 << 20


class BuildStarter(Starter):
    """One fork server for builds."""

    server = BUILD_SERVER

    @property
    def pid(self) -> int:
        """The fork server's process, whose children orphans become."""
        return self._server.pid

    def begin(self, around: Enclosure, stdin: BinaryIO | None) -> Child:
        """Start what was asked for; all that it prints comes out of the child's `stdout`.

        Without `stdin`, a file, there is nothing to read for it. Raises StartError if it cannot
        be started, or MachineError if nothing can.
        """
        with ExitStack() as undo:
            with ExitStack() as sent:
                ours, theirs = new_pipe(undo, sent, to_program=False)
                if stdin is None:
                    given = os.open(os.devnull, os.O_RDONLY)
                    sent.callback(os.close, given)
                else:
                    given = stdin.fileno()
                try:
                    answer, came = self._asked(around, [given, theirs, theirs])
                except ConnectionError:
                    raise _lost() from None
            if "machine" in answer:
                raise unstartable(answer["error"], answer["machine"])
            if "error" in answer:
                printed = said(ours)
                raise StartError(f"{answer['error']}{printed and f': {printed}'}")
            undo.pop_all()
        return self._started(Child(answer["pid"], came[0], -1, ours, -1))

    def stop_all(self) -> None:
        """End what still runs, also what was started when an interruption came.

        If the fork server was killed, which does that, the groups of what it started are killed.
        """
        try:
            self._send({"stop": EVERYTHING})
            while self._forget_answer() != EVERYTHING:
                pass
            for child in list(self._running.values()):
                self.stop(child)
        except ConnectionError:
            for child in self._running.values():
                with suppress(ProcessLookupError):
                    while True:
                        os.killpg(child.pid, SIGKILL)

    def _forget_answer(self) -> int:
        """Read a message for which nobody waits; return whose end it tells, or -1."""
        message, descriptors = self._read()
        for descriptor in descriptors:
            os.close(descriptor)
        return message.get("ended", -1)


def _lost() -> MachineError:
    """Return the error of a fork server that has ended."""
    return MachineError(
        "the process that starts builds has ended: it was killed, perhaps for lack of memory. Run "
        "again.",
        was_killed=True,
    )


class Watched:
    """A command that runs, with what it may use."""

    def __init__(
        self,
        starter: BuildStarter,
        child: Child,
        folder: str,
        uid: int | None,
        limits: WorkLimits,
        printed: PrintedText,
    ) -> None:
        self._starter = starter
        self._child = child
        self._uid = uid
        self._limits = limits
        self._printed = printed
        self._disk = Disk(folder, uid, limits)
        self._begun = monotonic()
        self.memory = 0
        """Bytes at the peak that was seen."""

    def to_its_end(self) -> tuple[str, Ended]:
        """Wait until it has ended, or end it; return why it did not end well, and how it ended.

        After an interruption it may still run. Raises MachineError where the machine is to blame.
        """
        output = os.dup(self._child.stdout)
        try:
            why = self._watch(output)
            ended = self._starter.stop(self._child) if why else self._starter.wait(self._child)
            while self._read(output):
                pass
        except ConnectionError:
            raise _lost() from None
        finally:
            os.close(output)
        self._printed.end()
        return why or self._disk.too_much(now=True) or _told(ended, self._limits.processes), ended

    def _watch(self, output: int) -> str:
        """Watch it until it ends; return why it must be ended, if it must."""
        poll = select.poll()
        poll.register(output, select.POLLIN)
        poll.register(self._child.pidfd, select.POLLIN)
        look = 0.0
        while True:
            ready = {descriptor for descriptor, _ in poll.poll(LOOK_SECONDS * 1000)}
            if output in ready and not self._read(output):
                poll.unregister(output)  # nobody can print any more
            if self._child.pidfd in ready:
                return ""
            if monotonic() >= look:
                if why := self._too_much():
                    return why
                look = monotonic() + LOOK_SECONDS

    def _read(self, output: int) -> bool:
        """Read some of what it printed; return whether there may be more."""
        try:
            data = os.read(output, _PIECE)
        except BlockingIOError:
            return False
        self._printed.add(data)
        return bool(data)

    def _too_much(self) -> str:
        """Return what it used more of than it may, in words; nothing if it did not."""
        limits = self._limits
        if monotonic() - self._begun > limits.seconds:
            return f"ran longer than {limits.seconds:g} s"
        most = limits.output_kb * FLOOD
        if self._printed.size > most << 10:
            return f"printed more than {most / 1024:g} MB"
        pids = processes_of(self._child.pid, self._starter.pid)
        used = memory_of(pids, self._uid, limits.memory_mb * _MIB)
        self.memory = max(self.memory, used)
        if used > limits.memory_mb * _MIB:
            return f"used more than {limits.memory_mb} MB of memory"
        return self._disk.too_much(pids)


def _told(ended: Ended, most: int) -> str:
    """Return how it ended, if not well."""
    if ended.refused >= REFUSALS_LIMIT:
        return f"asked for more than {most} processes and threads again and again"
    if ended.code == 0:
        return ""
    more = f", and asked for more than {most} processes and threads" if ended.refused else ""
    return f"{ended}{more}"
