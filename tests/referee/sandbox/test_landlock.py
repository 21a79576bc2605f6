"""The rules of the default sandbox: what they cover, for every version, and why there are none."""

import ctypes
import errno
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.sandbox import SandboxError, landlock, seccomp
from referee.sandbox.bwrap import BwrapSandbox
from referee.sandbox.kinds import LandlockSandbox
from referee.sandbox.landlock import EXECUTE, READ_DIR, READ_FILE, WRITE_FILE, covering, ruleset

# Which files and folders cover a bot's files

NAMES = st.sampled_from("abc")
FILES = st.sets(st.lists(NAMES, min_size=1, max_size=3).map("/".join), max_size=8)


def tree(files: set[str]) -> set[str]:
    """The files of a set that can be in one folder: none lies beneath another."""
    return {file for file in files if not any(other.startswith(f"{file}/") for other in files)}


def files_beneath(folder: Path, paths: list[str]) -> set[str]:
    """What a rule for each of the paths would open, by definition."""
    found = set()
    for path in map(folder.joinpath, paths):
        inside = path.rglob("*") if path.is_dir() else [path]
        found |= {str(each.relative_to(folder)) for each in inside if not each.is_dir()}
    return found


@given(files=FILES.map(tree), data=st.data())
def test_exactly_the_listed_files_are_covered(files: set[str], data: st.DataObject) -> None:
    listed = sorted(file for file in sorted(files) if data.draw(st.booleans()))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in files:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).touch()
        assert files_beneath(folder, covering(name, listed)) == set(listed)


@pytest.fixture
def two_folders(tmp_path: Path) -> Path:
    """A folder with a/x, a/y and b/x."""
    for name in ("a/x", "a/y", "b/x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("beside", "listed", "rules"),
    [
        ("", "a/x a/y b/x", "a b"),
        ("b/.hidden", "a/x b/x", "a/x b/x"),
        ("b/empty/", "b/x", "b/x"),
        ("", "top", "top"),  # not its folder: whatever is put into it later stays closed
        ("b/link", "b/link b/x", "b b/link"),  # the kernel follows no link out of an open folder
    ],
)
def test_a_folder_is_one_rule_if_all_in_it_is_listed(
    two_folders: Path, beside: str, listed: str, rules: str
) -> None:
    if beside == "b/link":
        (two_folders / beside).symlink_to("../a/x")
    elif beside.endswith("/"):
        (two_folders / beside).mkdir()
    elif beside:
        (two_folders / beside).touch()
    (two_folders / "top").touch()
    assert covering(str(two_folders), listed.split()) == rules.split()


EVERYTHING = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16, 6: 16, 7: 16}
"""How many rights of the file system each version of the interface knows."""


@pytest.mark.parametrize("version", EVERYTHING)
def test_every_right_that_a_version_knows_is_refused_unless_allowed(
    version: int, two_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.base_prefix", str(two_folders / "gone"))
    made = ruleset(version, str(two_folders), ["a/x", "gone"])
    assert made["filesystem"] == (1 << EVERYTHING[version]) - 1
    assert made["network"] == (0b11 if version >= 4 else 0)
    assert made["scopes"] == (0b11 if version >= 6 else 0)
    for path, rights in made["rules"]:  # the kernel would refuse what it does not know
        assert rights & ~made["filesystem"] == 0 < rights
        assert Path(path).exists()


def test_a_bots_folder_may_be_listed_and_its_files_read_and_executed(two_folders: Path) -> None:
    rules = dict(ruleset(7, str(two_folders), ["a/x", "b/x"])["rules"])
    assert rules[str(two_folders)] == READ_DIR
    assert rules[f"{two_folders}/a/x"] == EXECUTE | READ_FILE
    assert rules[f"{two_folders}/b"] == EXECUTE | READ_FILE | READ_DIR
    assert f"{two_folders}/a" not in rules


def test_nothing_can_be_written_but_what_swallows_it_and_no_home_is_opened(
    two_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = str(two_folders / "a")  # a Python outside of /usr
    monkeypatch.setattr("sys.base_prefix", prefix)
    rules = dict(ruleset(7, str(two_folders), ["a/x", "a/y"])["rules"])
    readable = EXECUTE | READ_FILE | READ_DIR
    assert {path for path in rules if rules[path] & ~readable} == {"/dev/null", "/dev/full"}
    assert rules["/dev/null"] == READ_FILE | WRITE_FILE
    assert rules[prefix] == readable
    closed = {"/proc", "/sys", "/home", "/root", "/tmp", "/var", "/etc", "/dev", "/"}
    assert rules.keys().isdisjoint(closed)


def test_the_version_is_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: SimpleNamespace(syscall=lambda *_: 4))
    assert landlock.abi() == 4


UPDATE = "Update Docker (20.10.18 or newer) or Podman"


@pytest.mark.parametrize(
    ("number", "cause", "remedy"),
    [
        (errno.ENOSYS, "this kernel has no Landlock", "Needs Linux 5.13 or newer"),
        (errno.EOPNOTSUPP, "built in but off", 'Add "landlock" to the lsm= list'),
        (errno.EPERM, "the container's seccomp profile blocks Landlock", UPDATE),
        (errno.EIO, "Input/output error", "Landlock does not answer"),
    ],
)
def test_every_error_has_its_cause_and_its_remedy(
    monkeypatch: pytest.MonkeyPatch, number: int, cause: str, remedy: str
) -> None:
    libc = SimpleNamespace(syscall=lambda *_: -1)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: libc)
    monkeypatch.setattr(ctypes, "get_errno", lambda: number)
    with pytest.raises(SandboxError) as caught:
        landlock.abi()
    text = str(caught.value)
    assert text.startswith("sandbox: ")
    assert cause in text
    assert remedy in text
    assert "`arena doctor` shows which of landlock, bwrap and uid work here. To run bots" in text
    assert "--sandbox" not in caught.value.what


MACHINE = SimpleNamespace(machine="riscv64")


@pytest.mark.parametrize("kind", [LandlockSandbox, BwrapSandbox])
@pytest.mark.parametrize(
    ("module", "name", "value", "says"),
    [
        (sys, "platform", "darwin", r"for darwin\. Run in a Linux container"),
        (os, "uname", lambda: MACHINE, r"on riscv64, only on x86_64 and aarch64\. "),
        (seccomp, "POINTER_BYTES", 4, "a Python of 32 bits, whose system calls no filter"),
    ],
    ids=["system", "machine", "bits"],
)
def test_where_no_filter_was_ever_tried_it_is_refused(
    monkeypatch: pytest.MonkeyPatch, kind: type, module: Any, name: str, value: Any, says: str
) -> None:
    monkeypatch.setattr(module, name, value)
    with pytest.raises(SandboxError, match=says):
        kind()
