"""That mutants are what they are said to be, and are tried without a trace."""

from pathlib import Path

import pytest

from tests.ci.history import History
from tests.mutants.__main__ import Tried, is_good, report
from tests.mutants.drawing import ROOT, draw, other_modules, own_tests, pure_modules, room_tests
from tests.mutants.equivalents import read_equivalents
from tests.mutants.mutating import Mutant, mutants_of
from tests.mutants.planted import PLANTED
from tests.mutants.trying import Copy, Trial, Verdict

ALL = '''\
"""Of 1 module, with < in it."""
LIMIT = 3
def sign(a: int = 1 < 2, word="x"):
    """Return 1."""
    if a is None or not word:
        raise ValueError(f"{a + 1} or {word}")
    for _ in range(a):
        a += min(a, 0.5)
    return a[1:] if ready else "1" + word
class Pair:
    first: int = 0
    def __repr__(self):
        return 1 + 1
'''
CHANGES = [
    *[(2, "LIMIT = 4"), (2, "LIMIT = 0"), (3, "1 <= 2"), (3, "2 < 2"), (3, "0 < 2")],
    *[(3, "1 < 3"), (3, "1 < 0"), (3, 'word=""'), (5, "pass"), (5, "a is not None"), (5, "and")],
    *[(5, "None or (word)"), (6, "pass"), (8, "a -= min"), (8, "pass"), (8, "max(a"), (8, "1.0")],
    *[(8, "0.0"), (9, "return None"), (9, "a[2:]"), (9, "a[0:]"), (9, "if not (ready)"), (11, "1")],
]


def test_all_that_is_meant_to_change_does_and_nothing_else() -> None:
    found = [*mutants_of("module.py", ALL)]
    left = [(mutant.number, mutant.becomes) for mutant in found]
    for number, words in CHANGES:
        [one] = [each for each in left if each[0] == number and words in each[1]][:1]
        left.remove(one)
    assert left == []
    assert {mutant.function for mutant in found} == {"", "sign", "Pair"}
    for mutant in found:
        compile(mutant.text, "module.py", "exec")


def test_a_draw_is_the_same_each_time_and_of_all_modules_alike() -> None:
    modules = ["referee/match/judging.py", "referee/turn/meter.py", "referee/turn/clock.py"]
    drawn = draw(modules, 30, "1")
    assert drawn == draw(reversed(modules), 30, "1")
    assert drawn != draw(modules, 30, "2")
    assert [sum(each.module == module for each in drawn) for module in modules] == [10] * 3


def test_every_module_has_tests_and_no_bot_is_among_them() -> None:
    assert len(pure_modules()) > 50
    for module in pure_modules():
        for file in own_tests(module):
            assert (ROOT / file).is_file(), f"{module}: {file}"
    others = other_modules()
    assert {module.partition("/")[0] for module in others} == {"protocol", "referee", "arena"}
    assert not {*others} & {*pure_modules()}
    for module, file in (
        ("arena/compare.py", "tests/arena/test_compare.py"),
        ("referee/games/duel/fencer.py", "tests/referee/games/test_du"),
        ("arena/play/slow/keeping.py", "tests/arena/play/slow/"),
    ):
        assert module in others
        assert room_tests(module)[0].startswith(file)


def test_what_was_planted_or_found_equivalent_is_still_there() -> None:
    for planted in PLANTED:
        compile(planted.mutant.text, planted.module, "exec")
        assert all((ROOT / file).is_file() for file in planted.tests)
    known = read_equivalents()
    modules = {module: (ROOT / module).read_text() for module, *_ in known}
    keys = {each.key for module, text in modules.items() for each in mutants_of(module, text)}
    assert known.keys() <= keys


def tried(kind: str, outcome: str, why: str = "") -> Tried:
    mutant = Mutant("a.py", "f", 1, "one", outcome, "one\n", f"{outcome}\n")
    verdict = Verdict(outcome == "killed", "failed", "test", 1.0)
    return Tried(kind, Trial(mutant, ["t.py"]), verdict, why)


def test_an_equivalent_is_shown_and_not_counted() -> None:
    killed = [tried("pure", "killed")] * 19
    assert is_good([*killed, tried("pure", "survived", "it is the same")])
    assert not is_good([*killed, tried("pure", "survived")])
    assert is_good([*killed, tried("pure", "killed"), tried("pure", "survived")])
    assert is_good([*killed, tried("others", "survived")])
    assert not is_good([*killed, tried("planted", "survived")])
    other = [tried("pure", "survived", "it is the same"), tried("pure", "killed", "so")]
    said = "\n".join(report([*killed, *other]))
    assert "0.0% of those that are not equivalent survived" in said
    assert "a.py:1 equivalent: it is the same\n    -one\n    +survived" in said
    assert "a.py:1 is not equivalent: test fails" in said


SUMS = """\
LIMIT = 5
LAST = (2, 3)[1]


def add(one, other):
    if one > LIMIT:
        return LIMIT
    return one + other


def count(number):
    while number > 0:
        number -= 1
    return number


def unused():
    return 1 + 1
"""
TESTS = """\
import os, subprocess, sys

from sums import add, count


def test_that_always_fails():
    assert not add(1, 1)


def test_that_fails_once_with_anything():
    if add(4, 2) != 6 and not os.path.exists("once"):
        open("once", "w").close()
        raise AssertionError


def test_add():
    assert add(4, 2) == 6


def test_limit():
    assert subprocess.check_output([sys.executable, "-c", PROGRAM]) == b"5"


def test_count():
    assert count(3) == 0


PROGRAM = "import sums; print(sums.add(6, 0), end='')"
"""


@pytest.mark.slow
def test_mutants_are_killed_by_tests_that_pass_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.mutants.trying.EACH_SECONDS", 3.0)
    files = {"sums.py": SUMS, "test_sums.py": TESTS, "conftest.py": "import sums\n"}
    files["pyproject.toml"] = (
        '[tool.pytest.ini_options]\npythonpath = ["."]\nmarkers = ["slow", "soak"]\n'
    )
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    History.begun(tmp_path)
    mutants = {mutant.becomes: mutant for mutant in mutants_of("sums.py", SUMS)}
    found = {}
    with Copy({}, tmp_path) as copy:
        for becomes in (
            "return one - other",
            "LIMIT = 6",
            "LAST = (2, 3)[2]",
            "number += 1",
            "return 1 - 1",
        ):
            found[becomes] = copy.judge(Trial(mutants[becomes], ["test_sums.py"]))
            assert {name: (tmp_path / name).read_text() for name in files} == files
            assert {*files, ".git"} == {path.name for path in tmp_path.iterdir()}
    assert [each[:3] for each in found.values()] == [
        (True, "failed", "test_sums.py::test_add"),
        (True, "failed", "test_sums.py::test_limit"),
        (True, "failed", ""),
        (True, "stuck", "test_sums.py::test_count"),
        (False, "passed", ""),
    ]
