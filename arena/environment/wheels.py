"""Wheels as they lie in a folder: what each is, and what it says of itself; none is trusted."""

import errno
import hashlib
import os
import struct
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from packaging.metadata import parse_email
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import Version

from arena.environment.errors import PackagesError
from arena.environment.interpreter import Interpreter
from arena.text import safe
from referee.sandbox.by_hash import hash_of
from referee.sandbox.sources import open_beneath

SUFFIX = ".whl"
_MOST_WHEELS = 1000
_MOST_DIRECTORY = 8 << 20  # bytes of the list of files in a wheel
_MOST_METADATA = 1 << 20  # bytes
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_END = b"PK\5\6"
_LARGE = b"PK\6\7"
_END_SIZE = 22  # bytes of the record at the end of a zip file, without its comment
_LARGE_SIZE = 20  # bytes of the record before it, in zip files of more than 4 GiB
_PIECE = 1 << 20


@dataclass(frozen=True)
class Wheel:
    """A file that is called as wheels are."""

    path: Path
    name: str
    version: Version
    tags: frozenset[Tag]

    @property
    def shown(self) -> str:
        """Its file's name."""
        return safe(self.path.name)

    @property
    def plain_name(self) -> str:
        """What its file is called in an environment, where wheels are unpacked in this order.

        How the package is spelt makes no difference, as it would change the order.
        """
        tags = self.path.name.split("-", 2)[2]
        return f"{self.name.replace('-', '_')}-{self.version}-{tags}"

    def rank(self, interpreter: Interpreter) -> int | None:
        """Return how well it suits a Python, best first from 0; None if it is for another."""
        fitting = [interpreter.tags[tag] for tag in self.tags if tag in interpreter.tags]
        return min(fitting, default=None)

    @cached_property
    def needs(self) -> "Needs":
        """What it says that it needs; raise PackagesError if it cannot be read."""
        try:
            with self.open() as file:
                data = _metadata(file)
            raw, _ = parse_email(data)
            return Needs(
                [Requirement(line) for line in raw.get("requires_dist", [])],
                SpecifierSet(raw.get("requires_python", "")),
            )
        except OSError as error:
            raise PackagesError(f"{self.shown} cannot be read: {error.strerror}.") from None
        except (zipfile.BadZipFile, ValueError, KeyError, RecursionError, EOFError) as error:
            raise PackagesError(f"{self.shown} is no wheel that can be read: {error}") from None

    def open(self) -> BinaryIO:
        """Open it, if it is a regular file in its folder and no link that leads out."""
        folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            file = os.fdopen(open_beneath(folder, self.path.name), "rb")
        finally:
            os.close(folder)
        if not os.path.isfile(f"/proc/self/fd/{file.fileno()}"):  # noqa: PTH113 - of the open file
            file.close()
            raise OSError(errno.EINVAL, "it is no regular file", self.path.name)
        return file

    def copied(self, target: Path) -> str:
        """Copy it to a new file, and return the SHA-256 of what was copied."""
        found = hashlib.sha256()
        with self.open() as file, target.open("xb") as copy:
            while piece := file.read(_PIECE):
                found.update(piece)
                copy.write(piece)
        return found.hexdigest()

    def sha256(self) -> str:
        """Return what it hashes to."""
        with self.open() as file:
            return hash_of(file)


@dataclass(frozen=True)
class Needs:
    """What a wheel says of what it needs."""

    packages: list[Requirement]
    python: SpecifierSet


def wheels_in(folder: Path) -> list[Wheel]:
    """Return the wheels in a folder, by their names alone; none if it is not there.

    Raises PackagesError for too many, and for a name that no wheel has.
    """
    try:
        names = sorted(each.name for each in folder.iterdir() if each.suffix == SUFFIX)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise PackagesError(f"{safe(str(folder))} cannot be read: {error.strerror}.") from None
    if len(names) > _MOST_WHEELS:
        raise PackagesError(f"{safe(str(folder))} holds more than {_MOST_WHEELS} wheels.")
    found = []
    for name in names:
        try:
            called, version, _, tags = parse_wheel_filename(name)
        except InvalidWheelFilename:
            raise PackagesError(
                f"{safe(str(folder / name))} is not called as wheels are, NAME-VERSION-TAGS.whl: "
                f"give it back the name that it was fetched by."
            ) from None
        found.append(Wheel(folder / name, canonicalize_name(called), version, tags))
    return found


def _metadata(file: BinaryIO) -> bytes:
    """Return what a wheel says of itself, having looked that its list of files is not too long."""
    _check_directory(file)
    with zipfile.ZipFile(file) as archive:
        names = [
            name
            for name in archive.namelist()
            if name.endswith(".dist-info/METADATA") and name.count("/") == 1
        ]
        if len(names) != 1:
            raise ValueError("it has no METADATA, or more than one")
        if archive.getinfo(names[0]).compress_type not in _PACKED:
            raise ValueError("it is packed in a way that wheels are not")
        with archive.open(names[0]) as entry:
            data = entry.read(_MOST_METADATA + 1)
    if len(data) > _MOST_METADATA:
        raise ValueError("its METADATA is too long")
    return data


def _check_directory(file: BinaryIO) -> None:
    """Raise ValueError for a list of files that would take much memory to read."""
    size = file.seek(0, os.SEEK_END)
    begin = max(0, size - _END_SIZE - _LARGE_SIZE - 0xFFFF)
    file.seek(begin)
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_SIZE:
        raise ValueError("it is no zip file, or not whole")
    if tail[max(0, at - _LARGE_SIZE) : at].startswith(_LARGE):
        raise ValueError("it is larger than 4 GiB, or holds more than 65535 files")
    [listed] = struct.unpack_from("<I", tail, at + 12)
    if listed > _MOST_DIRECTORY:
        raise ValueError("its list of files is too long")
    file.seek(0)
