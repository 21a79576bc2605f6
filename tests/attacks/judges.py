"""The judges: each looks at the host and says whether an attack has had effect."""

import array
import contextlib
import ctypes
import fcntl
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from referee.sandbox import Child
from referee.sandbox.kept import kept_folder
from tests.attacks.scene import BIG_FILE, Scene
from tests.attacks.victims import Victim
from tests.referee.process_watch import state

MEGABYTE = 1 << 20
MEMORY = 64 * MEGABYTE
"""The limit that the bots of the suite run under."""
MUCH_MEMORY = 256 * MEGABYTE
"""What they try to take."""
_FS_IOC_GETFLAGS, _FS_IOC_GETVERSION = 0x80086601, 0x80087601
libc = ctypes.CDLL(None, use_errno=True)


@dataclass
class Case:
    """One attack being judged: where, what the bot has said, and how everything was before."""

    scene: Scene
    pid: int
    """The bot's process as the host knows it."""
    folder: Path
    """The bot's own folder, where the sandbox has put it."""
    server: int
    """The fork server."""
    victims: list[Victim]
    output: bytes = b""
    before: dict[str, object] = field(default_factory=dict)
    over: bool = False
    """Whether the game is over: the bot has been stopped."""
    stage: Path | None = None
    """The folder that a referee who is root keeps the bots' copies in."""
    child: Child | None = None
    """The bot, with the referee's ends of its door if it has one."""
    rival: Child | None = None
    """The victim that is a bot in the same sandbox, if there are victims."""

    def said(self, word: str) -> bool:
        """Return whether the bot has sent a word that only the host should know."""
        return word.encode() in self.output

    def status(self, pid: int, name: str) -> int:
        """Return a number of /proc/PID/status, 0 if the process has ended."""
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith(f"{name}:"):
                    return int(line.split()[1])
        return 0

    def open_files(self) -> Iterator[tuple[Path, str]]:
        """Yield the descriptors of the bot's processes and what they lead to."""
        for pid in self.scene.bot_processes():
            with contextlib.suppress(OSError):
                for descriptor in Path(f"/proc/{pid}/fd").iterdir():
                    with contextlib.suppress(OSError):
                        yield descriptor, str(descriptor.readlink())


Judge = Callable[[Case], bool]


# What was learnt


def leaked(case: Case) -> bool:
    """The bot knows a secret."""
    return case.said(case.scene.secret)


def knows_moment(case: Case) -> bool:
    """The bot knows when a file was changed."""
    return case.said(str(case.scene.moment))


def knows_clock(case: Case) -> bool:
    """The bot knows the CPU time of another."""
    return any(case.said(f"clock {round(victim.clock * 1e9)}") for victim in case.victims)


def said_errno(number: int) -> Judge:
    """Return the judge of an attack whose effect nobody but the bot can see."""
    return said_word(f"answers {number}")


def said_word(word: str) -> Judge:
    """Return the judge of whether the bot says that something was done."""
    return lambda case: case.said(word)


# What was done to files


def strayed(case: Case) -> bool:
    """There is a file outside."""
    return any(case.scene.strays())


def stray_in(*names: str) -> Judge:
    """Return the judge of whether something new stands in a folder, or the bot's own changed."""

    def judge(case: Case) -> bool:
        found = any(Path(getattr(case.scene, name), "stray").exists() for name in names)
        writable = case.scene.writable
        return found or (writable.exists() and "hostile" in writable.read_text())

    return judge


def own_folder_written(case: Case) -> bool:
    """The bot's own files are others than before."""
    return not case.over and _contents(case.folder) != case.before["own"]


def _contents(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and mode of the files in a folder."""
    found = {}
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            seen = path.lstat()
            found[path.name] = (seen.st_size, seen.st_mode)
    return found


def shared_changed(case: Case) -> bool:
    """What bots share is other than before, an environment or the copy of a big file."""
    package = case.scene.package
    kept = {}
    if package is not None:
        kept |= _contents(package.parent) | {"": (package.parent.stat().st_mode, 0)}
    heads = [case.scene.mine / BIG_FILE]
    if (folder := kept_folder() / "files").is_dir():
        kept |= _contents(folder)
        heads += folder.iterdir()
    words = [path.read_bytes()[:16] for path in [*heads, package] if path and path.is_file()]
    now = (kept, words)
    return case.before.setdefault("shared", now) != now


def results_gone(case: Case) -> bool:
    """The results are not where they were, or not what they were."""
    results = case.scene.results
    return not results.exists() or case.scene.secret not in results.read_text()


def linked(case: Case) -> bool:
    """The results have another name."""
    return case.scene.results.stat().st_nlink > 1


def marks(case: Case) -> dict[str, object]:
    """Return what can be changed of a file without opening it."""
    scene = case.scene
    found: dict[str, object] = {}
    for path in (scene.home, scene.results, scene.writable, case.folder / "own.txt"):
        with contextlib.suppress(FileNotFoundError):
            seen = path.stat()
            found[f"{path} mode"] = stat.S_IMODE(seen.st_mode)
            found[f"{path} owner"] = (seen.st_uid, seen.st_gid)
            found[f"{path} time"] = seen.st_mtime_ns
            found[f"{path} xattr"] = [
                name for name in os.listxattr(path) if name.startswith("user.")
            ]
    for path in (scene.results, case.folder / "own.txt"):
        found[f"{path} flags"] = inode_flags(path)
    return found


def inode_flags(path: Path) -> tuple[int, int] | None:
    """Return flags and version of a file's inode, None where there are none."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        flags, version = array.array("L", [0]), array.array("l", [0])
        fcntl.ioctl(file, _FS_IOC_GETFLAGS, flags)
        with contextlib.suppress(OSError):
            fcntl.ioctl(file, _FS_IOC_GETVERSION, version)
        return flags[0], version[0]
    return None


def marked(case: Case) -> bool:
    """A mode, owner, time, attribute or flag has changed."""
    return not case.over and marks(case) != case.before["marks"]


def locked(case: Case) -> bool:
    """Nobody else can lock the results."""
    with case.scene.results.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def mounted(case: Case) -> bool:
    """Something is mounted over a folder of the host."""
    return case.scene.loose.is_mount()


# What was reached


def reached(*names: str) -> Judge:
    """Return the judge of whether listeners have heard the bot."""
    return lambda case: any(case.scene.heard(name) for name in names)


def holds(*patterns: str, writing: bool = False) -> Judge:
    """Return the judge of whether the bot has such files open, perhaps for writing."""

    def judge(case: Case) -> bool:
        for descriptor, target in case.open_files():
            if any(re.search(pattern, target) for pattern in patterns) and (
                not writing or _for_writing(descriptor)
            ):
                return True
        return False

    return judge


def _for_writing(descriptor: Path) -> bool:
    with contextlib.suppress(OSError):
        info = (descriptor.parents[1] / "fdinfo" / descriptor.name).read_text()
        return int(info.split("flags:")[1].split()[0], 8) & os.O_ACCMODE != os.O_RDONLY
    return False


def reopened_pipe(case: Case) -> bool:
    """The bot has its standard input open for writing."""
    stdin = f"{Path(f'/proc/{case.pid}/fd/0').readlink()}" if not case.over else ""
    return any(
        target == stdin and _for_writing(descriptor) for descriptor, target in case.open_files()
    )


def more_descriptors(case: Case) -> bool:
    """The bot began with more than its pipes, or knows a secret."""
    own = {0, 1, 2} if case.child is None or case.child.door is None else {0, 1, 2, 3, 4}
    return (not case.over and case.before["descriptors"] != own) or leaked(case)


# Other processes


def killed(case: Case) -> bool:
    """A victim has been killed or stopped."""
    return any(victim.dead() for victim in case.victims)


def changed(what: str) -> Judge:
    """Return the judge of whether a setting of a victim has changed."""
    return lambda case: any(victim.changed(what) for victim in case.victims)


def traced(case: Case) -> bool:
    """A victim is traced."""
    return any(victim.traced() for victim in case.victims)


def heard(word: str) -> Judge:
    """Return the judge of whether a victim has told of something."""
    return lambda case: any(word.encode() in victim.listen() for victim in case.victims)


def forged(case: Case) -> bool:
    """A victim has heard or seems to have said what the bot made up."""
    return heard(f"forged {case.scene.token}")(case)


def server_dead(case: Case) -> bool:
    """The fork server has ended."""
    return state(case.server) == "X"


# Outliving


def outlives(case: Case) -> bool:
    """Something of the bot lives on after the game; looked for more than once, as it may move."""
    return case.over and any(case.scene.everything() for _ in range(4))


# Privilege


def is_root(case: Case) -> bool:
    """A process of the bot, or a child of one, is root's or has capabilities."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            words = dict(
                line.split(":", 1) for line in (folder / "status").read_text().splitlines()
            )
            family = {int(folder.name), int(words["PPid"])}
            if family & {case.pid, *case.scene.bot_processes()} and "0" in words["Uid"].split():
                return True
    return False


def has_rights(case: Case) -> bool:
    """A process of the bot has a capability, be it in a namespace of its own."""
    for pid in case.scene.bot_processes():
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            words = dict(line.split(":", 1) for line in lines)
            if any(int(words[f"Cap{name}"], 16) for name in ("Inh", "Prm", "Eff", "Amb")):
                return True
    return False


def namespaces(pid: int) -> dict[str, str]:
    """Return the namespaces of a process."""
    found = {}
    with contextlib.suppress(OSError):
        for name in ("user", "mnt", "net", "pid"):
            found[name] = str(Path(f"/proc/{pid}/ns/{name}").readlink())
    return found


def other_namespace(case: Case) -> bool:
    """A process of the bot is in a namespace that it did not begin in."""
    return any(
        found != case.before["namespaces"]
        for pid in case.scene.bot_processes()
        if len(found := namespaces(pid)) == 4
    )


def device_made(case: Case) -> bool:
    """There is a device of the bot's own."""
    folders = (case.scene.loose, case.folder)
    return any((folder / "device").exists() for folder in folders)
