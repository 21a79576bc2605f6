"""The folder that a build may write: filled with its sources, and what it left taken out."""

import errno
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import BinaryIO

from referee.process.procfs import File, identity
from referee.sandbox.errors import StartError
from referee.sandbox.fork_server import remove
from referee.sandbox.sources import Amount, Sources, open_beneath
from referee.sandbox.stage import read_pieces
from referee.sandbox.temporary import room_for

MOMENT = 1_000_000_000
"""When every source was changed, in seconds: in 2001, whoever copied it, so that builds agree."""
_DEPTH_LIMIT = 64  # folders in each other


class Area:
    """Three folders of one build: `work`, where it runs, `tmp` and `home`.

    They belong to `uid`, and nobody else may enter. Raises MachineError if they cannot be made.
    """

    def __init__(self, folder: str, uid: int | None) -> None:
        self.folder = os.path.realpath(folder)
        self.work = f"{self.folder}/work"
        """Where the command runs, among its sources."""
        self.temporary = f"{self.folder}/tmp"  # noqa: S108 - the build's own
        """Where its temporary files are put."""
        self.home = f"{self.folder}/home"
        """Where its caches and settings are put."""
        self.folders = [self.work, self.temporary, self.home]
        """All that it may write."""
        self.names = {f"{self.work}/": "", self.work: ".", f"{self.folder}/": ""}
        """How what lies in it is called when it is shown: as seen from `work`."""
        self._uid = uid
        with room_for("a build's folder cannot be made in", os.path.dirname(self.folder)):
            os.mkdir(self.folder, 0o700)
            if uid is not None:
                os.chmod(self.folder, 0o711)  # noqa: S103 - to be entered, and not the build's own
            for each in self.folders:
                os.mkdir(each, 0o700)
                self._give(each)

    def fill(self, sources: Sources, names: Sequence[str]) -> None:
        """Copy files from `sources`; raise OSError or StartError if they cannot be read.

        Raises MachineError if they cannot be written.
        """
        for name in names:
            with sources.open(name) as source, self._written():
                if ".." in (parts := Path(name).parts):
                    raise StartError(f"{name}: it leads out of its folder")
                for end in range(1, len(parts)):
                    with suppress(FileExistsError):
                        os.mkdir(path := "/".join((self.work, *parts[:end])), 0o700)
                        self._give(path)
                target = f"{self.work}/{name}"
                with open(target, "wb") as copy:
                    copy.writelines(read_pieces(sources, source, name))
                os.chmod(target, 0o700 if os.fstat(source.fileno()).st_mode & 0o111 else 0o600)
                os.utime(target, (MOMENT, MOMENT))
                self._give(target)

    def copied(self, file: BinaryIO) -> BinaryIO:
        """Return a copy of the rest of a file, open to be read.

        Whoever has a file open may open it anew to write it, if its mode lets them. Raises OSError
        if it cannot be read, MachineError if it cannot be written.
        """
        path = f"{self.folder}/input"
        with self._written():
            with open(path, "xb") as copy:
                shutil.copyfileobj(file, copy)
            os.chmod(path, 0o444)
            return open(path, "rb")

    def take(self, target: Path, most: Amount) -> list[str]:
        """Copy every file in `work` into the new folder `target`; return their names, sorted.

        Raises OSError, with the name and what is wrong in words, for what is no file, lies outside,
        or is too much; nothing is left in `target` then.
        """
        target.mkdir()
        try:
            with Sources(self.work, most=most.size) as sources:
                names = sorted(self._left(most.files))
                for name in names:
                    copy = target / name
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    with sources.open(name) as source, copy.open("xb") as file:
                        file.writelines(sources.pieces(source, name))
                        runs = os.fstat(source.fileno()).st_mode & 0o111
                    copy.chmod(0o755 if runs else 0o644)
        except BaseException:
            remove(str(target))
            raise
        return names

    def _left(self, most: int) -> list[str]:
        top = os.open(self.work, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            return list(_names_left(top, most))
        finally:
            os.close(top)

    def remove(self) -> None:
        """Remove it with all that the build left."""
        remove(self.folder)

    def _give(self, path: str) -> None:
        if self._uid is not None:
            os.chown(path, self._uid, self._uid)

    def _written(self) -> AbstractContextManager[None]:
        return room_for("the sources of a build cannot be copied to", self.work)


def _names_left(top: int, most: int) -> Iterator[str]:
    """Yield the names of all files in a folder, of which nobody knows how it was left.

    Links are followed, as long as they lead inside. Raises OSError for what cannot be named, for
    links that lead out or in a circle, and for more files and folders than `most`.
    """
    count = 0
    left: list[tuple[str, tuple[File, ...]]] = [("", ())]  # folders, and what they are in
    while left:
        name, above = left.pop()
        folder = open_beneath(top, name or ".")
        try:
            here = identity(os.fstat(folder))
            if here in above:
                raise OSError(errno.ELOOP, "it is a link that leads back to where it is", name)
            if len(above) >= _DEPTH_LIMIT:
                too_deep = f"it is in more than {_DEPTH_LIMIT} folders"
                raise OSError(errno.ENAMETOOLONG, too_deep, name)
            with os.scandir(folder) as entries:
                found = [
                    (entry.name, entry.is_dir(follow_symlinks=False), entry.is_symlink())
                    for entry in entries
                ]
        finally:
            os.close(folder)
        for each, is_folder, is_link in found:
            path = f"{name}/{each}" if name else each
            count += 1
            if count > most:
                too_many = f"with it, there are more than {most} files and folders"
                raise OSError(errno.E2BIG, too_many, path)
            if not path.isprintable():
                shown = ascii(path)[1:-1]
                raise OSError(errno.EILSEQ, "its name is not printable text in UTF-8", shown)
            if is_folder or (is_link and _is_folder(top, path)):
                left.append((path, (*above, here)))
            else:
                yield path


def _is_folder(top: int, link: str) -> bool:
    descriptor = open_beneath(top, link)
    try:
        return stat.S_ISDIR(os.fstat(descriptor).st_mode)
    finally:
        os.close(descriptor)
