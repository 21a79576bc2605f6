"""Starts a build by a fork server of its own."""

import os
from contextlib import ExitStack, suppress
from pathlib import Path
from signal import SIGKILL
from typing import BinaryIO

from referee.sandbox.enclosure import Enclosure
from referee.sandbox.errors import MachineError, StartError, unstartable
from referee.sandbox.fork_server import EVERYTHING
from referee.sandbox.starter import Child, Starter, new_pipe

BUILD_SERVER = Path(__file__).with_name("build_server.py")


class BuildStarter(Starter):
    """One fork server for builds."""

    server = BUILD_SERVER

    @property
    def pid(self) -> int:
        """The fork server's process, whose children orphans become."""
        return self._server.pid

    def take_user(self, undo: ExitStack) -> int | None:
        """Return the user for another build, whom `undo` frees; None for our own."""
        return self._taken(undo)

    def begin(self, around: Enclosure, stdin: BinaryIO | None) -> Child:
        """Start what was asked for; all that it prints comes out of the child's `stdout`.

        Without `stdin`, a file, there is nothing to read for it. Raises StartError if it cannot
        be started, or MachineError if nothing can.
        """
        try:
            return self._begun(around, stdin)
        except ConnectionError:
            raise lost() from None

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

    def _begun(self, around: Enclosure, stdin: BinaryIO | None) -> Child:
        with ExitStack() as undo:
            with ExitStack() as sent:
                ours, theirs = new_pipe(undo, sent, to_program=False)
                if stdin is None:
                    given = os.open(os.devnull, os.O_RDONLY)
                    sent.callback(os.close, given)
                else:
                    given = stdin.fileno()
                answer, came = self._asked(around, [given, theirs, theirs])
            if "machine" in answer:
                raise unstartable(answer["error"], answer["machine"])
            if "error" in answer:
                raise StartError(f"{answer['error']}{_said(ours)}")
            undo.pop_all()
        return self._started(Child(answer["pid"], came[0], -1, ours, -1))


def lost() -> MachineError:
    """Return the error of a fork server that has ended."""
    return MachineError(
        "the process that starts builds has ended: it was killed, perhaps for lack of memory. Run "
        "again.",
        was_killed=True,
    )


def _said(output: int) -> str:
    """Return what a sandbox that could not be made has said of that."""
    try:
        said = os.read(output, 1000).decode(errors="replace").strip()
    except BlockingIOError:
        return ""
    return f": {said}" if said else ""
