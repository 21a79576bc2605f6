"""Wheels that were made to harm: none is believed, and nothing in them is executed."""

import io
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from tests.arena.environment.conftest import bot, wheel
from tests.arena.environment.test_environments import failure, lock, made


def entry(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    found = zipfile.ZipInfo(name)
    found.external_attr = mode << 16
    return found


OUTSIDE = (
    *("../../../../evil.py", "/tmp/evil.py", "a/../../evil.py", "a//evil.py", "..\\evil.py"),
    "chooser-1.0.data/data/../../evil",
)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *((name, "would lie outside of its folder") for name in OUTSIDE),
        ("chooser-1.0.data/data/lib/python{}/os.py", "in the place of a file of the environment"),
        ("a\x1b[2J.py", "is no name that can be shown"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(
    name: str, said: str, public: Path, cache: Path
) -> None:
    folder = bot(public / "mine")
    names = {name.format(f"3.{minor}") for minor in range(9, 30)}  # whichever it is made of
    entries = [(entry(each), b"raise SystemExit") for each in names]
    wheel(folder / "wheels", "chooser", entries=entries)
    lock(folder)
    text = failure(lambda: made(folder))
    assert "chooser-1.0-py3-none-any.whl is refused: it holds " in text
    assert said in text
    assert not [*cache.iterdir()]
    assert not [*public.rglob("evil*")]


def test_links_and_devices_are_refused(public: Path, cache: Path) -> None:
    folder = bot(public / "mine")
    for kind in (stat.S_IFLNK, stat.S_IFCHR):
        odd = entry("chooser/secret", kind | 0o777)
        wheel(folder / "wheels", "chooser", entries=[(odd, b"/etc/shadow")])
        lock(folder)
        assert "which is no plain file" in failure(lambda: made(folder))
    assert not [*cache.iterdir()]


def test_set_uid_bits_and_scripts_are_left_out(public: Path) -> None:
    folder = bot(public / "mine")
    entries = [
        (entry("chooser/tool", stat.S_IFREG | 0o6755), b"\x7fELF"),
        (entry("chooser-1.0.data/scripts/python", stat.S_IFREG | 0o755), b"#!/bin/sh\n"),
        (entry("chooser-1.0.data/data/bin/python", stat.S_IFREG | 0o755), b"#!/bin/sh\n"),
        (entry("chooser-1.0.data/data/pyvenv.cfg"), b"home = /tmp\n"),
        (entry("chooser-1.0.data/headers/x.h"), b""),
    ]
    wheel(folder / "wheels", "chooser", entries=entries)
    lock(folder)
    environment = Path(made(folder).bot.environment)
    assert stat.S_IMODE(next(environment.rglob("tool")).stat().st_mode) == 0o555
    assert [path.name for path in (environment / "bin").iterdir()] == ["python"]
    assert (environment / "bin/python").readlink().is_absolute()
    assert "home = /tmp" not in (environment / "pyvenv.cfg").read_text()


def test_nothing_of_a_wheel_is_executed_outside_of_the_bots_sandbox(public: Path) -> None:
    folder = bot(public / "mine")
    mark = public / "executed"
    public.chmod(0o777)
    code = f"open({str(mark)!r}, 'w')\n"
    names = ("chooser", "sitecustomize", "setup", "compileall", "zipfile")
    files = {f"{name}.py": code for name in names} | {"evil.pth": f"import chooser; {code}"}
    wheel(folder / "wheels", "chooser", files=files)
    lock(folder)
    assert made(folder).outcome is not None
    assert made(folder).outcome is None
    assert not mark.exists()


def test_a_wheel_that_grows_without_end_is_stopped(public: Path, cache: Path) -> None:
    folder = bot(public / "mine")
    path = folder / "wheels" / "chooser-1.0-py3-none-any.whl"
    wheel(folder / "wheels", "chooser")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("chooser/zeros", bytes(60 << 20))
    assert path.stat().st_size < 1 << 20
    lock(folder)
    assert "more than 20 MB of disk" in failure(lambda: made(folder, disk_mb=20))
    assert not [*cache.iterdir()]


def test_a_file_that_is_no_wheel_is_named(public: Path) -> None:
    folder = bot(public / "mine")
    path = wheel(folder / "wheels", "chooser")
    data = path.read_bytes()
    end = data.rfind(b"PK\5\6")
    is_none = "it is no zip file, or not whole"
    long = struct.pack("<I", 1 << 30)
    lzma = zipped("chooser-1.0.dist-info/METADATA", b"Name: chooser\n", zipfile.ZIP_LZMA)
    for content, said in (
        (data[: len(data) // 2], is_none),
        (b"wheel", is_none),
        (data[: end + 12] + long + data[end + 16 :], "its list of files is too long"),
        (data[:end] + b"PK\6\7" + bytes(16) + data[end:], "it is larger than 4 GiB, or holds more"),
        (zipped("chooser.py", b""), "it has no METADATA, or more than one"),
        (lzma, "it is packed in a way that wheels are not"),
    ):
        path.write_bytes(content)
        text = failure(lambda: lock(folder))
        assert f"chooser-1.0-py3-none-any.whl is no wheel that can be read: {said}" in text
    path.rename(public / "secret")
    path.symlink_to(public / "secret")
    assert "it leads out of its folder" in failure(lambda: lock(folder))
    path.rename(folder / "wheels" / "chooser.whl")
    assert "is not called as wheels are" in failure(lambda: lock(folder))


def zipped(name: str, content: bytes, method: int = zipfile.ZIP_STORED) -> bytes:
    with zipfile.ZipFile(made := io.BytesIO(), "w", method) as archive:
        archive.writestr(name, content)
    return made.getvalue()


def test_metadata_that_asks_for_a_place_is_read_as_a_name(public: Path) -> None:
    folder = bot(public / "mine")
    wheel(folder / "wheels", "chooser", needs=["base @ git+https://evil.example/base"])
    assert "there is no wheel of base" in failure(lambda: lock(folder))
    wheel(folder / "wheels", "chooser", needs=["base; os_name ~= 'posix'"])
    assert "has a condition that cannot be decided" in failure(lambda: lock(folder))
