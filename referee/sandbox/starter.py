"""The referee's side of the fork server: users to run programs as, requests, how they ended."""

import errno
import os
import socket
import subprocess
import sys
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec

from referee.process.procfs import signal_name
from referee.sandbox.big_files import BigFiles
from referee.sandbox.cgroup import Cgroups, gone, peak_of
from referee.sandbox.enclosure import Enclosure, OwnCgroup, ServerAnswer, ServerRequest
from referee.sandbox.errors import ServerDiedError, unstartable
from referee.sandbox.fork_server import REQUEST_LIMIT
from referee.sandbox.kinds import SandboxKind
from referee.sandbox.stage import Stage
from referee.sandbox.users import USERS, claim_uids

_MESSAGE_LIMIT = 1 << 16
_TOO_LONG = (
    "its command is too long, or too many files lie in its folder: put them into a folder in that"
)


@dataclass(frozen=True)
class Ended:
    """How a process ended and what it used in all: CPU seconds, bytes of memory at the peak."""

    status: int
    cpu: float
    memory: int
    refused: int = 0
    """Threads, or processes, that it asked for beyond its limit."""
    peak: int | None = 0
    """Bytes of memory of its cgroup at the peak, if it had one; None if that was taken away."""
    starved: bool = False
    """Whether the kernel killed it as its cgroup had no memory left."""

    @property
    def code(self) -> int:
        """The exit code; minus the number of the signal that killed it."""
        return os.waitstatus_to_exitcode(self.status)

    def __str__(self) -> str:
        if self.code >= 0:
            return f"exited with code {self.code}"
        return f"was killed by {signal_name(-self.code)}"


@dataclass(eq=False)
class Child:
    """A started process: its pid, a pidfd, and the referee's ends of its three pipes.

    An end that it has not is -1. With a door it has two pipes more, and in bwrap a listener.
    """

    pid: int
    pidfd: int
    stdin: int
    stdout: int
    stderr: int
    uid: int | None = None
    """The user that it is run as, and that nobody else is meanwhile; None if that is shared."""
    door: tuple[int, int] | None = None
    """Where its requests are read, and its answers written, neither of which blocks."""
    listener: int | None = None
    """A socket that listens in its own network, for requests over HTTP; accepting never blocks."""
    cgroup: OwnCgroup | None = None
    """What bounds and measures it and its children, if anything does."""
    ended: Ended | None = None
    """How it ended, as soon as the fork server has told."""

    def peak(self) -> int:
        """Return the most memory that its cgroup has had, in bytes; 0 without one.

        Raises MachineError if it was taken away.
        """
        if self.cgroup is None:
            return 0
        if self.ended is None:
            return peak_of(self.cgroup)
        if self.ended.peak is None:
            raise gone(self.cgroup["folder"])
        return self.ended.peak


class Starter:
    """One fork server and the processes it started in one kind of sandbox; closing ends all.

    As root, a sandboxed program is run as a user of its own, unless `uid` is 0: there are users for
    so many `programs` at a time. Raises SandboxError if the sandbox cannot be had here. It is for
    one thread. An interruption, such as Ctrl-C, may come at any moment: `stop` can be called after
    it, and the next program started.
    """

    server: Path
    """The program of the fork server."""

    def __init__(
        self, sandbox: SandboxKind, *, uid: int | None = None, programs: int = USERS
    ) -> None:
        self.uid: int | None = None
        """The first of the users that programs are run as; None for the referee's own."""
        self._sandbox = sandbox
        self._running: dict[int, Child] = {}
        self._asked_for = 0
        self._free: deque[int] = deque()
        self._stages: dict[bool, Stage] = {}  # by whether they are for bots that have big files
        self._cgroups: Cgroups | None = None
        self._claim = ExitStack()  # to the users that programs are run as
        root = sandbox.confines and os.getuid() == 0
        # bwrap, which drops them itself, needs root's capabilities to map root
        self._own_uid = 0 if root and not sandbox.maps_users else None
        if root and uid != 0:
            self.uid, self._claim = claim_uids(uid, programs)
            self._free = deque(range(self.uid, self.uid + programs))
        self._link, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            self._server = subprocess.Popen(
                [sys.executable, "-I", "-S", str(self.server), str(there.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[there.fileno()],
                cwd="/",
                process_group=0,  # out of reach of a terminal's Ctrl-C from the beginning
            )
        if sandbox.confines:
            try:
                sandbox.settle(self._staged().folder)
                if folders := sandbox.to_clear():
                    self._send({"clear": folders})
                    sandbox.learn(self._read()[0]["uncleared"])
            except BaseException:  # Ctrl-C too: raised again once the fork server has ended
                self.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def folder(self) -> str | None:
        """A folder for temporary files that goes with the fork server, however that ends."""
        return self._stages[False].folder if False in self._stages else None

    def take_user(self, undo: ExitStack) -> int | None:
        """Return the user for another program, whom `undo` frees; None for our own."""
        if self.uid is None:
            return self._own_uid
        uid = self._free.popleft()  # that of who has ended longest ago tells the next nothing
        undo.callback(self._free.append, uid)
        return uid

    def _asked(self, around: Enclosure, descriptors: list[int]) -> tuple[ServerAnswer, list[int]]:
        """Return the fork server's answer to what is to be started, and the descriptors in it.

        They are a pidfd, and a listener if one was asked for; none with an error. Raises
        MachineError if there is no room for them here.
        """
        self._asked_for += 1
        try:
            around["descriptors"] = len(descriptors)
            request: ServerRequest = {"start": around, "number": self._asked_for}
            message = msgspec.json.encode(request)
        except UnicodeEncodeError:
            return {"error": "its command, or its folder, has a name that is not UTF-8"}, []
        if len(message) > REQUEST_LIMIT:
            return {"error": _TOO_LONG}, []
        self._tell(message, descriptors)
        answer, came = self._answer()
        if "pid" in answer and len(came) < answer["descriptors"]:
            self._drop(answer, came)
            raise unstartable(os.strerror(errno.EMFILE), errno.EMFILE)
        return answer, came

    def _started(self, child: Child) -> Child:
        """Return a child whose end is awaited from now on."""
        self._running[child.pid] = child
        return child

    def _staged(self, *, has_big_files: bool = False) -> Stage:
        """Return where the copies are put; raise MachineError if that cannot be made.

        Bots that have big files have another such place, which lies beside the copies of those.
        """
        if has_big_files not in self._stages:
            entering = os.getuid() if self.uid is None else self.uid  # the first of those who do
            stage = Stage(entering, BigFiles(entering) if has_big_files else None)
            if self._sandbox.confines:
                stage.check_hidden()
            self._send({"stage": stage.folder})  # before it is there
            stage.make()
            self._stages[has_big_files] = stage
        return self._stages[has_big_files]

    def stop(self, child: Child) -> Ended:
        """Kill `child` and its process group, if it still runs, and say how it ended.

        If an interruption came just when that was heard, it counts as killed now.
        """
        if child.ended is None:
            self._send({"stop": child.pid})
        return self.wait(child)

    def wait(self, child: Child) -> Ended:
        """Wait until `child` has ended, release what it held, and say how it ended."""
        while child.ended is None:
            self._read()
        self._running.pop(child.pid, None)
        for name in ("pidfd", "stdin", "stdout", "stderr"):
            descriptor = getattr(child, name)
            setattr(child, name, -1)  # before it is closed, so that it never is twice
            if descriptor >= 0:
                os.close(descriptor)
        at_door = [*(child.door or ()), *([] if child.listener is None else [child.listener])]
        child.door = child.listener = None
        for descriptor in at_door:
            os.close(descriptor)
        if child.uid is not None:
            uid, child.uid = child.uid, None
            self._free.append(uid)
        return child.ended

    def close(self) -> None:
        """End every process that was started, and the fork server."""
        self._link.close()
        self._server.wait()
        for stage in self._stages.values():
            stage.remove()
        if self._cgroups is not None:
            self._cgroups.close()
        self._sandbox.close()
        self._claim.close()  # another may have its users

    def cgroups(self) -> Cgroups:
        """Return the cgroups of what is started; raise CgroupError if they cannot be had here."""
        if self._cgroups is None:
            self._cgroups = Cgroups()
            self._send({"cgroup": self._cgroups.folder})
        return self._cgroups

    def _answer(self) -> tuple[ServerAnswer, list[int]]:
        """Return the answer to the last request; what an earlier one has started is ended."""
        while True:
            message, descriptors = self._read()
            if "ended" in message:
                continue
            if message["number"] == self._asked_for:
                return message, descriptors
            if "pid" in message:  # nobody waits for it since an interruption
                self._drop(message, descriptors)

    def _drop(self, answer: ServerAnswer, descriptors: list[int]) -> None:
        """End what was started, and is nobody's."""
        for descriptor in descriptors:
            os.close(descriptor)
        self._send({"stop": answer["pid"]})

    def _send(self, message: ServerRequest) -> None:
        self._tell(msgspec.json.encode(message), [])

    def _tell(self, message: bytes, descriptors: list[int]) -> None:
        try:
            socket.send_fds(self._link, [message], descriptors)
        except ConnectionError:
            raise ServerDiedError from None

    def _read(self) -> tuple[ServerAnswer, list[int]]:
        """Read a message, and take note of an end that it tells."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self._link, _MESSAGE_LIMIT, 2)
        except ConnectionError:
            data = b""
        if not data:
            raise ServerDiedError
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        message: ServerAnswer = msgspec.json.decode(data)
        child = self._running.get(message.get("ended", 0))
        if child is not None and child.ended is None:
            child.ended = msgspec.convert(message, Ended)
        return message, descriptors


def said(output: int) -> str:
    """Return what a program that could not be started has printed into a pipe."""
    try:
        return os.read(output, 1000).decode(errors="replace").strip()
    except BlockingIOError:
        return ""


def new_pipe(undo: ExitStack, sent: ExitStack, *, to_program: bool) -> tuple[int, int]:
    """Return a new pipe as (the referee's end, the program's); the referee never blocks on it.

    The ends are closed by the two stacks.
    """
    try:
        reading, writing = os.pipe()
    except OSError as error:
        raise unstartable(str(error.strerror), error.errno) from None
    ours, theirs = (writing, reading) if to_program else (reading, writing)
    undo.callback(os.close, ours)
    sent.callback(os.close, theirs)
    os.set_blocking(ours, False)
    return ours, theirs
