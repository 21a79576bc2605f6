"""The sandbox for root in a container without Landlock: users, a filter, and another root."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from referee.limits import Limits
from referee.sandbox import seccomp
from referee.sandbox.enclosure import Enclosure, OwnRoot, loaded
from referee.sandbox.errors import MachineError, SandboxError
from referee.sandbox.kinds import (
    DEVICES,
    THREADS,
    Sandbox,
    bounds,
    environment,
    origin,
    search_path,
)
from referee.sandbox.landlock import PROGRAMS, SETTINGS
from referee.sandbox.mounts import MOUNTS, mounts
from referee.sandbox.program import Program, own_python
from referee.sandbox.root_folder import RootFolder
from referee.sandbox.temporary import is_noexec
from referee.sandbox.users import first_user

_PROBE = Path(__file__).with_name("uid_probe.py")
_MOUNTS = "mount namespace"
_FORMS = {
    _MOUNTS: OwnRoot(
        shown=[("bind", "/usr", ""), ("link", "/lib", "usr/lib"), ("device", "/dev/null", "")]
    ),
    "chroot": OwnRoot(chroot="/usr"),
}
"""What is tried of each form, the stronger first."""


class UidSandbox(Sandbox):
    """A user and a file system of its own for each bot, made with root's rights.

    The file system is a mount namespace where one can be had, or else a root folder for `chroot`.
    The filter asks nobody about threads, which not every kernel can: the limit of processes that
    the user has bounds them.
    """

    def __init__(self, uid: int | None) -> None:
        """Find out which file system there can be; `uid` is as for a `Launcher`."""
        seccomp.this_architecture()
        if os.getuid() != 0:
            raise SandboxError(
                "uid makes a user of its own for each bot, which only root can, and the arena "
                "runs as an ordinary user. Be root: in a container by --user 0 of docker run and "
                "podman run.",
                "sandbox",
            )
        user = first_user(uid)
        if user is None:
            raise SandboxError(
                "uid is nothing without a user of its own for each bot: --sandbox-uid 0 leaves "
                "them root. Leave it out, or name the first of the users that are free.",
                "sandbox",
            )
        self._user = user
        self._form = _form(user)
        self.name = f"uid ({self._form})"
        filter_ = seccomp.build(landlock_abi=0, asks=False)
        self._filter = loaded(filter_, asks=False)
        self._root: RootFolder | None = None

    def settle(self, folder: str) -> None:
        """Make the root folder in this one, with the system in it, where there is to be one."""
        if self._form != _MOUNTS:
            if is_noexec(folder):
                raise MachineError(
                    f"{folder} is mounted noexec, and in it lies what bots may execute: uid copies "
                    f"the system's programs there, as it gets no mount namespace here. Set TMPDIR "
                    f"to a folder that is not, open to everybody; then run again."
                )
            self._root = RootFolder(f"{folder}/root")
            self._root.make()
            self._root.show(_system(self._user))  # now: it may take longer than all bots do

    def tasks(self, limits: Limits) -> int | None:
        """Return how many threads there may be."""
        return THREADS

    def around(self, program: Program, limits: Limits, uid: int | None) -> Enclosure:
        """Ask for the file system, the filter and the limits."""
        return Enclosure(
            argv=program.argv,
            env=environment(search_path(uid), limits, program.folder)
            | origin(program, limits, uid),
            limits=[*bounds(limits), (resource.RLIMIT_NPROC, THREADS)],
            seccomp=self._filter,
            root=self._file_system(program, uid),
        )

    def _file_system(self, program: Program, uid: int | None) -> OwnRoot:
        """Return what the bot is shown, made where it must be made before."""
        paths = [*_system(uid), *program.shared, program.folder]
        if self._form == _MOUNTS:
            devices = [("device", path, "") for path in DEVICES if os.path.exists(path)]
            return OwnRoot(shown=[*map(_shown, with_mounts(paths)), *devices])
        assert self._root is not None
        self._root.show(paths)
        return OwnRoot(chroot=self._root.folder)


def _form(uid: int) -> str:
    """Return the form of a user's own file system here; raise SandboxError if there is none."""
    reasons = []
    for form, tried in _FORMS.items():
        command = [sys.executable, "-I", "-S", str(_PROBE), str(uid), json.dumps(tried)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
        if ran.returncode != 0:
            raise SandboxError(f"uid cannot be tried here: {ran.stderr[-300:].strip()}.", "sandbox")
        if not (reason := ran.stdout.strip()):
            return form
        reasons.append(reason)
    raise SandboxError(
        f"uid needs root's rights to change the user and to have another root, by a mount "
        f"namespace or by chroot, and here it does not get them "
        f"({'; '.join(dict.fromkeys(reasons))}). Give the container CAP_SETUID, CAP_SETGID, "
        f"CAP_KILL and CAP_SYS_CHROOT, as Docker and Podman do.",
        "sandbox",
    )


def _shown(path: str) -> tuple[str, str, str]:
    """Return how a path is shown: /lib and the like as the links that they are."""
    if path in PROGRAMS and os.path.islink(path):
        return "link", path, os.readlink(path)
    return "bind", path, ""


def with_mounts(paths: Iterable[str], table: Path = MOUNTS) -> list[str]:
    """Return paths and what is mounted beneath them, which is not shown by itself; each once.

    `table` is as in proc_pid_mountinfo(5).
    """
    points = [mount.where for mount in mounts(table)]
    found: dict[str, None] = {}
    for path in paths:
        if not any(path.startswith(f"{above}/") for above in found):
            found[path] = None
        for point in points:
            if point.startswith(f"{path}/") and os.path.exists(point):
                found[point] = None
    return [*found]


def _system(uid: int | None) -> list[str]:
    """Return where the system's programs are, and what they read."""
    paths = [path for path in (*PROGRAMS, *SETTINGS) if os.path.lexists(path)]
    return [*paths, *own_python(uid)]
