"""A root folder for `chroot`: what bots may read, by hard links or, across disks, copies."""

import os
import shutil
import stat
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from math import inf
from pathlib import Path
from time import monotonic

from referee.process.procfs import File, identity
from referee.sandbox.temporary import room_for

_LEFT_OUT = frozenset(
    (
        "/usr/include",
        "/usr/src",
        "/usr/lib/debug",
        "/usr/share/doc",
        "/usr/share/icons",
        "/usr/share/info",
        "/usr/share/locale",
        "/usr/share/man",
    )
)
"""What no program needs to run."""
_PATIENCE = 1.0  # seconds that it may take before anybody is told
told: list[Callable[[str], None]] = []
"""Who is told, in a sentence, that a root folder takes long: a command for which somebody waits."""
_DEVICES = {"null": (1, 3), "full": (1, 7), "random": (1, 8), "urandom": (1, 9)}
_LONG = (
    "Making a root folder for bots in {}: a link to every file in /usr, or a copy if that is on "
    "another disk. It takes the longer the more there is, and as long to be removed in the end."
)


class RootFolder:
    """A folder that becomes the root of bots. What is shown in it is where it is outside.

    Folders above what is shown can be entered and not listed. Nobody but root may write anything.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._shown: set[str] = set()
        self._own: File | None = None
        self._tell_at = inf
        self._has_told = False

    def make(self) -> None:
        """Make the folder, and the devices that bots may have, where these can be made and work.

        Raises MachineError if there is no room.
        """
        with self._written():
            os.mkdir(self.folder)
            os.chmod(self.folder, 0o711)  # noqa: S103 - bots are to enter it
            self._own = identity(os.stat(self.folder))
            folder = self._above("/dev/null")
        for name, number in _DEVICES.items():
            path = folder / name
            with suppress(OSError):  # not allowed, or a file system without devices
                os.mknod(path, stat.S_IFCHR, os.makedev(*number))
                path.chmod(0o666)
                try:
                    os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
                except OSError:
                    path.unlink()

    def show(self, paths: Iterable[str]) -> None:
        """Show files and folders; raise MachineError if there is no room for them.

        Links are shown as links, and what they lead to is not shown by that. Paths that are not
        there are passed over.
        """
        self._tell_at = inf if self._has_told else monotonic() + _PATIENCE
        with self._written():
            for path in paths:
                if not self._is_shown(path):
                    self._mirror(path)
                    self._shown.add(path)

    def _written(self) -> AbstractContextManager[None]:
        """Turn what goes wrong with writing into a MachineError."""
        return room_for("what bots may read cannot be copied to", self.folder)

    def _is_shown(self, path: str) -> bool:
        return any(path == shown or path.startswith(f"{shown}/") for shown in self._shown)

    def _above(self, path: str) -> Path:
        """Make the folders above what is to be shown; return the last of them."""
        parent = Path(f"{self.folder}{path}").parent
        missing = []
        while not parent.is_dir():
            missing.append(parent)
            parent = parent.parent
        for each in reversed(missing):
            each.mkdir()
            each.chmod(0o711)
        return Path(f"{self.folder}{path}").parent

    def _mirror(self, path: str) -> None:
        """Show a file, a link or a folder with all that is in it."""
        try:
            found = os.lstat(path)
        except OSError:
            return
        self._above(path)
        target = f"{self.folder}{path}"
        if not stat.S_ISDIR(found.st_mode):
            self._mirror_file(path, target)
            return
        self._mirror_folder(path, target, 0o755)

    def _mirror_folder(self, source: str, target: str, shown: int) -> None:
        """Show a folder, with a mode, and what is in it but for folders that not all may enter."""
        with suppress(FileExistsError):
            os.mkdir(target)
        os.chmod(target, shown)  # read by bots, written by root alone
        if monotonic() >= self._tell_at:
            self._tell_at, self._has_told = inf, True
            for tell in told:
                tell(_LONG.format(os.path.dirname(self.folder)))
        with os.scandir(source) as entries:
            for entry in entries:
                inner = f"{target}/{entry.name}"
                if not entry.is_dir(follow_symlinks=False):
                    self._mirror_file(entry.path, inner)
                    continue
                found = entry.stat(follow_symlinks=False)
                mode = found.st_mode
                if identity(found) == self._own:
                    continue  # or it would hold itself without end
                if entry.path not in _LEFT_OUT and mode & stat.S_IXOTH:
                    self._mirror_folder(entry.path, inner, 0o711 | mode & 0o044)

    def _mirror_file(self, source: str, target: str) -> None:
        """Show a link or a file, by a hard link where there can be one that gives nobody rights."""
        found = os.lstat(source)
        if os.path.lexists(target):
            return
        if stat.S_ISLNK(found.st_mode):
            os.symlink(os.readlink(source), target)
            return
        if not stat.S_ISREG(found.st_mode) or not found.st_mode & stat.S_IROTH:
            return
        if not found.st_mode & (stat.S_IWOTH | stat.S_ISUID | stat.S_ISGID):
            with suppress(OSError):  # another file system, or one without hard links
                os.link(source, target, follow_symlinks=False)
                return
        shutil.copyfile(source, target)
        os.chmod(target, 0o555 if found.st_mode & 0o111 else 0o444)
