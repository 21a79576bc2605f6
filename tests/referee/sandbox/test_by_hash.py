"""Files that come in pieces: whole in their place, or not at all."""

import hashlib
import os
from pathlib import Path

import msgspec
import pytest

from referee.sandbox.by_hash import Content, FilesByHash
from tests.arena.conftest import files_no_larger_than

DATA = os.urandom(1000)
CONTENT = Content(hashlib.sha256(DATA).hexdigest(), len(DATA))


@pytest.fixture
def files(tmp_path: Path) -> FilesByHash:
    return FilesByHash(str(tmp_path))


def names(files: FilesByHash) -> list[str]:
    return [path.name for path in Path(files.folder).iterdir()]


def test_a_file_is_there_when_its_last_piece_has_come_and_not_before(files: FilesByHash) -> None:
    for offset in range(0, 1000, 300):
        assert not files.has(CONTENT)
        assert not Path(files.path(CONTENT)).exists()
        assert files.begun(CONTENT) == offset
        assert files.add(CONTENT, offset, DATA[offset : offset + 300])
    assert files.has(CONTENT)
    assert Path(files.path(CONTENT)).read_bytes() == DATA
    assert names(files) == [CONTENT.digest]
    assert Path(files.path(CONTENT)).stat().st_mode & 0o777 == 0o444
    executable = msgspec.structs.replace(CONTENT, is_executable=True)
    assert not files.has(executable)
    assert files.add(executable, 0, DATA)
    assert Path(files.path(executable)).stat().st_mode & 0o777 == 0o555
    empty = Content(hashlib.sha256().hexdigest(), 0)
    assert files.add(empty, 0, b"")
    assert files.has(empty)


def test_two_may_send_the_same_file(files: FilesByHash) -> None:
    assert files.add(CONTENT, 0, DATA[:600])
    assert files.add(CONTENT, 0, DATA[:300])
    assert files.add(CONTENT, 300, DATA[300:900])
    assert files.begun(CONTENT) == 900
    assert files.add(CONTENT, 600, DATA[600:])
    assert files.add(CONTENT, 900, DATA[900:])
    assert Path(files.path(CONTENT)).read_bytes() == DATA


@pytest.mark.parametrize(
    ("offset", "piece"),
    [(501, DATA[501:]), (500, bytes(500))],
    ids=["a gap", "another content"],
)
def test_what_is_no_part_of_a_file_is_refused_and_forgotten(
    files: FilesByHash, offset: int, piece: bytes
) -> None:
    assert files.add(CONTENT, 0, DATA[:500])
    assert not files.add(CONTENT, offset, piece)
    assert not files.add(msgspec.structs.replace(CONTENT, size=999), 0, DATA), "longer than said"
    assert names(files) == []
    assert files.add(CONTENT, 0, DATA)


def test_a_full_disk_leaves_nothing(files: FilesByHash) -> None:
    assert files.add(CONTENT, 0, DATA[:500])
    with files_no_larger_than(700), pytest.raises(OSError, match="too large"):
        files.add(CONTENT, 500, DATA[500:])
    assert names(files) == []


def test_a_file_that_was_changed_where_it_is_kept_comes_anew(files: FilesByHash) -> None:
    files.add(CONTENT, 0, DATA)
    path = Path(files.path(CONTENT))
    path.chmod(0o644)
    path.write_bytes(bytes(1000))
    assert not files.has(CONTENT)
    with path.open("rb") as file:
        assert files.digest_of(file) == ""
    assert files.add(CONTENT, 0, DATA)
    with path.open("rb") as file:
        assert files.digest_of(file) == CONTENT.digest
    elsewhere = path.with_name("more")
    elsewhere.mkdir()
    (elsewhere / CONTENT.digest).hardlink_to(path)
    with (elsewhere / CONTENT.digest).open("rb") as file:
        assert files.digest_of(file) == "", "only what is kept there is known by its name"


@pytest.mark.parametrize(
    ("digest", "size"),
    [
        *[(digest, 1) for digest in ("", "..", "../../etc/passwd", "a" * 63 + "/", "A" * 64)],
        *[("a" * 63, 1), ("a" * 65, 1), ("a" * 64 + "\n", 1), ("a" * 64, -1), ("a" * 64, 1 << 60)],
    ],
)
def test_what_is_no_hash_names_no_file(digest: str, size: int) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"digest": digest, "size": size}, Content)
