"""Machines that cannot be had, what counts as wrong in what one tells, and the Containerfile."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.machines import aarch64, debian
from tests.machines.containerfile import FILE, steps
from tests.machines.report import Report

Said = Callable[[], tuple[int, str]]
on_x86_64 = pytest.mark.skipif(os.uname().machine != "x86_64", reason="it emulates on x86_64")


@pytest.fixture
def said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Said:
    """Return what the command ends with and what it says; nothing listens at its mirror."""
    monkeypatch.setattr(sys, "argv", ["aarch64"])
    monkeypatch.setattr(debian, "MIRROR", "http://127.0.0.1:9/debian")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return lambda: (aarch64.main(), capsys.readouterr().err)


@on_x86_64
@pytest.mark.skipif(
    not shutil.which("apt-get") or not Path(debian.KEYRING).is_file(), reason="there is no apt here"
)
def test_a_mirror_that_does_not_answer_is_named_in_a_line(said: Said) -> None:
    code, line = said()
    assert (code, line.count("\n")) == (1, 1)
    assert line.startswith(
        "make aarch64: the list of Debian bookworm for amd64 cannot be had from http://127.0.0.1:9/"
    )


@on_x86_64
def test_without_apt_or_on_another_machine_it_says_so(
    said: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    lacks = "make aarch64: apt-get is not installed here, which downloads Debian's packages.\n"
    assert said() == (1, lacks)
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="aarch64"))
    code, line = said()
    assert (code, line.count("\n")) == (1, 1)
    assert "this one is aarch64" in line


# --- what a machine tells

ABOUT = {"kernel": "6.1", "machine": "aarch64", "page": 4096, "landlock": 2, "python": "3.11.2"}
CASE = {"step": "attack", "attack": "a.b", "sandbox": "landlock", "user": "user"}
CONTAINED = {**CASE, "gap": False, "effect": False, "detail": "nothing"}
SAME = {"step": "league", "game": "war", "failed": "", "seconds": 1, "lines": ["one", "two"]}
STEPS = ["about", "attacks", "leagues"]
OVER = [{"step": "took", "what": name, "seconds": 1} for name in STEPS]
ALL = [{"step": "about", **ABOUT}, CONTAINED, SAME, *OVER]


def reported(told: list[dict[str, Any]]) -> int:
    """Return what the run ends with."""
    report = Report("aarch64", lambda _: ["one", "two"], ["war"])
    for each in told:
        report.take(each)
    return report.end(STEPS)


def test_all_as_it_should_be(capsys: pytest.CaptureFixture[str]) -> None:
    gap = {**CASE, "gap": True, "effect": True, "detail": "seen"}
    slow = {**CONTAINED, "gap": True}
    impossible = {**CASE, "missing": "there is no such device"}
    assert reported([*ALL, gap, slow, impossible]) == 0
    printed = capsys.readouterr().out
    assert "Linux 6.1 on aarch64, pages of 4096 bytes, Landlock ABI 2" in printed
    assert "Attacks: 2 contained, 1 named gaps, 1 not possible there." in printed
    assert "Leagues: 1 of 1 exported the same bytes." in printed
    assert "not possible there: there is no such device" in printed


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({**CONTAINED, "effect": True}, "a.b in landlock as user: not contained: nothing"),
        ({**CASE, "error": "it never got ready"}, "it never got ready"),
        ({**SAME, "lines": ["one", "twice"]}, "war differs: here 'two', there 'twice'"),
        ({**SAME, "lines": ["one"]}, "war differs: here 'two', there ''"),
        ({**SAME, "failed": "arena run: no"}, "war: arena run: no"),
        ({"step": "about", **ABOUT, "machine": "x86_64"}, "the machine is x86_64, not aarch64"),
        (
            {"step": "canary", "sandbox": "bwrap", "user": "root", "failed": "it could fork"},
            "bwrap as root: it could fork",
        ),
        ({"step": "broken", "what": "leagues", "failed": "KeyError"}, "leagues: KeyError"),
    ],
)
def test_what_is_wrong_is_named_and_fails(
    told: dict[str, Any], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reported([*ALL, told]) == 1
    [line] = [x for x in capsys.readouterr().out.splitlines() if x.startswith("WRONG: ")]
    assert words in line


@pytest.mark.parametrize("without", [ALL[1], ALL[2], *OVER], ids=str)
def test_what_was_not_done_fails(without: dict[str, Any]) -> None:
    """A machine that dies in the middle has shown nothing."""
    assert reported([each for each in ALL if each is not without]) == 1


# --- the Containerfile


def test_the_steps_are_read_with_their_lines() -> None:
    text = "# a\nFROM x AS y\nRUN one \\\n    && two\n\nUSER me\n"
    assert [*steps(text)] == [
        (2, "FROM", "x AS y"),
        (3, "RUN", "one     && two"),
        (6, "USER", "me"),
    ]


def test_a_step_that_could_not_be_done_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^Containerfile:2: ADD is not among FROM, RUN"):
        [*steps("FROM x\nADD a b\n")]


def test_the_image_is_not_run_by_root() -> None:
    words = [step.word for step in steps(FILE.read_text())]
    assert words.count("FROM") == 2
    last = words[len(words) - words[::-1].index("FROM") :]
    assert last.index("COPY") < last.index("USER") < last.index("ENTRYPOINT")
