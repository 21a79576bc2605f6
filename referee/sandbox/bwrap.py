"""The stronger sandbox: bubblewrap's namespaces around the same filter and limits."""

import itertools
import os
import resource
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence

from protocol.door import PORT, URL_VARIABLE
from referee.limits import Limits
from referee.sandbox import seccomp
from referee.sandbox.devices import Devices, libraries
from referee.sandbox.enclosure import BwrapGate, Enclosure, in_base64
from referee.sandbox.errors import SandboxError
from referee.sandbox.kinds import DEVICES, Sandbox, bounds, environment, origin, search_path
from referee.sandbox.landlock import SETTINGS, covering
from referee.sandbox.program import Program, own_python

OLDEST = (0, 8)
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - the command's own
_SCRATCH = "/scratch"
_OWN_PROCESSES = 2  # of bwrap's: outside, and the first one inside
_FLAGS = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
    *("--unshare-cgroup-try", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"),
    *("--die-with-parent", "--new-session", "--hostname", "bot", "--clearenv"),
)
_PROC = ("--proc", "/proc", "--symlink", "/proc/self/fd", "/dev/fd")
_NO_PROCESS = ("/proc/pressure", "/proc/sys")
"""What any user may write to in /proc beside its own processes."""


class BwrapSandbox(Sandbox):
    """Namespaces of its own for every bot; children and a scratch folder are allowed."""

    allowed = ("start a child",)
    maps_users = True

    def __init__(self) -> None:
        seccomp.this_architecture()
        self.program = shutil.which("bwrap") or ""
        version = _version(self.program)
        if version < OLDEST:
            found = f"bwrap {version[0]}.{version[1]} is too old" if version else "bwrap not found"
            raise SandboxError(
                f"{found}. Install bubblewrap 0.8 or newer (apt-get install bubblewrap).", "sandbox"
            )
        self.name = f"bwrap {'.'.join(map(str, version))}"
        self._devices = Devices()
        kinds = itertools.product((False, True), repeat=2)
        self._filters = {both: _filter(devices=both[0], door=both[1]) for both in kinds}

    def close(self) -> None:
        """Leave the GPU that bots may have used to others."""
        self._devices.close()

    def tasks(self, limits: Limits) -> int | None:
        """Return how many processes and threads there may be, bwrap's own among them."""
        return limits.processes + _OWN_PROCESSES

    def beside(self, limits: Limits) -> int:
        """Return the bytes of the folder that is in memory."""
        return limits.scratch

    def around(self, program: Program, limits: Limits, uid: int | None) -> Enclosure:
        """Ask for bwrap to be run around the command."""
        shown = [*_bot(program), "--size", str(limits.scratch), "--tmpfs", _SCRATCH]
        shown += ["--symlink", _SCRATCH, SHARED_MEMORY]
        if limits.devices:
            shown += _let_through(self._devices.files())
        own = environment(search_path(uid), limits, _SCRATCH)
        env = {**own, **origin(program, limits, uid), "TMPDIR": _SCRATCH}
        if limits.door:
            env[URL_VARIABLE] = f"http://127.0.0.1:{PORT}"
        tasks = (resource.RLIMIT_NPROC, limits.processes)
        return Enclosure(
            argv=isolated(
                self.program,
                uid,
                shown,
                env,
                program.folder,
                program.argv,
                has_proc=limits.shows_proc,
                can_name_threads=bool(limits.devices),
            ),
            env={"PATH": search_path(uid)},
            limits=[*bounds(limits), *([] if uid is None else [tasks])],
            bwrap=BwrapGate(
                filter=self._filters[bool(limits.devices), bool(limits.door)],
                limits=[tasks] if uid is None else [],
                port=PORT if limits.door else None,
            ),
        )


def _filter(*, devices: bool, door: bool) -> str:
    filter_ = seccomp.build(own_pid=False, children=True, devices=devices, door=door)
    return in_base64(filter_.code)


def isolated(
    bwrap: str,
    uid: int | None,
    shown: Iterable[str],
    env: Mapping[str, str],
    folder: str,
    command: Sequence[str],
    *,
    has_proc: bool = True,
    can_name_threads: bool = False,
) -> list[str]:
    """Return the words that run a command in a folder, in namespaces of its own.

    `shown` are the words that show it more than the system's programs. Its own /proc shows a
    process what the whole machine counts, too. To name a thread is to write into it, as a process's
    own user may there, and nobody else.
    """
    words = [bwrap, *_FLAGS, *_system(uid), *(_PROC if has_proc else ()), *shown]
    words += ["--remount-ro", "/dev", "--remount-ro", "/"]
    if can_name_threads:
        for path in _NO_PROCESS:
            words += ["--ro-bind-try", path, path]
    elif has_proc:
        words += ["--remount-ro", "/proc"]
    words += ["--chdir", folder]
    for name, value in env.items():
        words += ["--setenv", name, value]
    words += ["--info-fd", "{info}", "--block-fd", "{block}", "--seccomp", "{filter}", "--"]
    return [*words, *command]


def _version(bwrap: str) -> tuple[int, ...]:
    if not bwrap:
        return ()
    text = subprocess.run([bwrap, "--version"], capture_output=True, text=True, check=False).stdout
    return tuple(int(part) for part in text.split()[-1].split(".") if part.isdigit())


def _system(uid: int | None) -> Iterator[str]:
    """Yield the words that show a bot the system's programs and nothing else."""
    yield from ("--ro-bind", "/usr", "/usr")
    for path in ("/lib", "/lib64", "/bin", "/sbin"):
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    for path in SETTINGS:
        yield from ("--ro-bind-try", path, path)
    yield from ("--tmpfs", "/dev")
    for path in DEVICES:
        yield from ("--dev-bind", path, path)
    for path in own_python(uid):
        yield from ("--ro-bind", path, path)


def _let_through(devices: Iterable[str]) -> Iterator[str]:
    """Yield the words that let devices through, and show the libraries of their driver."""
    for path in devices:
        yield from ("--dev-bind", path, path)
    if folder := libraries():
        yield from ("--ro-bind", folder, folder)


def _bot(program: Program) -> Iterator[str]:
    """Yield the words that show a bot exactly its files, and what it shares, where they are."""
    for path in program.shared:
        yield from ("--ro-bind", path, path)
    if program.folder.startswith("/usr/"):
        return
    yield from ("--dir", program.folder)
    for name in covering(program.folder, program.files):
        path = f"{program.folder}/{name}"
        yield from ("--ro-bind", path, path)
