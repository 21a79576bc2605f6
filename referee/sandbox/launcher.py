"""The referee's side of the fork server: start a program, stop it, learn how it ended."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import msgspec

from referee.limits import Limits
from referee.sandbox.bwrap import BwrapSandbox
from referee.sandbox.errors import StartError, UnfitError, unstartable
from referee.sandbox.executable import check_executable, unfit, unstarted
from referee.sandbox.fork_server import REQUEST_LIMIT
from referee.sandbox.kinds import SLOTS, LandlockSandbox, NoSandbox, Sandbox, claim_uids
from referee.sandbox.program import PYTHON, Program
from referee.sandbox.stage import Stage

FORK_SERVER = Path(__file__).with_name("fork_server.py")
_MESSAGE_LIMIT = 1 << 16
_TOO_LONG = (
    "its command is too long, or too many files lie in its folder: put them into a folder in that"
)
_KINDS: dict[str, type[Sandbox]] = {
    "landlock": LandlockSandbox,
    "bwrap": BwrapSandbox,
    "none": NoSandbox,
}


@dataclass(frozen=True)
class Ended:
    """How a process ended and what it used in all: CPU seconds, bytes of memory at the peak."""

    status: int
    cpu: float
    memory: int
    refused: int = 0
    """Threads that it asked for beyond its limit."""

    @property
    def code(self) -> int:
        """The exit code; minus the number of the signal that killed it."""
        return os.waitstatus_to_exitcode(self.status)

    def __str__(self) -> str:
        if self.code >= 0:
            return f"exited with code {self.code}"
        try:
            return f"was killed by {signal.Signals(-self.code).name}"
        except ValueError:
            return f"was killed by signal {-self.code}"


@dataclass(frozen=True)
class Child:
    """A started process: its pid, a pidfd, and the referee's ends of its three pipes."""

    pid: int
    pidfd: int
    stdin: int
    stdout: int
    stderr: int


class Launcher:
    """One fork server and the processes it started in one kind of sandbox; closing ends all.

    As root, a sandboxed bot is run as a user of its own, unless `uid` is 0. Raises SandboxError if
    the sandbox cannot be had here.
    """

    def __init__(self, sandbox: str, *, uid: int | None = None) -> None:
        self.sandbox: Sandbox = _KINDS[sandbox]()
        self.uid: int | None = None
        """The first of the users that bots are run as; None for the referee's own."""
        self._ended: dict[int, Ended] = {}
        self._uids: dict[int, int] = {}
        self._free: list[int] = []
        self._is_sandboxed = sandbox != "none"
        self._stage: Stage | None = None
        self._claim: socket.socket | None = None
        root = self._is_sandboxed and os.getuid() == 0
        # bwrap, which drops them itself, needs root's capabilities to map root
        self._own_uid = 0 if root and sandbox != "bwrap" else None
        if root and uid != 0:
            self.uid, self._claim = claim_uids(uid)
            self._free = list(range(self.uid + SLOTS - 1, self.uid - 1, -1))
        self._link, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            self._server = subprocess.Popen(
                [sys.executable, "-I", "-S", str(FORK_SERVER), str(there.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[there.fileno()],
                cwd="/",
                process_group=0,  # out of reach of a terminal's Ctrl-C from the beginning
            )
        if self._is_sandboxed:
            try:
                self._staged()
            except BaseException:  # Ctrl-C too: raised again once the fork server has ended
                self.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def folder(self) -> str | None:
        """A folder for temporary files that goes with the launcher, however that ends."""
        return self._stage.folder if self._stage is not None else None

    def start(self, program: Program, limits: Limits) -> Child:
        """Start `program`; raise StartError if it cannot be, or MachineError if nothing can.

        When this returns, the program has been executed, inside the whole sandbox.
        """
        uid = self._own_uid if self.uid is None else self._free.pop()
        with ExitStack() as undo:
            if uid:
                undo.callback(self._free.append, uid)
            try:
                placed = self._placed(program)
                around = self.sandbox.around(placed, limits, uid)
            except OSError as error:
                raise StartError(f"{error.filename}: {error.strerror}") from None
            request = {**around, "cwd": placed.folder, "uid": uid}
            with ExitStack() as sent:
                pipes = [_pipe(undo, sent, to_bot=to_bot) for to_bot in (True, False, False)]
                answer, pidfd = self._asked(request, [theirs for _, theirs in pipes])
            stdin, stdout, stderr = (ours for ours, _ in pipes)
            if "error" in answer:
                raise self._failure(program, placed, answer, _said(stderr))
            undo.pop_all()
        if uid:
            self._uids[answer["pid"]] = uid
        return Child(answer["pid"], pidfd, stdin, stdout, stderr)

    def check_copies(self) -> None:
        """Raise MachineError if what bots are run from is no longer all there."""
        if self._stage is not None:
            self._stage.check()

    def _asked(self, request: dict[str, Any], descriptors: list[int]) -> tuple[dict[str, Any], int]:
        """Return the fork server's answer to a request to start, and the pidfd in it."""
        try:
            message = msgspec.json.encode({"start": request})
        except UnicodeEncodeError:
            return {"error": "its command, or its folder, has a name that is not UTF-8"}, -1
        if len(message) > REQUEST_LIMIT:
            return {"error": _TOO_LONG}, -1
        socket.send_fds(self._link, [message], descriptors)
        return self._answer()

    def _failure(
        self, program: Program, placed: Program, answer: dict[str, Any], said: str
    ) -> Exception:
        """Return what to raise for a program that was not started: whose fault it was."""
        if "machine" in answer:
            return unstartable(answer["error"], answer["machine"])
        self.check_copies()
        why = answer["error"].replace(f"{placed.folder}/", f"{program.folder}/")
        return StartError(f"{why}: {said}" if said else unstarted(program, why))

    def check(self, program: Program) -> None:
        """Raise SandboxError if `program` could not be started in this sandbox.

        Raises MachineError if it could be, were it not for the file system.
        """
        if why := unfit(program):
            raise UnfitError(why)
        self.sandbox.check(program, self.uid)
        check_executable(program, self._staged().folder if self._is_copied(program) else None)

    def _placed(self, program: Program) -> Program:
        """Return the program as it is run: its interpreter found, its files where it may enter."""
        if program.argv[0] == PYTHON:
            argv = (self.sandbox.interpreter(self.uid), *program.argv[1:])
            program = replace(program, argv=argv)
        return self._staged().place(program) if self._is_copied(program) else program

    def _is_copied(self, program: Program) -> bool:
        """Return whether a program is run from copies of its files."""
        return self._is_sandboxed or bool(program.borrowed)

    def _staged(self) -> Stage:
        """Return where the copies are put; raise MachineError if that cannot be made."""
        if self._stage is None:
            stage = Stage(os.getuid() if self.uid is None else self.uid)
            self._link.send(msgspec.json.encode({"stage": stage.folder}))  # before it is there
            stage.make()
            self._stage = stage
        return self._stage

    def stop(self, child: Child) -> Ended:
        """Kill `child` and its process group, if it still runs, and say how it ended."""
        if child.pid not in self._ended:
            self._link.send(msgspec.json.encode({"stop": child.pid}))
        return self.wait(child)

    def wait(self, child: Child) -> Ended:
        """Wait until `child` has ended, release what it held, and say how it ended."""
        while child.pid not in self._ended:
            self._read()
        for descriptor in (child.pidfd, child.stdin, child.stdout, child.stderr):
            os.close(descriptor)
        if child.pid in self._uids:
            self._free.append(self._uids.pop(child.pid))
        return self._ended.pop(child.pid)

    def close(self) -> None:
        """End every process that was started, and the fork server."""
        self._link.close()
        self._server.wait()
        if self._stage is not None:
            self._stage.remove()
        if self._claim is not None:
            self._claim.close()  # another may have the users that bots were run as

    def _answer(self) -> tuple[dict[str, Any], int]:
        while True:
            message, descriptors = self._read()
            if "ended" not in message:
                return message, descriptors[0] if descriptors else -1

    def _read(self) -> tuple[dict[str, Any], list[int]]:
        data, descriptors, _, _ = socket.recv_fds(self._link, _MESSAGE_LIMIT, 1)
        if not data:
            raise ConnectionError("the fork server has died")
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        message = msgspec.json.decode(data)
        if "ended" in message:
            self._ended[message["ended"]] = Ended(
                message["status"], message["cpu"], message["memory"], message["refused"]
            )
        return message, descriptors


def _said(stderr: int) -> str:
    """Return what a program that could not be started left on its standard error."""
    try:
        return os.read(stderr, 1000).decode(errors="replace").strip()
    except BlockingIOError:
        return ""


def _pipe(undo: ExitStack, sent: ExitStack, *, to_bot: bool) -> tuple[int, int]:
    """Return a new pipe as (the referee's end, the bot's end); the referee never blocks on it.

    The ends are closed by the two stacks.
    """
    try:
        reading, writing = os.pipe()
    except OSError as error:
        raise unstartable(str(error.strerror), error.errno) from None
    ours, theirs = (writing, reading) if to_bot else (reading, writing)
    undo.callback(os.close, ours)
    sent.callback(os.close, theirs)
    os.set_blocking(ours, False)
    return ours, theirs
