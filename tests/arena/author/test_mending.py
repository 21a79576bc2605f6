"""What the author of an unfit bot is told in a line."""

import pytest

from arena.author.mending import to_mend
from arena.author.verdict import BUILT, LEGAL, QUIET, READY, RUNS, TIMELY, WHOLE, Step
from tests.golden import Golden

TRACE = [
    "→ {}",
    "Standard error:",
    "  Traceback (most recent call last):",
    '    File "bot.py", line 8, in <module>',
    "      kit.run(choose)",
    '    File "helper.py", line 5, in choose',
    '    File "kit.py", line 267, in _answer',
    "  AttributeError: 'Ask' object has no attribute 'legals'. Did you mean: 'legal'?",
    "a hint",
]
AT = "match 1, seat 0 of 2, its decision 1: "
STEPS = {
    "no error": Step(READY, "FAILED", "it did not say ready: it exited with code 0"),
    "prints": Step(READY, "FAILED", "it did not say ready: not JSON: x (it said hello)"),
    "crash": Step(WHOLE, "FAILED", f"{AT}crash: turn: it exited with code 1", TRACE),
    "package": Step(
        *(READY, "FAILED", "it did not say ready: it exited with code 1"),
        ["Standard error:", "  ModuleNotFoundError: No module named 'numpy'"],
    ),
    "case": Step(
        *(READY, "FAILED", "it did not say ready: it exited with code 1"),
        ["Standard error:", "  ModuleNotFoundError: No module named 'Kit'"],
    ),
    "near": Step(
        *(READY, "FAILED", "it did not say ready: it exited with code 1"),
        ["Standard error:", "  ModuleNotFoundError: No module named 'kits'"],
    ),
    "nothing": Step(
        *(
            QUIET,
            "FAILED",
            f"{AT}malformed: turn: got `null` at `move`: did its choice return nothing?",
        ),
    ),
    "waits": Step(
        TIMELY, "FAILED", f"{AT}late: turn: no answer after 3 s (it was idle: is it so?)"
    ),
    "late": Step(TIMELY, "FAILED", f"{AT}late: turn: 1.003 s of CPU time used; 1.000 s allowed"),
    "illegal": Step(LEGAL, "FAILED", f'{AT}illegal: turn: sent: {{"x":"a: b"}}'),
    "build": Step(
        BUILT,
        "FAILED",
        "exited with code 2 (a.c:1: error: x).",
        ["The build printed:", "  cc", "  a.c:1: error: x"],
    ),
    "nothing there": Step(RUNS, "FAILED", "bot 'mine': a.docx is no program."),
}


def test_every_mistake_of_beginners_is_told_with_what_to_do(golden: Golden) -> None:
    for step in STEPS.values():
        golden(to_mend("mine", [Step("before", "ok"), step]))


@pytest.mark.parametrize("detail", ["it", "\x1b[2J\n" * 500, "(it said "])
def test_what_a_bot_said_breaks_no_line(detail: str) -> None:
    said = to_mend("mine", [Step(READY, "FAILED", f"not JSON (it said {detail})")])
    assert said.isprintable()
    assert len(said) < 900


def test_a_fit_bot_is_told_nothing() -> None:
    assert to_mend("mine", [Step(RUNS, "ok"), Step(WHOLE, "advice", "so")]) == ""
