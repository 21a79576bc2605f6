"""What counts as wrong in what a machine tells."""

from typing import Any

import pytest

from tests.machines.report import Report

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
