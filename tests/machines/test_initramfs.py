"""The archive that a kernel begins with, as the kernel's documentation describes the format."""

import io
import stat
from pathlib import Path
from typing import NamedTuple

from tests.machines.initramfs import Archive


class Entry(NamedTuple):
    """One entry, as it is read."""

    mode: int
    data: bytes
    device: tuple[int, int]


def read(data: bytes) -> dict[str, Entry]:
    """Return the entries of an archive, by name, in their order."""
    found, at = {}, 0
    while True:
        assert at % 4 == 0
        assert data[at : at + 6] == b"070701"
        words = [int(data[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        end = at + 110 + words[11]
        assert data[end - 1] == 0
        name = data[at + 110 : end - 1].decode()
        begin = end + -end % 4
        if name == "TRAILER!!!":
            return found
        assert name not in found
        entry = Entry(words[1], data[begin : begin + words[6]], (words[9], words[10]))
        assert (words[2], words[3]) == (0, 0)
        found[name] = entry
        at = begin + words[6] + -words[6] % 4


def test_what_is_put_in_is_read(tmp_path: Path) -> None:
    (tmp_path / "lib" / "deep").mkdir(parents=True)
    (tmp_path / "lib" / "deep" / "program").write_bytes(b"12345")
    (tmp_path / "lib" / "deep" / "program").chmod(0o4755)
    (tmp_path / "lib" / "pointer").symlink_to("deep/program")
    (tmp_path / "left-out").touch()
    file = io.BytesIO()
    with Archive(file) as archive:
        archive.device("dev/console", 5, 1)
        archive.file("a/b/text", b"six   ", 0o600)
        archive.tree(tmp_path, lambda path: "" if path == "left-out" else f"usr/{path}")
    found = read(file.getvalue())
    assert list(found) == [
        *("dev", "dev/console", "a", "a/b", "a/b/text"),
        *("usr", "usr/lib", "usr/lib/deep", "usr/lib/deep/program", "usr/lib/pointer"),
    ]
    assert found["a/b"].mode == stat.S_IFDIR | 0o755
    assert found["a/b/text"][:2] == (stat.S_IFREG | 0o600, b"six   ")
    assert found["dev/console"] == (stat.S_IFCHR | 0o600, b"", (5, 1))
    assert found["usr/lib/deep/program"][:2] == (stat.S_IFREG | 0o4755, b"12345")
    assert found["usr/lib/pointer"][:2] == (stat.S_IFLNK | 0o777, b"deep/program")
