"""That `make aarch64` says what it cannot have, and fails; what it shows needs the network."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.machines import aarch64, debian

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="it emulates on x86_64")


@pytest.fixture
def said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[[], tuple[int, str]]:
    """Return what the command ends with and what it says; nothing listens at its mirror."""
    monkeypatch.setattr(sys, "argv", ["aarch64"])
    monkeypatch.setattr(debian, "MIRROR", "http://127.0.0.1:9/debian")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return lambda: (aarch64.main(), capsys.readouterr().err)


@pytest.mark.skipif(
    not shutil.which("apt-get") or not Path(debian.KEYRING).is_file(), reason="there is no apt here"
)
def test_a_mirror_that_does_not_answer_is_named_in_a_line(
    said: Callable[[], tuple[int, str]],
) -> None:
    code, line = said()
    assert (code, line.count("\n")) == (1, 1)
    assert line.startswith(
        "make aarch64: the list of Debian bookworm for amd64 cannot be had from http://127.0.0.1:9/"
    )


def test_without_apt_or_on_another_machine_it_says_so(
    said: Callable[[], tuple[int, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    lacks = "make aarch64: apt-get is not installed here, which downloads Debian's packages.\n"
    assert said() == (1, lacks)
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="aarch64"))
    code, line = said()
    assert (code, line.count("\n")) == (1, 1)
    assert "this one is aarch64" in line
