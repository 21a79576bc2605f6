"""Archives as authors make them, and as attackers do: what is left, and what is said."""

import contextlib
import gzip
import io
import os
import stat
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.handin import unpack
from arena.handin.unpack import BYTES, FILES, REFUSED
from referee.limits import Limits
from referee.sandbox.sources import FILES_LIMIT
from tests.arena.handin.archives import Raw, odd, raw_zip, tarred, unpacked, zipped
from tests.golden import Golden

BOT = b'command = ["./bot"]\n'
MIB = 1 << 20


def test_what_is_taken_in_a_league_with_the_usual_limits_plays() -> None:
    assert FILES <= FILES_LIMIT
    assert Limits().files >= BYTES


# --- as authors make them


@pytest.mark.parametrize("top", ["", "mine/", "./", "./mine/"])
def test_the_files_are_left_without_the_folder_that_they_are_all_in(
    tmp_path: Path, top: str
) -> None:
    files = [(f"{top}bot.toml", BOT), (f"{top}src/a.c", b"int"), (f"{top}mine", b"x" * MIB)]
    for data in (zipped(files), tarred(*files)):
        found = unpacked(tmp_path / str(len(data)), data)
        assert found.files == {"bot.toml": BOT, "src/a.c": b"int", "mine": b"x" * MIB}
        said = f"unpacked: 3 files, {MIB + len(BOT) + 3} bytes\n"
        assert (found.code, found.said) == (0, said)


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
def test_tars_of_all_forms_are_unpacked_with_long_names(tmp_path: Path, form: int) -> None:
    long = f"{'folder/' * 20}{'n' * 90}"
    files = [("bot.toml", BOT), (long, b"deep"), ("émile", b"name")]
    data = gzip.compress(tarred(*files, form=form))
    assert unpacked(tmp_path / "new", data, "x.tgz").files == dict(files)


def test_a_zip_of_windows_and_an_old_tar_are_unpacked(tmp_path: Path) -> None:
    files = [(rb"mine\bot.toml", BOT), (rb"mine\data\a", b"1"), (b"mine\\empty\\", b"")]
    windows = raw_zip(*(Raw(name, content, system=0, mode=0) for name, content in files))
    found = unpacked(tmp_path / "windows", windows)
    assert found.files == {"bot.toml": BOT, "data/a": b"1"}, found.said
    old = bytearray(tarred(("mine/bot.toml", BOT), form=tarfile.USTAR_FORMAT))
    old[156:157] = b"\0"  # the kind of a file, before there were others
    old[257:265] = bytes(8)  # nor did it say which form it has
    old[148:156] = b" " * 8
    old[148:156] = b"%06o\0 " % sum(old[:512])
    assert unpacked(tmp_path / "old", bytes(old)).files == {"bot.toml": BOT}


def test_only_what_was_executable_is_executable(tmp_path: Path) -> None:
    members = []
    for name, mode in (("a", 0o755), ("b", 0o644), ("c", 0o4755), ("d", 0o100)):
        info = tarfile.TarInfo(name)
        info.mode = mode
        members.append(info)
    assert unpacked(tmp_path / "tar", tarred(*members)).programs == {"a", "c", "d"}
    raw = [Raw(name.encode(), mode=stat.S_IFREG | mode) for name, mode in (("a", 0o755), ("b", 0))]
    assert unpacked(tmp_path / "zip", raw_zip(*raw)).programs == {"a"}
    # where there are no permissions, what is a program
    contents = {b"a": b"#!/bin/sh\n", b"b": b"\x7fELF.", b"c": b"text"}
    raw = [Raw(name, content, mode=0) for name, content in contents.items()]
    data = raw_zip(*raw, Raw(b"d", b"#!/bin/sh\n"))
    assert unpacked(tmp_path / "none", data).programs == {"a", "b"}


def test_what_is_no_part_of_a_bot_is_left_out_in_words(tmp_path: Path) -> None:
    names = ["bot.toml", ".git/config", ".git/HEAD", "__MACOSX/._bot.toml", "a/__pycache__/b.pyc"]
    data = zipped([(name, b"x") for name in [*names, ".DS_Store", "._bot.toml", ".cargo/config"]])
    found = unpacked(tmp_path / "new", data)
    assert set(found.files) == {"bot.toml", ".cargo/config"}
    assert found.said == (
        "unpacked: 2 files, 2 bytes; left out: .DS_Store (1), ._bot.toml (1), .git (2), "
        "__MACOSX (1), __pycache__ (1)\n"
    )


def test_one_file_is_left_as_it_is(tmp_path: Path) -> None:
    assert unpacked(tmp_path / "a", b"import kit\n", "bot.py").files == {"bot.py": b"import kit\n"}
    program = unpacked(tmp_path / "b", b"\x7fELF" + os.urandom(3 * MIB), "bot")
    assert program.programs == {"bot"}


def test_an_archive_of_an_empty_file_and_of_files_of_any_size_is_whole(tmp_path: Path) -> None:
    files = [(f"f{size}", os.urandom(size)) for size in (0, 1, 511, 512, 513, 65535, 65536, 65537)]
    files += [(f"z{size}", bytes(size)) for size in (65535, 65536, 65537, 1 << 20)]
    for number, data in enumerate(
        (zipped(files), zipped(files, packed=False), tarred(*files), gzip.compress(tarred(*files)))
    ):
        assert unpacked(tmp_path / str(number), data).files == dict(files)


# --- as attackers do


def many(names: Iterable[str]) -> bytes:
    return zipped([(name, b"") for name in names], packed=False)


def linked_zip(kind: int) -> bytes:
    return raw_zip(Raw(b"bot.toml"), Raw(b"link", b"/etc/passwd", mode=kind | 0o777))


def pax(**records: str) -> bytes:
    info = tarfile.TarInfo("bot.toml")
    info.pax_headers = records
    return tarred(info, form=tarfile.PAX_FORMAT)


def with_size(data: bytes, size: bytes) -> bytes:
    """Return a tar whose first header says another size."""
    header = bytearray(data[:512])
    header[124:136] = size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + data[512:]


FILE = tarred(("bot.toml", BOT))
ZIP = zipped([("bot.toml", BOT), ("a", os.urandom(2000))])
LARGE = Raw(b"a", bytes(MIB))

ATTACKS = {
    "zip: a link": linked_zip(stat.S_IFLNK),
    "zip: a FIFO": linked_zip(stat.S_IFIFO),
    "zip: a device": linked_zip(stat.S_IFCHR),
    "zip: a folder that is a file": raw_zip(Raw(b"a/", b"", mode=stat.S_IFREG)),
    "zip: ..": raw_zip(Raw(b"../a")),
    "zip: .. inside": raw_zip(Raw(b"a/../../b")),
    "zip: absolute": raw_zip(Raw(b"/etc/cron.d/a")),
    "zip: a drive": raw_zip(Raw(b"C:a")),
    "zip: a backslash": raw_zip(Raw(rb"a\b")),
    "zip: of Windows, ..": raw_zip(Raw(rb"a\..\..\b", system=0)),
    "zip: of Windows, absolute": raw_zip(Raw(rb"\etc\a", system=0)),
    "zip: of Windows, two names": raw_zip(Raw(rb"a\b", system=0, local_name=b"a/b")),
    "zip: of Windows, twice": raw_zip(Raw(rb"a\b", system=0), Raw(b"a/b", system=0)),
    "zip: not UTF-8": raw_zip(Raw(b"caf\x82")),
    "zip: half a character": raw_zip(Raw(b"\xed\xa0\x80")),
    "zip: a control character": raw_zip(Raw(b"a\x1b[2J")),
    "zip: a null": raw_zip(Raw(b"bot.toml\0.png")),
    "zip: a new line": raw_zip(Raw(b"a\nunpacked: 1 files")),
    "zip: text that turns": raw_zip(Raw("a\u202eb".encode())),
    "zip: a long name": raw_zip(Raw(b"n" * 300)),
    "zip: a long path": raw_zip(Raw(b"/".join([b"n" * 200] * 6))),
    "zip: deep": raw_zip(Raw(b"/".join([b"d"] * 40))),
    "zip: capitals": raw_zip(Raw(b"A.py"), Raw(b"a.py")),
    "zip: capitals of folders": raw_zip(Raw(b"A/x"), Raw(b"a/y")),
    "zip: composed letters": raw_zip(Raw("\xe9".encode()), Raw("e\u0301".encode())),
    "zip: twice": raw_zip(Raw(b"a"), Raw(b"a")),
    "zip: a file and a folder": raw_zip(Raw(b"a"), Raw(b"a/b")),
    "zip: a folder and a file": raw_zip(Raw(b"a/b"), Raw(b"a")),
    "zip: too much, and it says so": raw_zip(*(Raw(b"%d" % n, size=BYTES // 2) for n in range(3))),
    "zip: too much, and it lies": raw_zip(Raw(b"a", bytes(MIB), size=1)),
    "zip: less than it says": raw_zip(Raw(b"a", size=2)),
    "zip: overlapping": raw_zip(LARGE, LARGE._replace(offset=0)),  # as in bombs that are small
    "zip: into the directory": raw_zip(Raw(b"a", b"x" * 10, method=0, size=40, packed=40)),
    "zip: two names": raw_zip(Raw(b"good", local_name=b"evil")),
    "zip: another sum": raw_zip(Raw(b"a", crc=1)),
    "zip: encrypted": raw_zip(Raw(b"a", flags=1)),
    "zip: an odd method": raw_zip(Raw(b"a", method=93)),
    "zip: cut off": ZIP[:-30],
    "zip: no end": ZIP[: len(ZIP) // 2],
    "zip: more after it": ZIP + b"x",
    "zip: another before it": zipped([("bot.toml", b"another")]) + ZIP,
    "zip: the same before it": ZIP + ZIP,
    "zip: more before it": b"#!/bin/sh\n" + ZIP,
    "zip: fewer entries than it has": raw_zip(Raw(b"a"), Raw(b"b"), count=1),
    "zip: more entries than it has": raw_zip(Raw(b"a"), count=2),
    "zip: nothing": zipped([]),
    "zip: only what is left out": zipped([(".git/a", b"")]),
    "tar: a link": tarred(odd("a", tarfile.SYMTYPE, "/etc/passwd")),
    "tar: a file through a link": tarred(odd("a", tarfile.SYMTYPE, "/tmp"), ("a/b", b"x")),
    "tar: a hard link": tarred(odd("a", tarfile.LNKTYPE, "/etc/shadow")),
    "tar: a device": tarred(odd("a", tarfile.CHRTYPE)),
    "tar: a disk": tarred(odd("a", tarfile.BLKTYPE)),
    "tar: a FIFO": tarred(odd("a", tarfile.FIFOTYPE)),
    "tar: an odd kind": tarred(odd("a", b"V")),
    "tar: holes": pax(**{"GNU.sparse.major": "1", "GNU.sparse.realsize": str(1 << 40)}),
    "tar: old holes": tarred(odd("a", tarfile.GNUTYPE_SPARSE)),
    "tar: ..": tarred(("../../a", b"")),
    "tar: absolute": tarred(("/etc/a", b"")),
    "tar: absolute in an extended header": pax(path="/etc/cron.d/a"),
    "tar: .. in a long name": tarred((f"{'a/' * 100}../b", b"")),
    "tar: capitals": tarred(("Kit.py", b""), ("kit.py", b"")),
    "tar: twice": tarred(("a", b"1"), ("a", b"2")),
    "tar: a long name of a million letters": tarred((f"{'n' * (2 * MIB)}", b"")),
    "tar: a size that is none": with_size(FILE, b"-1\0\0\0\0\0\0\0\0\0\0"),
    "tar: a size below nothing": with_size(FILE, b"\xff" * 12),
    "tar: a size beyond all": with_size(FILE, b"\x80" + b"\x7f" * 11),
    "tar: a size in an extended header": pax(size=str(1 << 50)),
    "tar: cut off": FILE[:600],
    "tar: no end": FILE[:1024],
    "tar: more after it": FILE + b"x",
    "tar: a second one after it": FILE + FILE,
    "tar.gz: cut off": gzip.compress(FILE)[:-20],
    "tar.gz: damaged": gzip.compress(FILE)[:-8] + bytes(8),
    "gz: no tar in it": gzip.compress(b"x" * 2000),
    "7z": b"7z\xbc\xaf\x27\x1c" + bytes(99),
    "no zip at all": b"hello",
}
LARGE_ATTACKS: dict[str, Callable[[], bytes]] = {
    "zip: too many files": lambda: many(f"{number}" for number in range(FILES + 1)),
    "zip: too many folders": lambda: many(f"{number}/" for number in range(FILES + 1)),
    "zip: a million files": lambda: many(f"{number}" for number in range(65_000)),
    "zip: a bomb in zeros": lambda: raw_zip(Raw(b"a", bytes(300 * MIB))),
    "tar: many left out": lambda: tarred(*((f".git/{number}", b"") for number in range(20_001))),
    "tar.gz: a bomb": lambda: gzip.compress(tarred(("a", bytes(300 * MIB))), 1),
    "tar.gz: one that is left out": lambda: gzip.compress(tarred((".git/a", bytes(300 * MIB))), 1),
    "tar.gz: one behind its end": lambda: gzip.compress(FILE + bytes(400 * MIB), 1),
}


def refused(home: Path, data: bytes) -> str:
    """Unpack what is refused, in a new folder; return what is said, in one line."""
    stdin, said = io.TextIOWrapper(io.BytesIO(data)), io.StringIO()
    with (
        tempfile.TemporaryDirectory(dir=home) as new,
        contextlib.chdir(new),
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(said),
    ):
        patch.setattr("sys.stdin", stdin)
        assert unpack.main("bot.zip") == REFUSED
        assert [path.name for path in home.iterdir()] == [Path(new).name]
        files = [path for path in Path().rglob("*") if path.is_file()]
        assert sum(path.stat().st_size for path in files) <= BYTES
        assert not any(path.is_symlink() for path in files)
    return " ".join(said.getvalue().splitlines())


def test_an_attack_is_refused_and_leaves_nothing(tmp_path: Path, golden: Golden) -> None:
    found = [f"{attack}: {refused(tmp_path, data)}" for attack, data in ATTACKS.items()]
    golden("\n".join(found))


@pytest.mark.slow
@pytest.mark.parametrize("attack", LARGE_ATTACKS)
def test_a_bomb_is_refused_in_words(tmp_path: Path, golden: Golden, attack: str) -> None:
    golden(refused(tmp_path, LARGE_ATTACKS[attack]()))


# --- whatever comes

SHOWN = st.characters(  # as filtering out most of what cannot be shown is too slow
    codec="utf-8", exclude_categories=("C", "Z"), include_characters=" ", exclude_characters="/\\:"
)
PARTS = st.text(SHOWN, min_size=1, max_size=8).filter(lambda name: name != ".")
FILES_OF_A_BOT = st.dictionaries(
    st.lists(PARTS, min_size=1, max_size=3).map("/".join),
    st.binary(max_size=200),
    min_size=1,
    max_size=5,
)
MADE = [
    zipped,
    lambda files: zipped(files, packed=False),
    lambda files: tarred(*files),
    lambda files: tarred(*files, form=tarfile.PAX_FORMAT),
    lambda files: gzip.compress(tarred(*files), mtime=0),
]
IN_A_NEW_FOLDER = settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def left(folder: Path, data: bytes, name: str) -> dict[str, bytes] | None:
    """Unpack something in this process, in a new folder; return its files, or None if refused."""
    with tempfile.TemporaryDirectory(dir=folder) as new, contextlib.chdir(new):
        try:
            unpack.unpack(io.BytesIO(data), name)
        except (unpack.RefusalError, zlib.error):
            return None
        finally:
            assert [path.name for path in folder.iterdir()] == [Path(new).name]
        found = [path for path in Path().rglob("*") if not path.is_dir()]
        assert not any(path.is_symlink() for path in found)
        return {str(path): path.read_bytes() for path in found}


@IN_A_NEW_FOLDER
@given(files=FILES_OF_A_BOT, made=st.sampled_from(MADE))
def test_any_files_come_out_as_they_went_in_or_are_refused(
    tmp_path: Path, files: dict[str, bytes], made: Callable[[Any], bytes]
) -> None:
    """With a file at the top, no folder is stripped; `..`, and what is left out, may come up."""
    files = {**files, "bot.toml": BOT}
    found = left(tmp_path, made(list(files.items())), "bot")
    assert found is None or found.items() <= files.items()
    names = [part for file in files for part in file.split("/")]
    if all(name.isalnum() for name in names if name != "bot.toml") and are_apart(files):
        assert found == files


def are_apart(files: Iterable[str]) -> bool:
    """Whether no file has the path of another or of a folder, capitals or not."""
    seen: dict[str, tuple[str, bool]] = {}
    for file in files:
        parts = file.split("/")
        for length in range(1, len(parts) + 1):
            path = "/".join(parts[:length])
            now = path, length == len(parts)
            if seen.setdefault(unpack._folded(path), now) != now:
                return False
    return True


@IN_A_NEW_FOLDER
@given(made=st.sampled_from(MADE), share=st.floats(0, 1, exclude_max=True))
def test_an_archive_that_is_cut_off_anywhere_is_refused(
    tmp_path: Path, made: Callable[[Any], bytes], share: float
) -> None:
    data = made([("bot.toml", BOT), ("src/a.c", bytes(600)), ("b", b"x" * 300)])
    if data[:4] != b"PK\3\4" and data[:2] != b"\x1f\x8b":
        data = data.rstrip(b"\0") + bytes(1)  # what a tar's last block is filled with may lack
    assert left(tmp_path, data[: int(len(data) * share)], "bot.tar") is None


def test_a_zip_whose_last_record_is_cut_off_is_said_to_be() -> None:
    for length in range(1, 22):
        with pytest.raises(unpack.RefusalError, match="cut off"):
            list(unpack.zip_entries(io.BytesIO(ZIP[:-length])))


@IN_A_NEW_FOLDER
@given(
    made=st.sampled_from(MADE),
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(max_size=6))),
    name=st.sampled_from(["bot.zip", "bot.tar", "bot"]),
)
def test_bytes_changed_anywhere_leave_files_inside_or_are_refused(
    tmp_path: Path, made: Callable[[Any], bytes], changes: list[tuple[float, bytes]], name: str
) -> None:
    data = bytearray(made([("bot.toml", BOT), ("src/a.c", bytes(600)), ("b", b"x" * 300)]))
    for place, new in changes:
        at = int(len(data) * place)
        data[at : at + len(new)] = new
    left(tmp_path, bytes(data), name)


@IN_A_NEW_FOLDER
@given(data=st.binary(max_size=3000), start=st.sampled_from([b"PK\3\4", b"\x1f\x8b", b""]))
def test_any_bytes_are_one_file_or_refused(tmp_path: Path, data: bytes, start: bytes) -> None:
    found = left(tmp_path, start + data, "bot")
    assert found is None or found == {"bot": start + data}
