"""Archives as no program makes them, and the unpacker as it is run: a process in a new folder."""

import io
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from arena.handin import unpack

PROGRAM = Path(unpack.__file__)


class Unpacked(NamedTuple):
    code: int
    said: str
    files: dict[str, bytes]
    programs: set[str]
    """Those of the files that may be executed."""


def unpacked(folder: Path, data: bytes, name: str = "bot.zip") -> Unpacked:
    """Unpack something in a new folder; all that is there must be plain files and folders."""
    folder.mkdir()
    ran = subprocess.run(
        [sys.executable, "-I", "-S", PROGRAM, name], cwd=folder, input=data, capture_output=True
    )
    assert ran.stderr == b""
    files, programs = {}, set()
    for path in folder.rglob("*"):
        assert not path.is_symlink()
        if path.is_file():
            assert path.stat().st_nlink == 1
            assert path.stat().st_mode & 0o7777 in (0o644, 0o755)
            inside = str(path.relative_to(folder))
            files[inside] = path.read_bytes()
            if path.stat().st_mode & 0o111:
                programs.add(inside)
        else:
            assert path.is_dir()
    return Unpacked(ran.returncode, ran.stdout.decode(), files, programs)


def zipped(entries: Iterable[tuple[str, bytes]], packed: bool = True) -> bytes:
    data = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return data.getvalue()


def tarred(*members: tarfile.TarInfo | tuple[str, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    """Return a tar of files, and of whatever else."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=form) as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
            else:
                info = tarfile.TarInfo(member[0])
                info.size = len(member[1])
                archive.addfile(info, io.BytesIO(member[1]))
    return data.getvalue()


def odd(name: str, kind: bytes, to: str = "") -> tarfile.TarInfo:
    """Return a member of a tar that is no file."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, to
    return info


class Raw(NamedTuple):
    """An entry of a zip, said and true."""

    name: bytes
    content: bytes = b"x"
    method: int = 8
    flags: int = 0
    mode: int = 0o100644
    size: int | None = None
    packed: int | None = None
    crc: int | None = None
    local_name: bytes | None = None
    offset: int | None = None
    system: int = 3
    """That it was made on: 3 is Unix, 0 Windows."""


def raw_zip(*entries: Raw, count: int | None = None) -> bytes:
    """Return a zip whose every field can be a lie."""
    body, directory = b"", b""
    for entry in entries:
        deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = entry.content
        if entry.method == 8:
            packed = deflater.compress(entry.content) + deflater.flush()
        size = len(entry.content) if entry.size is None else entry.size
        length = len(packed) if entry.packed is None else entry.packed
        crc = zlib.crc32(entry.content) if entry.crc is None else entry.crc
        offset = len(body) if entry.offset is None else entry.offset
        shared = (20, entry.flags, entry.method, 0, 0, crc, length, size)
        own = entry.name if entry.local_name is None else entry.local_name
        body += struct.pack("<4s5H3L2H", b"PK\3\4", *shared, len(own), 0) + own + packed
        directory += struct.pack(
            "<4s6H3L5H2L",
            *(
                b"PK\1\2",
                entry.system << 8 | 20,
                *shared,
                len(entry.name),
                0,
                0,
                0,
                0,
                entry.mode << 16,
                offset,
            ),
        )
        directory += entry.name
    said = len(entries) if count is None else count
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, said, said, len(directory), len(body), 0)
    return body + directory + end
