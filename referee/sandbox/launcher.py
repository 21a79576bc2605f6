"""Starts bots by a fork server, from copies of their files, and says which program runs each."""

import hashlib
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import msgspec

from referee.limits import Limits
from referee.sandbox.big_files import has_big_files
from referee.sandbox.bwrap import BwrapSandbox
from referee.sandbox.cgroup import delegated
from referee.sandbox.devices import check_devices
from referee.sandbox.enclosure import OwnCgroup, ServerAnswer
from referee.sandbox.errors import (
    MachineError,
    SandboxError,
    StartError,
    unstartable,
)
from referee.sandbox.executable import check_executable, named_interpreter, unfit, unstarted
from referee.sandbox.kinds import LandlockSandbox, NoSandbox, Sandbox, search_path
from referee.sandbox.program import PYTHON, Program, interpreter
from referee.sandbox.sources import too_large
from referee.sandbox.stage import Stage
from referee.sandbox.starter import Child, Ended, Starter, new_pipe, said
from referee.sandbox.uid import UidSandbox
from referee.sandbox.users import USERS, first_user

__all__ = ["Child", "Ended", "Launcher", "Runtime", "check_here", "runtime_of"]

FORK_SERVER = Path(__file__).with_name("fork_server.py")
_KINDS: dict[str, Callable[[int | None], Sandbox]] = {
    "landlock": lambda _: LandlockSandbox(),
    "bwrap": lambda _: BwrapSandbox(),
    "uid": UidSandbox,
    "none": lambda _: NoSandbox(),
}
"""What makes each kind, by the first user that was asked for."""


def check_here(limits: Limits, uid: int | None) -> None:
    """Raise SandboxError if the sandbox or the cgroups of some limits cannot be had here.

    It says what shows without a bot: that a sandbox holds, only `prove` shows. `uid` is as for a
    `Launcher`.
    """
    _KINDS[limits.sandbox](uid).close()
    if limits.cgroup:
        delegated()


class Launcher(Starter):
    """One fork server and the bots it started in one kind of sandbox; closing ends all.

    As root, a sandboxed bot is run as a user of its own, unless `uid` is 0: there are users for so
    many `programs` at a time. Raises SandboxError if the sandbox cannot be had here.
    """

    server = FORK_SERVER

    def __init__(self, sandbox: str, *, uid: int | None = None, programs: int = USERS) -> None:
        if not Path("/proc/self/stat").exists():
            raise MachineError(
                "there is no /proc here, by which bots are watched: mount -t proc proc /proc"
            )
        self.sandbox: Sandbox = _KINDS[sandbox](uid)
        self._stage_by_program: dict[Program, Stage] = {}
        super().__init__(self.sandbox, uid=uid, programs=programs)

    def start(self, program: Program, limits: Limits) -> Child:
        """Start `program`; raise StartError if it cannot be, or MachineError if nothing can.

        When this returns, the program has been executed, inside the whole sandbox.
        """
        _check_shared(program)
        with ExitStack() as undo:
            uid = self.take_user(undo)
            try:
                placed = self._placed(program, limits)
                around = self.sandbox.around(placed, limits, uid)
            except OSError as error:
                raise StartError(f"{error.filename}: {error.strerror}") from None
            cgroup = self._cgroup_of(limits)
            around["cwd"], around["uid"] = placed.folder, uid
            if cgroup is not None:
                around["cgroup"] = cgroup
            ways = (True, False, False, *((True, False) if limits.door else ()))
            with ExitStack() as sent:
                pipes = [new_pipe(undo, sent, to_program=to_bot) for to_bot in ways]
                answer, came = self._asked(around, [theirs for _, theirs in pipes])
            stdin, stdout, stderr, *at_door = (ours for ours, _ in pipes)
            if "error" in answer:
                raise self._failure(program, placed, answer, said(stderr))
            undo.pop_all()
        child = Child(answer["pid"], came[0], stdin, stdout, stderr, uid or None, cgroup=cgroup)
        if at_door:
            child.door = at_door[1], at_door[0]
        if len(came) > 1:
            child.listener = came[1]
        return self._started(child)

    def check_copies(self) -> None:
        """Raise MachineError if what bots are run from is no longer all there."""
        for stage in self._stages.values():
            stage.check()

    def _cgroup_of(self, limits: Limits) -> OwnCgroup | None:
        """Return the cgroup of the next bot, if bots have any; raise MachineError if not here."""
        if not limits.cgroup:
            return None
        try:
            cgroups = self.cgroups()
        except SandboxError as error:
            raise MachineError(str(error)) from None
        return cgroups.place(limits, self.sandbox.tasks(limits), self.sandbox.beside(limits))

    def _failure(
        self, program: Program, placed: Program, answer: ServerAnswer, printed: str
    ) -> Exception:
        """Return what to raise for a program that was not started: whose fault it was."""
        if self._cgroups is not None:
            self._cgroups.check()
        if "machine" in answer:
            return unstartable(answer["error"], answer["machine"])
        self.check_copies()
        why = answer["error"].replace(f"{placed.folder}/", f"{program.folder}/")
        return StartError(f"{why}: {printed}" if printed else unstarted(program, why))

    def check(self, program: Program, limits: Limits) -> None:
        """Raise SandboxError if `program` could not be started in this sandbox.

        Raises MachineError if it could be, were it not for the file system.
        """
        if why := unfit(program) or too_large(program.paths, limits.files_mb):
            raise SandboxError(why, "device")
        if limits.devices:
            check_devices(self.uid)
        self.sandbox.check(program, self.uid)
        stage = self._stage_of(program)
        check_executable(program, stage.folder if stage is not None else None)

    def _placed(self, program: Program, limits: Limits) -> Program:
        """Return the program as it is run: its interpreter found, its files where it may enter."""
        if program.argv[0] == PYTHON:
            argv = (self.sandbox.interpreter(self.uid), *program.argv[1:])
            program = replace(program, argv=argv)
        stage = self._stage_of(program)
        return program if stage is None else stage.place(program, limits.files)

    def _stage_of(self, program: Program) -> Stage | None:
        """Return where a program is run from copies of its files; None if it is not."""
        if not self.sandbox.confines and not program.borrowed:
            return None
        stage = self._stage_by_program.get(program)
        if stage is None:
            stage = self._staged(has_big_files=has_big_files(program))
            self._stage_by_program[program] = stage
        return stage


def _check_shared(program: Program) -> None:
    """Raise MachineError if what a program shares with others is no longer there."""
    for path in program.shared:
        if not os.path.exists(path):
            raise MachineError(
                f"{path}, which bots are run from, is gone: something removed it during the run. "
                f"Run again, which makes it anew."
            )


class Runtime(msgspec.Struct, frozen=True):
    """A program that runs bots: where it is, links followed, and the hash of what is in it."""

    path: str
    digest: str


def runtime_of(program: Program, sandbox: str, uid: int | None) -> Runtime | None:
    """Return what runs a program that is no executable of its own; None if it is, or is not there.

    `uid` is as for a `Launcher`; the sandbox need not be had here.
    """
    sandboxed = sandbox != "none"
    user = first_user(uid) if sandboxed else None
    path = program.argv[0]
    if path == PYTHON:
        path = interpreter(user)
    elif path.startswith(f"{program.folder}/"):
        search = search_path(user) if sandboxed else os.environ.get("PATH", os.defpath)
        path = named_interpreter(path, search)
    if not path:
        return None
    real = os.path.realpath(path)
    try:
        found = os.stat(real)
        return Runtime(real, _digest(real, found.st_mtime_ns, found.st_size))
    except OSError:
        return None


@lru_cache
def _digest(path: str, _changed: int, _size: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
