"""Unpacks what was handed in: a program of its own, run where it can do no harm.

    python -I -S unpack.py NAME < ARCHIVE

It runs in an empty folder and leaves there the files of a zip, a tar or a tar.gz, or what came as
the one file NAME. If all files are in one folder, it leaves what is in that. It exits with 0, and
says what it left out; or with 3, and says on one line what it refuses and on the next what to do.

Nothing that stands in an archive is believed before it was looked at: every name, every size and
every kind of entry is checked here, by the few rules below, rather than by a library that unpacks
whatever it can.
"""

import io
import os
import re
import stat
import struct
import sys
import tempfile
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

REFUSED = 3
"""What it exits with if it refuses something."""
FILES = 2000
"""The most files and folders, fewer than a bot may have."""
BYTES = 256 << 20
"""The most bytes in all files together: as a bot may have unless a league allows more."""
_ENTRIES = 20_000  # in an archive, with those that are left out
_DEPTH = 32  # folders in each other
_PATH = 1024  # bytes of a path
_PART = 255  # bytes of a name
_HEADERS = 64 << 20  # bytes of a tar that are no files
_RECORDS = 1 << 20  # bytes of one extended header
_PIECE = 1 << 16

_LEFT_OUT = {"__MACOSX", "__pycache__", ".git", ".hg", ".svn", ".DS_Store", "Thumbs.db"}
_OTHERS = {
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "rar",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_CUT_OFF = ("the archive is cut off", "Hand it in again; look first whether you can unpack it.")
_DAMAGED = ("the archive is damaged", "Make it anew; look first whether you can unpack it.")
_ALONE = "Make it anew, alone in its file."
_PLAIN = "Hand in a zip, a tar or a tar.gz of plain files and folders."
_TOO_LARGE = f"it is larger than {BYTES >> 20} MiB when it is unpacked"
_LESS = "Leave out what the bot does not need to be built and to play."


class RefusalError(Exception):
    """What is refused, and what to do about it."""

    def __init__(self, what: str, remedy: str = _PLAIN) -> None:
        super().__init__(what)
        self.remedy = remedy


class Packed(NamedTuple):
    """A file or a folder of an archive."""

    name: bytes
    is_folder: bool
    mode: int
    """Its permissions; 0 if the archive has none."""
    pieces: Iterator[bytes]
    """What it holds."""


# --- names


def parts_of(raw: bytes) -> list[str]:
    """Return the folders of a name, and its last part.

    Raises RefusalError for a name that leads elsewhere, or is not the same on all machines.
    """
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        shown = ascii(raw)[1:]
        raise RefusalError(f"the name {_short(shown)} is not UTF-8", "Rename that file.") from None
    wrong = ""
    if not name.isprintable():
        wrong = "holds characters that cannot be shown"
    elif "\\" in name:
        wrong = "holds a backslash, and folders are divided by /"
    elif name.startswith("/"):
        wrong = "is absolute"
    elif re.match("[A-Za-z]:", name):
        wrong = "begins with the letter of a drive"
    elif ".." in name.split("/"):
        wrong = "leads out of its folder"
    elif len(raw) > _PATH or any(len(part.encode()) > _PART for part in name.split("/")):
        wrong = "is too long"
    if wrong:
        remedy = "Make the archive inside of the bot's folder, and rename what is called so."
        raise RefusalError(f"the name {_quoted(name)} {wrong}", remedy)
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if len(parts) > _DEPTH:
        raise RefusalError(f"{_quoted(name)} lies in more than {_DEPTH} folders")
    return parts


def _quoted(name: str) -> str:
    """Return a name as it may be shown anywhere."""
    return _short(repr(name) if name.isprintable() else ascii(name))


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:90]}...{text[-25:]}"


def _folded(name: str) -> str:
    """Return what all names have in common that are one file on some machines."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


# --- what is made of them


class Tree:
    """The files and folders that are made in the working folder, and how many they are."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        self.files = 0
        self.bytes = 0
        self._read = 0
        """Bytes of all entries, with those that are left out."""
        self._entries = 0
        self._folders: set[str] = set()
        self._spelled: dict[str, str] = {}
        """How each path is spelled."""

    def add(self, entry: Packed) -> None:
        """Make an entry, or leave it out."""
        self._entries += 1
        if self._entries > _ENTRIES:
            raise RefusalError(f"the archive has more than {_ENTRIES} entries", _LESS)
        parts = parts_of(entry.name)
        idle = [part for part in parts if part in _LEFT_OUT or part.startswith("._")]
        if idle:
            self.left_out[idle[0]] += 1
            for piece in entry.pieces:
                self._count(piece)
        elif entry.is_folder:
            self._make_folders(parts)
            if any(entry.pieces):
                raise RefusalError(*_DAMAGED)
        elif parts:
            self._make_folders(parts[:-1])
            self._make_file("/".join(parts), entry)
        else:
            raise RefusalError(*_DAMAGED)

    def _make_folders(self, parts: list[str]) -> None:
        for number in range(1, len(parts) + 1):
            path = "/".join(parts[:number])
            if not self._is_new(path):
                if path not in self._folders:
                    raise RefusalError(f"{_quoted(path)} is a file and a folder", _DAMAGED[1])
                continue
            self._folders.add(path)
            self._check_count()
            os.mkdir(path, 0o755)

    def _make_file(self, path: str, entry: Packed) -> None:
        if not self._is_new(path):
            is_folder = path in self._folders
            wrong = "is a file and a folder" if is_folder else "is in the archive twice"
            raise RefusalError(f"{_quoted(path)} {wrong}", "Make the archive anew, in one go.")
        self.files += 1
        self._check_count()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with open(os.open(path, flags, 0o644), "wb") as file:
            beginning = b""
            for piece in entry.pieces:
                self._count(piece)
                beginning = beginning or piece[:4]
                self.bytes += file.write(piece)
            is_program = beginning.startswith((b"#!", b"\x7fELF"))
            if entry.mode & 0o111 or (is_program and not entry.mode):
                os.fchmod(file.fileno(), 0o755)

    def _check_count(self) -> None:
        if self.files + len(self._folders) > FILES:
            raise RefusalError(f"there are more than {FILES} files and folders", _LESS)

    def _is_new(self, path: str) -> bool:
        """Return whether a path was not there yet; raise RefusalError if it was, spelled anew."""
        folded = _folded(path)
        spelled = self._spelled.get(folded)
        if spelled not in (None, path):
            raise RefusalError(
                f"{_quoted(str(spelled))} and {_quoted(path)} are one file where small letters "
                f"and capitals are the same",
                "Rename one of them.",
            )
        self._spelled[folded] = path
        return spelled is None

    def _count(self, piece: bytes) -> None:
        self._read += len(piece)
        if self._read > BYTES:
            raise RefusalError(_TOO_LARGE, _LESS)

    def strip_top(self) -> None:
        """Put what is in the only folder in its place."""
        names = os.listdir(".")
        if len(names) == 1 and os.path.isdir(names[0]):
            with tempfile.TemporaryDirectory(dir=".") as aside:
                top = f"{aside}/top"
                os.rename(names[0], top)
                for name in os.listdir(top):
                    os.rename(f"{top}/{name}", name)


# --- zip

_LISTED = struct.Struct("<4sxB2xHH4xLLLHHH4xLL")
_LOCAL = struct.Struct("<4s2xHH16xHH")
_END = struct.Struct("<4s4H2LH")
_TOO_BIG = 0xFFFFFFFF
"""Stands for a number that stands elsewhere, as it is larger."""
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_WINDOWS = {0, 10, 14}  # the systems whose names of files hold no backslash: FAT, NTFS, VFAT


class _Member(NamedTuple):
    """What a zip's directory says of an entry."""

    name: bytes
    method: int
    crc: int
    packed: int
    size: int
    attributes: int
    offset: int
    begins: int
    """Where its bytes begin, by its own header."""


def zip_entries(source: BinaryIO) -> Iterator[Packed]:
    """Yield the entries of a zip after its directory was looked at as a whole."""
    members = list(_members(source, *_directory(source)))
    if sum(member.size for member in members) > BYTES:
        raise RefusalError(_TOO_LARGE, _LESS)
    free = 0
    for member in sorted(members, key=lambda member: member.offset):
        if member.offset < free:
            raise RefusalError("entries of the archive lie in each other", _DAMAGED[1])
        free = member.begins + member.packed
    for member in members:
        yield _zip_entry(source, member)


def _directory(source: BinaryIO) -> tuple[bytes, int, int]:
    """Return a zip's directory, how many entries it lists, and where it begins."""
    size = source.seek(0, os.SEEK_END)
    tail_at = max(0, size - _END.size - 0xFFFF)
    tail = _at(source, tail_at, size - tail_at)
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < _END.size:
        raise RefusalError(*_CUT_OFF)
    _, *disks, here, count, length, offset, comment = _END.unpack_from(tail, at)
    if any(disks) or here != count:
        raise RefusalError("the archive is a part of several")
    if count > _ENTRIES or offset == _TOO_BIG:
        raise RefusalError(f"the archive has more than {_ENTRIES} entries", _LESS)
    if at + _END.size + comment != len(tail) or offset + length > tail_at + at:
        raise RefusalError(*_DAMAGED)
    if offset + length < tail_at + at:  # readers take their offsets from elsewhere then
        raise RefusalError("the archive has something before it, such as another one", _ALONE)
    return _at(source, offset, length), count, offset


def _members(
    source: BinaryIO, directory: bytes, count: int, directory_at: int
) -> Iterator[_Member]:
    at = 0
    for _ in range(count):
        sign, system, flags, method, crc, packed, size, named, extra, said, attributes, offset = (
            _LISTED.unpack_from(directory, at)
        )
        at += _LISTED.size
        name = directory[at : at + named]
        at += named + extra + said
        if sign != b"PK\1\2" or at > len(directory):
            raise RefusalError(*_DAMAGED)
        if flags & _ENCRYPTED:
            raise RefusalError("the archive is encrypted", "Make it without a password.")
        if _TOO_BIG in (packed, size, offset):
            raise RefusalError(_TOO_LARGE, _LESS)
        begins = _begins(source, offset, name, method)
        if begins + packed > directory_at:
            raise RefusalError(*_DAMAGED)
        if system in _WINDOWS:
            name = name.replace(b"\\", b"/")  # as other readers do
        yield _Member(name, method, crc, packed, size, attributes, offset, begins)
    if at != len(directory):
        raise RefusalError(*_DAMAGED)


def _begins(source: BinaryIO, offset: int, name: bytes, method: int) -> int:
    """Return where an entry's bytes begin by its own header, which must say the same."""
    sign, flags, own_method, named, extra = _LOCAL.unpack(_at(source, offset, _LOCAL.size))
    own_name = _at(source, offset + _LOCAL.size, named)
    if (sign, own_name, own_method) != (b"PK\3\4", name, method) or flags & _ENCRYPTED:
        raise RefusalError(*_DAMAGED)
    return int(offset + _LOCAL.size + named + extra)


def _zip_entry(source: BinaryIO, member: _Member) -> Packed:
    mode = member.attributes >> 16
    is_folder = member.name.endswith(b"/")
    kind = stat.S_IFMT(mode)
    if kind and kind != (stat.S_IFDIR if is_folder else stat.S_IFREG):
        raise _odd(member.name, {stat.S_IFLNK: "a link", stat.S_IFIFO: "a FIFO"}.get(kind))
    if member.method not in (0, 8):
        raise RefusalError(f"the archive is packed by method {member.method}, which is not taken")
    return Packed(member.name, is_folder, mode & 0o777, _zip_pieces(source, member))


def _odd(name: bytes, kind: str | None) -> RefusalError:
    shown = _quoted(name.decode(errors="replace"))
    return RefusalError(f"{shown} is {kind or 'no file and no folder'}", "Put a file in its place.")


def _zip_pieces(source: BinaryIO, member: _Member) -> Iterator[bytes]:
    source.seek(member.begins)
    left, size, crc = member.packed, 0, 0
    inflater = None if member.method == 0 else zlib.decompressobj(-zlib.MAX_WBITS)
    while left:
        packed = source.read(min(left, _PIECE))
        if not packed or (inflater and inflater.eof):
            raise RefusalError(*_DAMAGED)
        left -= len(packed)
        for piece in [packed] if inflater is None else _inflated(inflater, packed):
            size += len(piece)
            crc = zlib.crc32(piece, crc)
            if size > member.size:
                raise RefusalError("an entry of the archive holds more than it says", _DAMAGED[1])
            yield piece
    is_whole = inflater is None or (inflater.eof and not inflater.unused_data)
    if size != member.size or crc != member.crc or not is_whole:
        raise RefusalError(*_DAMAGED)


def _inflated(inflater: "zlib._Decompress", packed: bytes) -> Iterator[bytes]:
    """Yield what bytes hold when they are unpacked, never much of it at once."""
    while not inflater.eof:
        piece = inflater.decompress(packed, _PIECE)
        packed = inflater.unconsumed_tail
        yield piece
        if not packed and len(piece) < _PIECE:  # else some more may be within
            break


def _at(source: BinaryIO, offset: int, size: int) -> bytes:
    source.seek(offset)
    data = source.read(size)
    if len(data) != size:
        raise RefusalError(*_CUT_OFF)
    return data


# --- tar

_BLOCK = 512
_FOLDER, _FILES, _LONG_NAME, _LONG_LINK, _EXTENDED, _COMMON = (
    b"5",
    b"0\x007",
    b"L",
    b"K",
    b"xX",
    b"g",
)
_ODD = {
    b"1": "a hard link",
    b"2": "a link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a FIFO",
    b"S": "a file with holes",
}


class _Stream:
    """The bytes of a tar, read in order, and never more of them than a bot may have."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._ready = b""
        self._left = BYTES + _HEADERS

    def some(self, most: int) -> bytes:
        """Return the next bytes, at most so many; nothing at the end."""
        while not self._ready:
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._left -= len(piece)
            if self._left < 0:
                raise RefusalError(_TOO_LARGE, _LESS)
            self._ready = piece
        found, self._ready = self._ready[:most], self._ready[most:]
        return found

    def exactly(self, size: int) -> Iterator[bytes]:
        """Yield so many bytes in pieces; raise RefusalError if there are not."""
        while size:
            piece = self.some(min(size, _PIECE))
            if not piece:
                raise RefusalError(*_CUT_OFF)
            size -= len(piece)
            yield piece

    def joined(self, size: int) -> bytes:
        """Return so many bytes; raise RefusalError if there are not."""
        return b"".join(self.exactly(size))


def tar_entries(pieces: Iterator[bytes]) -> Iterator[Packed]:
    """Yield the entries of a tar; each must be read to its end before the next."""
    stream = _Stream(pieces)
    long_name: bytes | None = None
    records: dict[bytes, bytes] = {}
    while True:
        header = stream.joined(_BLOCK)
        if not header.strip(b"\0"):
            break
        if not is_tar(header):
            raise RefusalError(*_DAMAGED)
        size, kind, mode = _number(header[124:136]), header[156:157], _number(header[100:108])
        if kind in (_LONG_NAME, _LONG_LINK) or kind in _EXTENDED + _COMMON:
            if size > _RECORDS:
                raise RefusalError("a name in the archive is too long")
            data = stream.joined(size + -size % _BLOCK)[:size]
            if kind == _LONG_NAME:
                long_name = data.rstrip(b"\0")
            elif kind in _EXTENDED:
                records = _records(data)
            continue
        name = records.get(b"path", long_name if long_name is not None else _name(header))
        if kind in _ODD or any(key.startswith(b"GNU.sparse") for key in records):
            raise _odd(name, _ODD.get(kind, _ODD[b"S"]))
        if kind not in _FILES and kind != _FOLDER:
            raise _odd(name, None)
        size = _decimal(records[b"size"]) if b"size" in records else size
        is_folder = kind == _FOLDER or name.endswith(b"/")
        yield Packed(name, is_folder, mode & 0o777 | 0o400, stream.exactly(size))
        stream.joined(-size % _BLOCK)
        long_name, records = None, {}
    if long_name is not None or records:
        raise RefusalError(*_DAMAGED)
    while piece := stream.some(_PIECE):
        if piece.strip(b"\0"):
            raise RefusalError("there is more after the end of the archive", _DAMAGED[1])


def is_tar(header: bytes) -> bool:
    """Return whether a block is the header of an entry, by the sum of its bytes."""
    if len(header) < _BLOCK or not re.fullmatch(b"[0-7]+", header[148:156].strip(b" \0")):
        return False
    plain = header[:148] + b" " * 8 + header[156:_BLOCK]
    signed = sum(byte - 256 if byte > 127 else byte for byte in plain)  # as some programs add
    return _number(header[148:156]) in (sum(plain), signed)


def _name(header: bytes) -> bytes:
    name = header[:100].partition(b"\0")[0]
    prefix = header[345:500].partition(b"\0")[0] if header[257:263] == b"ustar\0" else b""
    return prefix + b"/" + name if prefix else name


def _number(text: bytes) -> int:
    """Return a number of a header: in octal digits, or in bytes after one that says so."""
    if text[0] == 0x80:
        return int.from_bytes(text[1:], "big")
    digits = text.strip(b" \0") or b"0"
    if not re.fullmatch(b"[0-7]+", digits):
        raise RefusalError(*_DAMAGED)
    return int(digits, 8)


def _decimal(text: bytes) -> int:
    if not re.fullmatch(b"[0-9]{1,18}", text):
        raise RefusalError(*_DAMAGED)
    return int(text)


def _records(data: bytes) -> dict[bytes, bytes]:
    """Return what an extended header says: lines of a length, a key and a value."""
    found = {}
    while data:
        match = re.match(b"([0-9]{1,7}) ([^=\n]+)=", data)
        length = int(match[1]) if match else 0
        if not match or length < match.end() + 1 or data[length - 1 : length] != b"\n":
            raise RefusalError(*_DAMAGED)
        found[match[2]] = data[match.end() : length - 1]
        data = data[length:]
    return found


def gunzipped(source: BinaryIO) -> Iterator[bytes]:
    """Yield what a gzip file holds."""
    packed = source.read(_PIECE)
    while packed:
        inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        while not inflater.eof:
            packed = packed or source.read(_PIECE)
            if not packed:
                raise RefusalError(*_CUT_OFF)
            yield from _inflated(inflater, packed)
            packed = inflater.unused_data
        while not packed.strip(b"\0"):  # what some programs fill a block with
            packed = source.read(_PIECE)
            if not packed:
                return


# --- what it is


def unpack(source: BinaryIO, name: str) -> Tree:
    """Leave in the working folder what a file holds, or the file itself; raise RefusalError."""
    tree = Tree()
    start = source.read(_BLOCK)
    source.seek(0)
    for entry in _entries(source, start, name):
        tree.add(entry)
    if not tree.files:
        raise RefusalError("there is no file in the archive", "Hand in the bot's files.")
    tree.strip_top()
    return tree


def _entries(source: BinaryIO, start: bytes, name: str) -> Iterator[Packed]:
    if start.startswith((b"PK\3\4", b"PK\5\6")):
        return zip_entries(source)
    if start.startswith(b"\x1f\x8b"):
        return tar_entries(gunzipped(source))
    if is_tar(start):
        return tar_entries(iter(lambda: source.read(_PIECE), b""))
    for sign, kind in _OTHERS.items():
        if start.startswith(sign):
            raise RefusalError(f"{_quoted(name)} is packed by {kind}, which is not taken")
    ending = re.search(r"\.(zip|tar|tgz|tar\.gz|gz)$", name, re.IGNORECASE)
    if ending:
        raise RefusalError(f"{_quoted(name)} is no {ending[1]}, by what is in it")
    return iter([Packed(name.encode(), False, 0, iter(lambda: source.read(_PIECE), b""))])


def _seekable(source: BinaryIO) -> BinaryIO:
    if source.seekable():
        return source
    file = tempfile.TemporaryFile(dir=".")  # noqa: SIM115 - open until the end
    while piece := source.read(_PIECE):
        file.write(piece)
    file.seek(0)
    return file


def main(name: str) -> int:
    """Unpack standard input, say what came of it, and return the code to exit with."""
    try:
        tree = unpack(_seekable(sys.stdin.buffer), name)
    except RefusalError as error:
        print(f"{error}.\n{error.remedy}")
        return REFUSED
    except (zlib.error, struct.error):
        print(f"{_DAMAGED[0]}.\n{_DAMAGED[1]}")
        return REFUSED
    idle = ", ".join(f"{what} ({number})" for what, number in sorted(tree.left_out.items()))
    print(
        f"unpacked: {tree.files} file{'s' * (tree.files != 1)}, {tree.bytes} bytes"
        + (f"; left out: {idle}" * bool(idle))
    )
    return 0


if __name__ == "__main__":
    output = sys.stdout
    if isinstance(output, io.TextIOWrapper):  # which it is where nothing was put in its place
        output.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(main(sys.argv[1]))
