"""Cgroups of version 2, one for each bot, where one is delegated to us.

See "Control Group v2" in the kernel's documentation. The cgroup that the arena was started in is
divided: all that runs there goes into a leaf of it, and beside that leaf each launcher has a cgroup
with one for each of its bots. What the kernel refuses is refused: a bot never plays without.
"""

import errno
import fcntl
import os
import tempfile
from contextlib import suppress
from itertools import count
from pathlib import Path

from referee.limits import Limits
from referee.sandbox import bot_cgroup
from referee.sandbox.enclosure import OwnCgroup
from referee.sandbox.errors import MachineError, SandboxError
from referee.sandbox.mounts import mounts

ALLOWANCE = 16 << 20
"""Bytes that a bot's cgroup may hold beside `memory_mb`: page tables, stacks, pipes, programs."""
_NEEDED = ("memory", "pids")
_ENABLE = " ".join(f"+{name}" for name in _NEEDED)
_FILES = (
    *("cgroup.kill", "memory.max", "memory.oom.group", "memory.peak", "memory.swap.max"),
    "pids.max",
)
_LEAF = "bot-arena-itself"
_OURS = "bot-arena-bots-"
_TRIES = 20  # to move what is in the cgroup, where more may be started meanwhile
_SYSTEMD = "/run/systemd/system"  # is there where systemd manages the machine
_PROC = Path("/proc/self")


def start_command() -> str:
    """Return the command that starts the arena in a cgroup of its own, where systemd runs."""
    own = "" if os.geteuid() == 0 else "--user "
    return f"systemd-run {own}--scope -p Delegate=yes arena run LEAGUE"


def delegated(proc: Path = _PROC) -> Path:
    """Return the folder of the cgroup that is ours to divide; raise SandboxError if there is none.

    Nothing is changed. `proc` is what the kernel shows of this process.
    """
    groups = _groups(proc)
    own = _own(groups, proc)
    folder = own.parent if own.name == _LEAF else own
    try:
        there = set((folder / "cgroup.controllers").read_text().split())
        if lacking := [name for name in _NEEDED if name not in there]:
            raise _without(_why_without(lacking, folder, groups))
        for path in (folder, folder / "cgroup.procs", folder / "cgroup.subtree_control"):
            if not os.access(path, os.W_OK):
                raise _without(
                    f"{folder} is not delegated: you may not write to {path}. {_start_it()}"
                )
        if os.geteuid() == 0 and os.path.isdir(_SYSTEMD) and not _is_delegated(folder):
            raise _without(f"{folder} is systemd's, and not delegated. {_start_it()}")
        if (folder / "memory.max").exists():  # not in the root of all cgroups
            _check_files(folder)
    except OSError as error:
        raise _without(f"{folder} cannot be read: {error.strerror}. {_start_it()}") from None
    return folder


def _groups(proc: Path) -> list[tuple[str, str]]:
    """Return the cgroups that we are in: the controllers of each, empty in version 2, and its path.

    See cgroups(7). A line that is none of the kernel's is passed over.
    """
    try:
        lines = (proc / "cgroup").read_bytes().split(b"\n")
    except OSError as error:
        raise _unreadable(error) from None
    found = []
    for line in lines:
        _, _, rest = os.fsdecode(line).partition(":")
        controllers, colon, path = rest.partition(":")
        if colon and path.startswith("/") and "\0" not in path:
            found.append((controllers, path))
    return found


def _unreadable(error: OSError) -> SandboxError:
    """Return the error of what /proc does not show of us."""
    return _without(
        f"{error.filename} cannot be read: {error.strerror}. /proc must be mounted, and the kernel "
        f"must have cgroups (CONFIG_CGROUPS)."
    )


def _own(groups: list[tuple[str, str]], proc: Path) -> Path:
    """Return the folder of the cgroup that we are in."""
    paths = [path for controllers, path in groups if not controllers]
    try:
        shown = [each for each in mounts(proc / "mountinfo") if each.kind == "cgroup2"]
    except OSError as error:
        raise _unreadable(error) from None
    if not paths or not shown:
        raise _without(
            "there is no cgroup v2 here: none is mounted. Mount it, as root: mount -t cgroup2 "
            "cgroup2 /sys/fs/cgroup; or boot with systemd.unified_cgroup_hierarchy=1 on the "
            "kernel's command line."
        )
    (path, *_) = paths
    if _leads_out(path):
        raise _without(
            f"the cgroup of the arena, {path}, is outside of its cgroup namespace, which shows "
            f"nothing of it: whoever started the arena there entered the namespace without its "
            f"cgroup. Start it in a cgroup inside (write its pid to cgroup.procs there), or in a "
            f"cgroup namespace of its own (unshare --cgroup --mount)."
        )
    for part, where, _ in shown:
        if path == part or path.startswith(f"{part.rstrip('/')}/"):
            return Path(f"{where}/{path[len(part) :]}")
    part, where, _ = shown[0]
    if _leads_out(part):
        raise _without(
            f"{where} shows cgroups from outside of the arena's cgroup namespace, where its own, "
            f"{path}, cannot be found. Mount it again inside, as root: mount -t cgroup2 cgroup2 "
            f"/sys/fs/cgroup."
        )
    raise _without(
        f"the cgroup of the arena, {path}, is not shown in {where}. Give the container a cgroup "
        f"namespace of its own (--cgroupns=private)."
    )


def _without(why: str) -> SandboxError:
    """Return the error of cgroups that cannot be had here."""
    return SandboxError(why, "cgroup")


def _leads_out(path: str) -> bool:
    """Return whether a cgroup is outside of the root of our cgroup namespace."""
    return ".." in path.split("/")


def _why_without(lacking: list[str], folder: Path, groups: list[tuple[str, str]]) -> str:
    """Return why the cgroup lacks controllers, and what to do about it."""
    is_one = len(lacking) == 1
    names = f"controller{'' if is_one else 's'} {' and '.join(lacking)}"
    for controllers, _ in groups:
        if set(controllers.split(",")) & set(lacking):
            return (
                f"the {names} belong{'s' if is_one else ''} to cgroup v1 here. Boot with "
                f"cgroup_no_v1=all on the kernel's command line, with systemd also "
                f"systemd.unified_cgroup_hierarchy=1; or play in a virtual machine that does."
            )
    return (
        f"{folder} lacks the {names}. {_start_it()} If no cgroup here has it, the "
        f"kernel's command line must say cgroup_enable=memory."
    )


def _start_it() -> str:
    return (
        f"Start the arena in a cgroup of its own: `{start_command()}`; in a container, let it "
        f"write /sys/fs/cgroup."
    )


def _is_delegated(folder: Path) -> bool:
    """Return whether systemd says that it leaves a cgroup to others, or knows nothing of it."""
    if "cgroup.type" not in os.listdir(folder):
        return False  # the root of all, which is systemd's own
    for name in ("trusted.delegate", "user.delegate"):
        with suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False


def _check_files(folder: Path) -> None:
    """Raise SandboxError if the kernel lacks something that bots are bounded or measured by."""
    there = os.listdir(folder)
    if lacking := [name for name in _FILES if name not in there]:
        raise _without(
            f"this kernel ({os.uname().release}) has no {lacking[0]} in {folder}. It must be Linux "
            f"5.19 or newer, and count swap (no swapaccount=0 on its command line)."
        )


def peak_of(cgroup: OwnCgroup) -> int:
    """Return the most memory that the processes of a bot's cgroup had together so far, in bytes.

    Raises MachineError if it was taken away, or bounds no longer what it did.
    """
    folder, most = cgroup["folder"], cgroup["limits"]["memory.max"]
    try:
        found = int(bot_cgroup.read(f"{folder}/memory.peak"))
        bound = bot_cgroup.read(f"{folder}/memory.max").strip()
    except OSError:
        raise gone(folder) from None
    if bound != most:
        raise MachineError(
            f"cgroup = true: {folder}/memory.max was changed during the run, from {most} to "
            f"{bound}. {_STOPPED}"
        )
    return found


_STOPPED = "Nothing more is played without it: let nobody change it, then run again."


def gone(folder: str) -> MachineError:
    """Return the error of a cgroup that was taken away."""
    return MachineError(
        f"cgroup = true: {folder}, which bounds what bots use, was taken away during the run: it "
        f"was removed, or lost its memory controller. {_STOPPED}"
    )


class Cgroups:
    """The cgroups of one launcher's bots, in one of its own; closing removes them.

    Raises SandboxError if they cannot be had here.
    """

    def __init__(self) -> None:
        parent = delegated()
        _divide(parent)
        _remove_left(parent)
        self.folder, self._lock = _claimed(parent)
        """Where they are."""
        self._numbers = count(1)
        try:
            _check_files(Path(self.folder))
        except SandboxError:
            self.close()
            raise

    def place(self, limits: Limits, tasks: int | None, beside: int) -> OwnCgroup:
        """Return the cgroup of the next bot, which the fork server is to make.

        It may have so many `tasks`, and so many bytes `beside` its memory, in files that lie there.
        """
        most = limits.memory + beside + ALLOWANCE
        page = os.sysconf("SC_PAGE_SIZE")
        return OwnCgroup(
            folder=f"{self.folder}/{next(self._numbers)}",
            limits={
                "memory.max": str(most // page * page),  # as the kernel keeps it
                "memory.swap.max": "0",
                "memory.oom.group": "1",
                "pids.max": "max" if tasks is None else str(tasks),
            },
        )

    def check(self) -> None:
        """Raise MachineError if they were taken away."""
        try:
            words = bot_cgroup.read(f"{self.folder}/cgroup.subtree_control").split()
        except OSError:
            words = []
        if not {*_NEEDED} <= {*words}:
            raise gone(self.folder)

    def close(self) -> None:
        """Remove what is left of them."""
        bot_cgroup.remove(self.folder)
        os.close(self._lock)


def _divide(parent: Path) -> None:
    """Let a cgroup have others in it; raise SandboxError if the kernel does not.

    Where it has others, the kernel lets it have no processes itself: they are moved into one.
    """
    leaf = parent / _LEAF
    for _ in range(_TRIES):
        try:
            bot_cgroup.write(f"{parent}/cgroup.subtree_control", _ENABLE)
            return
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise _without(
                    f"{parent}/cgroup.subtree_control cannot be written: {error.strerror}. "
                    f"{_start_it()}"
                ) from None
        try:
            leaf.mkdir(exist_ok=True)
            for pid in (parent / "cgroup.procs").read_text().split():
                with suppress(ProcessLookupError):
                    if int(pid):  # what another namespace hides from us is 0, which means ourselves
                        bot_cgroup.write(f"{leaf}/cgroup.procs", pid)
        except OSError as error:
            raise _without(
                f"what runs in {parent} cannot be moved into {leaf}: {error.strerror}. "
                f"{_start_it()}"
            ) from None
    raise _without(f"{parent} has other processes, which cannot be moved. {_start_it()}")


def _claimed(parent: Path) -> tuple[str, int]:
    """Return a new cgroup beside those of other launchers, and the lock that says it is in use.

    The lock goes with whoever has it. Until it is there, another that begins may take the cgroup
    for one that was left, and remove it: then it is made again.
    """
    failed = OSError()
    for _ in range(_TRIES):
        folder, lock = "", -1
        try:
            folder = tempfile.mkdtemp(prefix=_OURS, dir=parent)
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(lock, fcntl.LOCK_EX)
            bot_cgroup.write(f"{folder}/cgroup.subtree_control", _ENABLE)
        except OSError as error:
            failed = error
            was_taken = bool(folder) and not os.path.isdir(folder)
            if folder:
                bot_cgroup.remove(folder, 0.0)
            if lock >= 0:
                os.close(lock)
            if not was_taken:
                break
        else:
            return folder, lock
    why = str(failed.strerror)
    if failed.errno == errno.ENOENT:  # which the kernel says of a controller, too
        why = f"what is made there lacks a controller ({' or '.join(_NEEDED)})"
    raise _without(f"no cgroup can be made in {parent}: {why}. {_start_it()}")


def _remove_left(parent: Path) -> None:
    """Remove what runs have left that were killed, as far as no process is in it."""
    for folder in parent.glob(f"{_OURS}*"):
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                bot_cgroup.remove(str(folder), 0.0)
            finally:
                os.close(descriptor)
