"""Where temporary files are put, and where programs may not be executed."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from referee.limits import Limits
from referee.sandbox import Launcher, MachineError, Program, temporary, temporary_folder
from referee.sandbox.temporary import temporary_base
from tests.faults.workshop import small_disk


@pytest.fixture
def tmpdir(public: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that TMPDIR names."""
    monkeypatch.setenv("TMPDIR", str(public))
    return public


def test_the_folder_that_is_named_is_taken(tmpdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = temporary_folder("word-")
    assert (made.parent, made.name[:5]) == (tmpdir, "word-")
    monkeypatch.chdir(tmpdir.parent)
    for name in (str(tmpdir), tmpdir.name):
        monkeypatch.setenv("TMPDIR", name)
        assert temporary_base() == str(tmpdir)


@pytest.mark.parametrize("obstacle", ["is not there", "is no folder"])
def test_one_that_is_none_is_named_and_no_other_taken(
    obstacle: str, tmpdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = tmpdir / "odd"
    if obstacle == "is no folder":
        odd.touch()
    monkeypatch.setenv("TMPDIR", str(odd))
    for make in (temporary_base, lambda: temporary_folder("x"), lambda: Launcher("landlock")):
        with pytest.raises(MachineError, match=f"TMPDIR={odd} {obstacle}. Set TMPDIR to"):
            make()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("\udcff", r"its name is not UTF-8\. Set TMPDIR to another"),
        ("python/tmp", "cannot be copied to .*/python/tmp: every bot may read .*/link. Set TMPDIR"),
    ],
)
def test_one_that_cannot_be_said_or_that_bots_may_read_is_named(
    tmpdir: Path, monkeypatch: pytest.MonkeyPatch, name: str, says: str
) -> None:
    odd = tmpdir / name
    odd.mkdir(parents=True)
    (tmpdir / "link").symlink_to(tmpdir / "python")
    monkeypatch.setattr(sys, "base_prefix", str(tmpdir / "link"))
    monkeypatch.setenv("TMPDIR", str(odd))
    with pytest.raises(MachineError, match=says):
        Launcher("landlock")
    assert list(odd.iterdir()) == []
    Launcher("none").close()


def test_a_full_one_is_named_and_one_that_cannot_be_written(tmpdir: Path) -> None:
    with small_disk(tmpdir, 64, "ro"), pytest.raises(MachineError, match="cannot be written by"):
        temporary_base()
    with small_disk(tmpdir, 64, "nr_inodes=1"):
        with pytest.raises(MachineError, match=f"made in {tmpdir}: No space left on device. Free"):
            temporary_folder("x")
        with pytest.raises(MachineError, match=r"cannot be copied to .*: No space left on device"):
            Launcher("landlock")


def test_by_itself_it_is_one_where_programs_may_be_executed(
    public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = public / "first", public / "second"
    first.mkdir()
    second.mkdir(mode=0o777)
    monkeypatch.setenv("TMPDIR", "")
    assert temporary_base() in {"/tmp", "/var/tmp"}
    monkeypatch.delenv("TMPDIR")
    monkeypatch.setattr(temporary, "_DEFAULT", (str(first), str(second)))
    assert temporary_base() == str(first)
    with small_disk(first, 64, "noexec"):
        assert temporary_base() == str(second)
        second.rmdir()
        assert temporary_base() == str(first)  # which is enough for most


def bot(folder: Path, *words: str, files: tuple[str, ...] = ("run",)) -> Program:
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    shutil.copy(os.path.realpath("/bin/true"), folder / "engine")
    return Program(words, str(folder), files)


def test_what_would_not_be_executed_in_the_copies_is_no_fault_of_a_bot(
    tmpdir: Path, tmp_path: Path
) -> None:
    script = bot(tmp_path, f"{tmp_path}/run")
    engine = bot(tmp_path, "/bin/sh", "run", files=("run", "engine"))
    words = bot(tmp_path, "/bin/sh", "run")
    with small_disk(tmpdir, 1024, "noexec"), Launcher("landlock") as launcher:
        for refused in (script, engine):
            with pytest.raises(MachineError, match=r"noexec.*no fault of the bot.*Set TMPDIR"):
                launcher.check(refused, Limits())
        launcher.check(words, Limits())  # the shell reads it


def test_without_copies_it_is_where_the_bot_is(tmp_path: Path) -> None:
    with Launcher("none") as launcher:
        with small_disk(tmp_path, 1024, "noexec"):
            with pytest.raises(MachineError, match=f"{tmp_path} is mounted noexec.*Move it"):
                launcher.check(bot(tmp_path, f"{tmp_path}/run"), Limits())
            with pytest.raises(MachineError, match=r"engine is mounted noexec.*Move that program"):
                launcher.check(Program((f"{tmp_path}/engine",), "/usr"), Limits())
        launcher.check(bot(tmp_path, f"{tmp_path}/run"), Limits())
