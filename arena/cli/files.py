"""Files that commands write: whole or not at all, and never over what somebody may need."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.folders import unfinished
from arena.league.file import FILE
from arena.league.plan import DATABASE
from protocol.errors import ArenaError, RunError
from referee.sandbox import temporary_folder


def check_target(league: Path, file: Path, *, force: bool) -> None:
    """Raise ArenaError for a file that is not to be written over.

    Raises RunError for one that cannot be written.
    """
    try:
        if file.exists() and not file.is_file():
            if file.is_dir():
                raise ArenaError(f"{file} is a folder; name a file in it.")
            raise ArenaError(f"{file} is not a regular file; to write to it, use - and >.")
        own = file.resolve()
        if own.parent == league.resolve() and own.name.startswith((FILE, DATABASE)):
            raise ArenaError(f"{file} is the league itself; choose another file.")
        if file.exists() and not force:
            raise ArenaError(f"{file} exists; choose another file, or write over it with --force.")
    except OSError as error:  # a name that is too long, a folder that is closed
        raise RunError(f"{file} cannot be written: {error.strerror}.") from None


def write_pieces(pieces: Iterable[bytes], file: Path) -> int:
    """Write pieces into a file, whole or not at all; return how many.

    Raises RunError if the file cannot be written.
    """
    count = 0
    try:
        with unfinished(file) as folder:
            with Path(folder, file.name).open("xb") as stream:
                for piece in pieces:
                    stream.write(piece)
                    count += 1
                stream.flush()
                os.fsync(stream.fileno())
            Path(stream.name).rename(file)
    except OSError as error:
        raise RunError(f"{file} cannot be written: {error.strerror}.") from None
    return count


def print_pieces(pieces: Iterable[bytes]) -> None:
    """Write pieces on standard output."""
    for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.flush()


@contextmanager
def spare_folder() -> Iterator[Path]:
    """Yield a folder for temporary files; raise MachineError if it cannot be made."""
    folder = temporary_folder("arena-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
