"""Copies of bots' files where the users that run them may enter, and nobody may write."""

import fcntl
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from referee.sandbox.big_files import BIG, BigFiles
from referee.sandbox.by_hash import keep_times
from referee.sandbox.errors import MachineError, StartError
from referee.sandbox.fork_server import remove
from referee.sandbox.program import Program
from referee.sandbox.sources import BYTES_LIMIT, Sources
from referee.sandbox.temporary import read_by_all, room_for, temporary_base

_PREFIX = "arena-stage-"
_STAGED = re.compile(rf"[^\s'\"]{{0,500}}/{_PREFIX}[0-9a-f]{{16}}/[0-9a-f]{{32}}/")
_YOUNG = 60.0  # seconds within which a stage may not be locked yet


class Stage:
    """A folder of copies, once it is made; the fork server, which knows it before, removes it.

    `big_files` has the copies of big files, if it is for bots that have any; it lies beside those.
    """

    def __init__(self, uid: int, big_files: BigFiles | None = None) -> None:
        base = temporary_base(uid) if big_files is None else big_files.base
        self._big_files = big_files
        self._variable = "TMPDIR" if big_files is None else "XDG_CACHE_HOME"  # says where base is
        if not _is_utf8(base):
            raise self._unfit(base, "its name is not UTF-8")
        sweep(Path(base), _PREFIX)
        self.folder = f"{base}/{_PREFIX}{secrets.token_hex(8)}"
        self._mode = 0o700 if uid == os.getuid() else 0o711  # the users that run bots are to enter
        self._lock = -1
        self._placed: dict[Program, Program] = {}

    def _unfit(self, folder: str, why: str) -> MachineError:
        """Return the error of a folder that is of no use to us."""
        return MachineError(
            f"the bots' files cannot be copied to {folder}: {why}. Set {self._variable} to another "
            f"folder open to everybody; then run again."
        )

    def check_hidden(self) -> None:
        """Raise MachineError if bots could read here what is not theirs."""
        if readable := read_by_all(self.folder):
            raise self._unfit(os.path.dirname(self.folder), f"every bot may read {readable}")

    def make(self) -> None:
        """Make the folder; raise MachineError if that cannot be."""
        with self._written():
            os.mkdir(self.folder, 0o700)
            self._lock = os.open(self.folder, os.O_RDONLY | os.O_CLOEXEC)
            fcntl.flock(self._lock, fcntl.LOCK_EX)  # until we end, however we do
            os.chmod(self.folder, self._mode)

    def place(self, program: Program, most: int = BYTES_LIMIT) -> Program:
        """Return `program` as it is run from the copies of exactly its files, `most` bytes of them.

        Raises OSError or StartError if they cannot be read, MachineError if not written.
        """
        placed = self._placed.get(program)
        if placed is None:
            folder = Path(self.folder, secrets.token_hex(16))  # no other bot guesses it
            try:
                with Sources(program.folder, program.borrowed, most=most) as sources:
                    with self._written():
                        folder.mkdir()
                    for name in program.files:
                        self._copy(sources, name, folder / name)
            except BaseException:  # Ctrl-C too: raised again once the space is free
                shutil.rmtree(folder, ignore_errors=True)
                raise
            for here, _, _ in os.walk(folder):
                os.chmod(here, 0o755)  # noqa: S103 - see above; the umask has had its say
                _hide_reading(here)
            argv = list(program.argv)
            if argv[0].startswith(f"{program.folder}/"):
                argv[0] = f"{folder}{argv[0].removeprefix(program.folder)}"
            placed = replace(program, argv=tuple(argv), folder=str(folder), borrowed=())
            self._placed[program] = placed
        return placed

    def check(self) -> None:
        """Raise MachineError unless all copies that were made are there."""
        for placed in self._placed.values():
            for name in placed.files:
                if not os.path.exists(f"{placed.folder}/{name}"):
                    raise MachineError(
                        f"{placed.folder}/{name}, a copy that bots are run from, is gone: "
                        f"something removed it during the run. Run again; if a service cleans "
                        f"that folder, set {self._variable} to one that it leaves alone."
                    )

    def _written(self) -> AbstractContextManager[None]:
        """Turn what goes wrong with writing into a MachineError."""
        return room_for("the bots' files cannot be copied to", self.folder, self._variable)

    def _copy(self, sources: Sources, name: str, target: Path) -> None:
        with sources.open(name) as source:
            found = os.fstat(source.fileno())
            is_big = self._big_files is not None and found.st_size >= BIG
            if is_big:
                sources.count(found.st_size, name)
            with self._written():
                target.parent.mkdir(parents=True, exist_ok=True)
                if self._big_files is not None and is_big:
                    self._big_files.link(source, found, name, str(target))
                    return
                with target.open("wb") as copy:
                    for piece in read_pieces(sources, source, name):
                        copy.write(piece)
                target.chmod(0o555 if found.st_mode & 0o111 else 0o444)
                _hide_reading(target)

    def remove(self) -> None:
        """Remove everything."""
        remove(self.folder)
        if self._lock >= 0:
            os.close(self._lock)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # os.fsdecode has left bytes in it
        return False
    return True


def read_pieces(sources: Sources, source: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield what a file holds; raise StartError, which is no error of writing."""
    try:
        yield from sources.pieces(source, name)
    except OSError as error:
        raise StartError(f"{name}: {error.strerror}") from None


def _hide_reading(path: str | Path) -> None:
    keep_times(path, os.stat(path).st_mtime_ns)


def unstaged(text: str, folder: str | Path = "") -> str:
    """Return what a program wrote with its copies' folder called by that of its files.

    Without a folder, files are called as they are inside it.
    """
    called = f"{folder}/" if folder else ""
    return _STAGED.sub(lambda _: called, text) if _PREFIX in text else text


def sweep(base: Path, prefix: str) -> None:
    """Remove what is left of folders whose owner, who had a lock on each, was killed."""
    for folder in base.glob(f"{prefix}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue  # it has gone, or is no stage
        try:
            if (
                os.fstat(lock).st_uid == os.getuid()
                and folder.stat().st_mtime < time.time() - _YOUNG
            ):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(str(folder))
        except OSError:
            continue  # its owner lives
        finally:
            os.close(lock)
