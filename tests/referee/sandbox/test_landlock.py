"""The rules of the default sandbox: what they cover, for every version, and why there are none."""

import ctypes
import errno
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

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


def test_a_folder_whose_files_are_all_listed_is_one_rule(two_folders: Path) -> None:
    assert covering(str(two_folders), ["a/x", "a/y", "b/x"]) == ["a", "b"]


def test_a_folder_with_anything_else_in_it_is_not_opened(two_folders: Path) -> None:
    (two_folders / "b" / ".hidden").touch()
    assert covering(str(two_folders), ["a/x", "b/x"]) == ["a/x", "b/x"]


def test_the_bots_folder_itself_is_never_one_rule(tmp_path: Path) -> None:
    """Whatever is put into it later stays closed."""
    (tmp_path / "bot").touch()
    assert covering(str(tmp_path), ["bot"]) == ["bot"]


def test_a_folder_with_an_empty_one_inside_is_not_opened(two_folders: Path) -> None:
    (two_folders / "b" / "empty").mkdir()
    assert covering(str(two_folders), ["b/x"]) == ["b/x"]


def test_a_listed_link_is_a_rule_of_its_own(two_folders: Path) -> None:
    """The kernel would not follow it out of a folder that is open."""
    (two_folders / "b" / "link").symlink_to("../a/x")
    assert covering(str(two_folders), ["b/link", "b/x"]) == ["b", "b/link"]


# What a ruleset says

EVERYTHING = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16, 6: 16, 7: 16}
"""How many rights of the file system each version of the interface knows."""


@pytest.mark.parametrize("version", EVERYTHING)
def test_every_right_that_a_version_knows_is_refused_unless_allowed(version: int) -> None:
    made = ruleset(version, "", "/", [])
    assert made.filesystem == (1 << EVERYTHING[version]) - 1
    assert made.network == (0b11 if version >= 4 else 0)
    assert made.scopes == (0b11 if version >= 6 else 0)


@pytest.mark.parametrize("version", EVERYTHING)
def test_no_rule_asks_for_what_a_version_does_not_know(version: int, two_folders: Path) -> None:
    """The kernel would refuse it."""
    made = ruleset(version, "", str(two_folders), ["a/x"])
    assert made.rules
    assert all(rights and rights & ~made.filesystem == 0 for _, rights in made.rules)


def test_a_bots_folder_may_be_listed_and_its_files_read_and_executed(two_folders: Path) -> None:
    rules = dict(ruleset(7, "", str(two_folders), ["a/x", "b/x"]).rules)
    assert rules[str(two_folders)] == READ_DIR
    assert rules[f"{two_folders}/a/x"] == EXECUTE | READ_FILE
    assert rules[f"{two_folders}/b"] == EXECUTE | READ_FILE | READ_DIR
    assert f"{two_folders}/a" not in rules


def test_nothing_can_be_written_but_what_swallows_it(two_folders: Path) -> None:
    rules = ruleset(7, sys.base_prefix, str(two_folders), ["a/x", "a/y"]).rules
    readable = EXECUTE | READ_FILE | READ_DIR
    writable = {path for path, rights in rules if rights & ~readable}
    assert writable == {"/dev/null", "/dev/full"}
    assert dict(rules)["/dev/null"] == READ_FILE | WRITE_FILE


def test_neither_processes_nor_homes_are_opened(tmp_path: Path) -> None:
    opened = {path for path, _ in ruleset(7, "/usr", str(tmp_path), []).rules}
    closed = ("/proc", "/sys", "/home", "/root", "/tmp", "/var", "/etc", "/dev", "/")
    assert opened.isdisjoint(closed)


def test_a_python_outside_usr_is_opened(two_folders: Path) -> None:
    prefix = str(two_folders / "a")
    assert (prefix, EXECUTE | READ_FILE | READ_DIR) in ruleset(7, prefix, "/", []).rules


def test_what_is_not_there_has_no_rule(tmp_path: Path) -> None:
    made = ruleset(7, str(tmp_path / "gone"), str(tmp_path), ["gone"])
    assert all(Path(path).exists() for path, _ in made.rules)


# Why there is none


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    """Make the kernel answer the question for the version of Landlock in one way."""

    def answer(result: int, number: int) -> None:
        libc = SimpleNamespace(syscall=lambda *_: result)
        monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: libc)
        monkeypatch.setattr(ctypes, "get_errno", lambda: number)
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="x86_64"))

    return answer


def test_the_version_is_the_kernels(answer: Callable[[int, int], None]) -> None:
    answer(4, 0)
    assert landlock.abi() == 4


@pytest.mark.parametrize(
    ("number", "cause", "remedy"),
    [
        (errno.ENOSYS, "this kernel has no Landlock", "Needs Linux 5.13 or newer"),
        (errno.EOPNOTSUPP, "built in but off", 'Add "landlock" to the lsm= list'),
        (
            errno.EPERM,
            "the container's seccomp profile blocks Landlock",
            "Update Docker (20.10.18 or newer) or Podman",
        ),
        (errno.EIO, "Input/output error", "Landlock does not answer"),
    ],
    ids=["ENOSYS", "EOPNOTSUPP", "EPERM", "EIO"],
)
def test_every_error_has_its_cause_and_its_remedy(
    answer: Callable[[int, int], None], number: int, cause: str, remedy: str
) -> None:
    answer(-1, number)
    with pytest.raises(SandboxError) as caught:
        landlock.abi()
    text = str(caught.value)
    assert text.startswith("sandbox: ")
    assert cause in text
    assert remedy in text
    assert text.endswith(
        "`arena doctor` shows which of landlock, bwrap and uid work here. "
        "To run bots without any protection, say --sandbox none."
    )
    assert "--sandbox" not in caught.value.what


BOTH = pytest.mark.parametrize("kind", [LandlockSandbox, BwrapSandbox])


@BOTH
def test_other_systems_are_told_to_use_linux(
    monkeypatch: pytest.MonkeyPatch, kind: Callable[[], object]
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SandboxError, match=r"for darwin\. Run in a Linux container"):
        kind()


@BOTH
def test_other_machines_are_told_that_the_filter_was_never_run(
    monkeypatch: pytest.MonkeyPatch, kind: Callable[[], object]
) -> None:
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="riscv64"))
    with pytest.raises(SandboxError, match=r"on riscv64, only on x86_64 and aarch64\. "):
        kind()


@BOTH
def test_a_python_of_32_bits_is_refused(
    monkeypatch: pytest.MonkeyPatch, kind: Callable[[], object]
) -> None:
    monkeypatch.setattr(seccomp, "POINTER_BYTES", 4)
    with pytest.raises(SandboxError, match=r"a Python of 32 bits, whose system calls no filter"):
        kind()
