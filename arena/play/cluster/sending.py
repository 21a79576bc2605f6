"""Files on their way to other machines: by what is in them, in pieces, each only where it lacks."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from arena.league.files import Borrowed
from referee.sandbox.big_files import CHANGED, content_of, is_big
from referee.sandbox.by_hash import Content
from referee.sandbox.sources import Sources

_LOAD = 4 << 20  # bytes that are sent at once


class SentFile(msgspec.Struct, frozen=True):
    """A file as it is sent: its path relative to its folder, and what is in it."""

    path: bytes
    content: Content


class Piece(msgspec.Struct, frozen=True):
    """A part of a file."""

    content: Content
    """What is in the whole of it."""
    offset: int
    data: bytes


class Lacking(NamedTuple):
    """A file that a machine has not, or not whole."""

    number: int
    """Its place among those that the machine was asked for."""
    begun: int
    """How many of its bytes are there."""


class SentFiles:
    """Some files of a folder, those of `borrowed` elsewhere; nobody has read them yet."""

    def __init__(self, folder: Path, borrowed: Borrowed, files: Sequence[SentFile]) -> None:
        self._folder = folder
        self._borrowed = borrowed
        self.files = list(files)

    def part(self, *, big: bool) -> "SentFiles":
        """Return the big files of it, or the others."""
        files = [file for file in self.files if is_big(file.content) == big]
        return SentFiles(self._folder, self._borrowed, files)

    def loads(self, lacking: Iterable[Lacking]) -> Iterator[list[Piece]]:
        """Yield what a machine lacks of the files, as much at a time as is sent at once.

        Raises OSError for a file that cannot be read, or has changed.
        """
        load: list[Piece] = []
        size = 0
        with Sources(self._folder, self._borrowed) as sources:
            for number, begun in lacking:
                for piece in _pieces(sources, self._folder, self.files[number], begun):
                    if load and size + len(piece.data) > _LOAD:
                        yield load
                        load, size = [], 0
                    load.append(piece)
                    size += len(piece.data)
        if load:
            yield load


def packed(folder: Path, borrowed: Borrowed, names: Iterable[str]) -> SentFiles:
    """Return files as they are sent; raise OSError if they cannot be read."""
    files = []
    with Sources(folder, borrowed) as sources:
        for name in names:
            with _named(folder, name), sources.open(name) as file:
                files.append(SentFile(os.fsencode(name), content_of(file)))
    return SentFiles(folder, borrowed, files)


@contextmanager
def _named(folder: Path, name: str) -> Iterator[None]:
    """Let an OSError say which file it is about."""
    try:
        yield
    except OSError as error:
        error.filename = str(folder / name)
        raise


def _pieces(sources: Sources, folder: Path, file: SentFile, begun: int) -> Iterator[Piece]:
    """Yield the rest of a file; one without any bytes is a piece too."""
    name, size = os.fsdecode(file.path), file.content.size
    with _named(folder, name), sources.open(name) as source:
        source.seek(begun)
        while True:
            data = source.read(min(_LOAD, size - begun))
            if not data and begun < size:
                raise OSError(0, CHANGED)
            yield Piece(file.content, begun, data)
            begun += len(data)
            if begun >= size:
                return
