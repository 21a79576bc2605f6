"""That `make aarch64` says what it cannot have, and fails; what it shows needs the network."""

import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.machines import aarch64, debian, machine


def said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], cache: Path
) -> tuple[int, str]:
    """Return what the command ends with and what it says; nothing listens at its mirror."""
    monkeypatch.setattr(sys, "argv", ["aarch64"])
    monkeypatch.setattr(debian, "MIRROR", "http://127.0.0.1:9/debian")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return aarch64.main(), capsys.readouterr().err


@pytest.mark.skipif(
    not shutil.which("apt-get") or not Path(debian.KEYRING).is_file(), reason="there is no apt here"
)
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="it emulates on x86_64")
def test_a_mirror_that_does_not_answer_is_named_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, line = said(monkeypatch, capsys, tmp_path)
    assert code == 1
    assert line.count("\n") == 1
    assert line.startswith(
        "make aarch64: the list of Debian bookworm for amd64 cannot be had from http://127.0.0.1:9/"
    )


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="it emulates on x86_64")
def test_without_apt_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert said(monkeypatch, capsys, tmp_path) == (
        1,
        "make aarch64: apt-get is not installed here, which downloads Debian's packages.\n",
    )


def test_on_another_machine_it_is_not_needed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="aarch64"))
    code, line = said(monkeypatch, capsys, tmp_path)
    assert (code, line.count("\n")) == (1, 1)
    assert "this one is aarch64" in line


def test_drivers_come_after_what_they_depend_on(tmp_path: Path) -> None:
    folder = tmp_path / "lib/modules/6.1/kernel"
    folder.mkdir(parents=True)
    for name, depends in (("ext4", "mbcache,jbd2"), ("jbd2", ""), ("mbcache", ""), ("fuse", "")):
        (folder / f"{name}.ko").write_bytes(b"x\0depends=" + depends.encode() + b"\0y")
    assert [path.stem for path in machine.modules(tmp_path)] == ["mbcache", "jbd2", "ext4"]
