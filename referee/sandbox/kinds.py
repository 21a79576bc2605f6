"""The kinds of sandbox: what the fork server is asked to put around a bot."""

import functools
import os
import resource
import shutil
import sys
from abc import ABC, abstractmethod

from protocol.door import READS, VARIABLE, WRITES
from referee.limits import Limits
from referee.sandbox import landlock, seccomp
from referee.sandbox.devices import libraries
from referee.sandbox.enclosure import Enclosure, loaded
from referee.sandbox.errors import SandboxError
from referee.sandbox.executable import OF_VENV, absent, is_link_of_venv, named_interpreter
from referee.sandbox.mounts import mounts
from referee.sandbox.program import PYTHON, SYSTEM_PYTHON, Program, barrier, interpreter

THREADS = 128
"""How many threads a bot behind Landlock may have: Java starts some 20 on one core, and more on
many."""
THREAD_COUNTS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "GOMAXPROCS",
    "PYTHON_CPU_COUNT",
)
"""Variables of the environment that say to a library or a runtime how many threads to start."""
_MADE_BY_LOOKING = frozenset(
    ("proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "configfs")
)
"""Kinds of file systems of which a file has, as its time, the moment when it was first looked at.

What one process looked at, all later ones know, and Landlock does not govern `stat`.
"""
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
"""Without /dev/zero: what is mapped from it counts against no limit of memory."""
_MIB = 1 << 20
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_OWN_MAPS = "/proc/self/maps"
"""Where some runtimes find the bounds of their stack: Mono, D. To the fork server's child, which
makes the rules, it is that of the bot."""


class SandboxKind:
    """What a sandbox is, as it can be had here."""

    name: str
    """What `--sandbox` calls it, with its version."""
    confines = True
    """Whether it keeps a program from anything at all."""
    maps_users = False
    """Whether it has a namespace with users of its own."""

    def settle(self, folder: str) -> None:
        """Take a folder for what it makes, which goes with the fork server."""

    def to_clear(self) -> list[str]:
        """Return the folders that are to be empty for all that is started and does not ask."""
        return []

    def learn(self, why_not: str) -> None:
        """Hear that they are empty, or why not."""

    def close(self) -> None:
        """Give back what it holds."""


class Sandbox(SandboxKind, ABC):
    """One kind of sandbox for bots."""

    allowed: tuple[str, ...] = ()
    """What the canary may do in it."""
    uncleared = ""
    """Why every bot sees files of /proc, though it can read none; empty if none does."""

    @abstractmethod
    def around(self, program: Program, limits: Limits, uid: int | None) -> Enclosure:
        """Return what the fork server is asked for, its folder and its user aside."""

    def tasks(self, limits: Limits) -> int | None:
        """Return how many processes and threads a bot's cgroup may have; None if any number."""
        return None

    def beside(self, limits: Limits) -> int:
        """Return how many bytes of memory are files, which it may have beside its limit."""
        return 0

    def interpreter(self, uid: int | None) -> str:
        """Return the Python that runs the bots that ask for the arena's own."""
        return interpreter(uid)

    def check(self, program: Program, uid: int | None) -> None:
        """Raise SandboxError if a program could not be run in this sandbox."""
        path = program.argv[0]
        for shared in program.shared if uid is not None else ():
            if part := barrier(shared, uid or 0):
                raise SandboxError(
                    f"{shared} cannot be entered by uid {uid} (stopped at {part}). Open that "
                    f"folder, set XDG_CACHE_HOME to one that everybody may enter, or pass "
                    f"--sandbox-uid 0."
                )
        if path == PYTHON:
            if not self.interpreter(uid):
                own = os.path.realpath(sys.executable)
                raise SandboxError(
                    f"uid {uid} can execute neither {own} (stopped at "
                    f"{barrier(own, uid or 0)}) nor {SYSTEM_PYTHON}. Install python3 in /usr, "
                    f"run the arena as an ordinary user, or pass --sandbox-uid 0."
                )
            return
        inside = f"{program.folder}/"
        if path.startswith(inside) and is_link_of_venv(path):
            raise SandboxError(f"./{path.removeprefix(inside)} {OF_VENV}")
        if path.startswith(inside):
            path = named_interpreter(path, search_path(uid)) or path
        if not os.path.exists(path):
            raise SandboxError(absent(path))
        if path.startswith(inside):
            return
        if uid is not None and (part := barrier(path, uid)):
            system = shutil.which(os.path.basename(path), path=_SYSTEM_PATH)
            remedy = (
                f"Write {system} in its command."
                if system
                else "Put it into the bot's folder, or install it in /usr."
            )
            raise SandboxError(
                f"{path} cannot be executed by uid {uid} (stopped at {part}). {remedy}"
            )


class NoSandbox(Sandbox):
    """No sandbox at all: a bot can do whatever its user can."""

    name = "none"
    confines = False

    def interpreter(self, uid: int | None) -> str:
        """Return the arena's interpreter as it is, in its virtual environment if it has one."""
        return sys.executable

    def check(self, program: Program, uid: int | None) -> None:
        """Do nothing: the bot may run whatever the user can."""

    def around(self, program: Program, limits: Limits, uid: int | None) -> Enclosure:
        """Ask for limits of memory alone."""
        return Enclosure(
            argv=program.argv,
            env=environment(os.environ.get("PATH", os.defpath), limits),
            limits=[(resource.RLIMIT_CORE, 0), (resource.RLIMIT_DATA, limits.memory)],
        )


class LandlockSandbox(Sandbox):
    """Landlock, a filter of system calls and limits: no privilege and no other program needed."""

    def __init__(self) -> None:
        seccomp.this_architecture()
        self._abi = landlock.abi()
        self.name = f"landlock (ABI {self._abi})"
        filter_ = seccomp.build(landlock_abi=self._abi)
        self._filter = loaded(filter_, then=seccomp.without_passing())

    def to_clear(self) -> list[str]:
        """Return where the kernel makes files when somebody looks at them, which shows when."""
        found = {mount.where for mount in mounts() if mount.kind in _MADE_BY_LOOKING}
        seen = sorted(path for path in found if os.path.exists(path))
        return [path for path in seen if not any(path.startswith(f"{each}/") for each in seen)]

    def learn(self, why_not: str) -> None:
        """Let the name, which is stored with each match, say what is not as it should be."""
        if why_not:
            self.name = f"landlock (ABI {self._abi}, /proc seen)"
            self.uncleared = why_not
            self.allowed = ("see /proc",)

    def tasks(self, limits: Limits) -> int | None:
        """Return how many threads there may be."""
        return THREADS

    def around(self, program: Program, limits: Limits, uid: int | None) -> Enclosure:
        """Ask for the rules, the filter and the limits."""
        seen = [*program.shared, *([_OWN_MAPS] if limits.shows_proc else [])]
        return Enclosure(
            argv=program.argv,
            env=environment(search_path(uid), limits, program.folder)
            | origin(program, limits, uid),
            cleared=not limits.shows_proc,
            limits=bounds(limits),
            threads=THREADS,
            landlock=landlock.ruleset(self._abi, program.folder, program.files, seen),
            seccomp=self._filter,
        )


def origin(program: Program, limits: Limits, uid: int | None) -> dict[str, str]:
    """Return the variable by which the linker finds libraries beside a program, without /proc."""
    return {} if limits.shows_proc else _beside(program.argv[0], program.folder, uid)


@functools.lru_cache(maxsize=256)
def _beside(path: str, folder: str, uid: int | None) -> dict[str, str]:
    """Return it for a command, which is not looked at again: its files stay what they are."""
    if path.startswith(f"{folder}/"):
        path = named_interpreter(path, search_path(uid)) or path
    return {"LD_ORIGIN_PATH": os.path.dirname(os.path.realpath(path))}


def search_path(uid: int | None) -> str:
    """Return where a sandboxed bot's programs are looked up: the arena's own Python first.

    It is left out where a `uid` cannot enter.
    """
    own = f"{sys.base_prefix}/bin"
    return _SYSTEM_PATH if uid is not None and barrier(own, uid) else f"{own}:{_SYSTEM_PATH}"


def bounds(limits: Limits) -> list[tuple[int, int]]:
    """Return the limits of a sandboxed process, as numbers of setrlimit with their values."""
    return [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, limits.memory),
        (resource.RLIMIT_FSIZE, limits.scratch),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_STACK, 8 * _MIB),
        (resource.RLIMIT_MEMLOCK, 64 * 1024),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, 1024),
        (resource.RLIMIT_NICE, 0),
        (resource.RLIMIT_RTPRIO, 0),
    ]


def environment(path: str, limits: Limits, home: str = "") -> dict[str, str]:
    """Return the whole environment of a bot: built, not inherited.

    Its home is not that of its user: where it has none, runtimes look for one that it may not see.
    Libraries that would start a thread for each core of the machine start as many as its limit of
    threads says. With a device, the linker finds the libraries of its driver. With a door, a
    variable names its descriptors.
    """
    driver = libraries() if limits.devices else ""
    return {
        **({"LD_LIBRARY_PATH": driver} if driver else {}),
        "PATH": path,
        **({"HOME": home} if home else {}),
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        **dict.fromkeys(THREAD_COUNTS, str(limits.threads)),
        **({VARIABLE: f"{READS},{WRITES}"} if limits.door else {}),
    }
