"""Units as real processes: beside each other, too late, hung, failed; and a whole run of CI."""

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.ci import running
from tests.ci.history import History
from tests.ci.proving import figures
from tests.ci.records import LANDING, PROVEN, SECONDS
from tests.ci.running import Guard, Result, Runner
from tests.ci.skipped import Skipped
from tests.ci.units import Unit
from tests.referee.process_watch import fields, until

ROOT = Path(__file__).parents[2]


def unit(name: str, script: str) -> Unit:
    return Unit(name, ("sh", "-c", script))


@pytest.fixture
def out() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def runner(tmp_path: Path, out: io.StringIO) -> Runner:
    return Runner(tmp_path, out=out)


@pytest.mark.slow
def test_units_that_wait_are_run_beside_others_and_shown_after_them(
    runner: Runner, out: io.StringIO
) -> None:
    """The first waits for what the second makes: they run at the same time, or never end."""
    wait = "while [ ! -e met ]; do :; done; echo waited >&2"
    made = [unit("builds", wait), unit("attacks:door", "touch met"), unit("slow:docs", "echo last")]
    assert runner.run(made)
    assert [line.partition(" took ")[0] for line in out.getvalue().splitlines()] == [
        *("== attacks:door", "== attacks:door", "== builds", "waited", "== builds"),
        *("== slow:docs", "last", "== slow:docs"),
    ]
    assert {*runner.result.ran} == {"builds", "attacks:door", "slow:docs"}


@pytest.mark.slow
def test_a_unit_that_fails_ends_the_one_beside_it_and_is_the_last(
    runner: Runner, out: io.StringIO, tmp_path: Path
) -> None:
    hang = "echo $$ > started; while :; do :; done"
    fail = "while [ ! -s started ]; do :; done; exit 3"
    made = [unit("builds", hang), unit("attacks:door", fail), unit("slow:docs", "echo never")]
    assert not runner.run(made)
    assert (runner.result.failed[0], runner.result.code) == ("attacks:door", 3)
    assert "never" not in out.getvalue()
    pid = int((tmp_path / "started").read_text())
    until(lambda: (fields(pid) or "X")[0] in "ZX", 10)


def test_all_is_run_and_all_failures_are_named_where_it_goes_on(tmp_path: Path) -> None:
    runner = Runner(tmp_path, goes_on=True, out=io.StringIO())
    assert not runner.run([unit("lint", "exit 2"), unit("builds", "exit 1"), unit("test", "")])
    assert sorted(runner.result.failed) == ["builds", "lint"]
    assert "test" in runner.result.ran


def test_a_room_without_slow_tests_is_no_failure(runner: Runner) -> None:
    assert runner.run([unit("slow:machines", "exit 5")])
    assert not runner.run([unit("test", "exit 5")])


def test_what_would_end_too_late_is_not_begun_unless_it_must_be(tmp_path: Path) -> None:
    recorded = {"slow:docs": 100.0, "slow:bots": 20.0, "builds": 1000.0, "attacks:door": 1000.0}
    times = iter([0.0, *[running.AIM - 50.0] * 9])
    runner = Runner(
        tmp_path, Guard(recorded, lambda: next(times)), {"attacks:door"}, out=io.StringIO()
    )
    assert runner.run([unit(name, "true") for name in recorded])
    assert sorted(runner.result.late) == ["builds", "slow:docs"]
    assert {*runner.result.ran} == {"slow:bots", "attacks:door"}


def test_a_slower_machine_has_more_time_and_each_unit_needs_more() -> None:
    guard = Guard({"test": 100.0, "slow:docs": 200.0}, lambda: 0.0)
    guard.take("test", 50.0)
    assert guard.slowness == 1
    guard.take("test", 250.0)
    assert guard.slowness == 1.5
    assert guard.may_begin("slow:docs")
    guard.begun = -1.5 * (running.AIM - 201)
    assert guard.may_begin("slow:docs")
    guard.begun = -1.5 * (running.AIM - 199)
    assert not guard.may_begin("slow:docs")
    guard.take("test", 5000.0)
    assert guard.slowness == running.SLOWEST


@pytest.mark.slow
def test_what_hangs_is_ended_and_has_failed(
    tmp_path: Path, out: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "LAST", 0.2)
    runner = Runner(tmp_path, Guard({}), {"test"}, out=out)
    assert not runner.run([unit("test", "echo $$; while :; do :; done")])
    assert runner.result.failed == ["test"]
    assert "== test was ended: CI has run for" in out.getvalue()
    pid = int(out.getvalue().splitlines()[1])
    assert (fields(pid) or "X")[0] in "ZX"


def test_the_figures_are_what_the_test_runner_says() -> None:
    result = Result()
    skipped = "SKIPPED [1] tests/x.py:3: THE SANDBOX bwrap IS NOT TESTED HERE: it is missing\n"
    closing = "=== 7 passed, 2 skipped, 90 deselected in 3.52s (0:00:03) ==="
    result.take("slow:docs", 0, 3.6, f"{skipped}{closing}\n")
    result.take("slow:bots", 0, 2.0, "AARCH64 IS NOT TESTED HERE: no apt.\n12 passed in 0.10s\n")
    assert figures(result, ["chromium"]) == (
        "19 passed, 2 skipped; seconds: slow 6; untried: aarch64, chromium, the sandbox bwrap"
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of little but CI, where make and the Python of the tests say what they are asked."""
    if not shutil.which("git"):
        pytest.skip("CI IS NOT TESTED HERE: git is not installed")
    for name in (".ci", "tests/ci"):
        ignored = shutil.ignore_patterns("test_*.py", "__pycache__", "landing", "proven")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    (tmp_path / "tests/arena").mkdir()
    (tmp_path / "tests/arena/test_compare.py").touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / ".venv/bin").mkdir(parents=True)
    skip = 'case "$*" in *skipped-to*) echo "tests/x.py::test_it" > "${2##* }";; esac'
    says = '#!/bin/sh\necho "${0##*/} $1 $2 $3"\n'
    texts = {"bin/make": f"{says}{skip}\n", ".venv/bin/python": says, "bin/apt-get": says}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    for name in ("bash", "dirname", "git", "sh"):
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    (tmp_path / ".gitignore").write_text("bin/\n.venv/\n__pycache__/\nbuild/\n")
    History.begun(tmp_path).add()
    return tmp_path


def ci(clone: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {"PATH": str(clone / "bin"), "PYTHON": sys.executable, "HOME": str(clone)}
    return subprocess.run(
        [clone / ".ci" / "run", *words], capture_output=True, text=True, env=environment
    )


def headings(shown: str) -> list[str]:
    return [line for line in shown.splitlines() if line[:2] == "==" and " took " not in line]


def test_ci_runs_the_tests_bare_and_at_last_what_they_skipped(clone: Path) -> None:
    done = ci(clone)
    assert (done.returncode, done.stderr) == (0, "")
    shown = done.stdout
    words = ("== lint\nmake lint", "== test\nmake test", "== python:", "== slow:")
    order = [shown.index(each) for each in words]
    assert order == sorted(order)
    if os.getuid() == 0:
        assert order[1] < shown.index("apt-get install -qq -y") < order[2]
    assert shown.splitlines()[-2:] == ["== again", "python -m pytest -q"]


def test_ci_ends_with_what_fails(clone: Path) -> None:
    (clone / "bin/make").write_text('#!/bin/sh\necho "$1"; [ "$1" != test ] || exit 2\n')
    done = ci(clone)
    assert (done.returncode, headings(done.stdout)) == (2, ["== lint", "== test"])


def test_units_are_run_by_name_or_kind_and_listed(clone: Path) -> None:
    named = ci(clone, "list").stdout.split()
    assert named[:3] == ["lint", "test", "python:3.12:newest"]
    assert "slow:arena" in named
    ran = headings(ci(clone, "slow", "lint").stdout)
    assert [line for line in ran if "setup" not in line] == ["== slow:arena", "== lint"]
    done = ci(clone, "lint", "tset")  # which is refused before anything is done
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "there is no unit 'tset': `.ci/run list` names them.\n"


def test_what_has_passed_of_a_commit_is_not_run_again_to_prove_it(clone: Path) -> None:
    if os.getuid() != 0:
        assert "it takes root" in ci(clone, "long").stderr
        return
    make = clone / "bin/make"
    says = make.read_text()
    make.write_text('#!/bin/sh\necho "$1"; [ "$1" != test ] || exit 2\n')
    done = ci(clone, "long")
    assert done.returncode == 1
    assert "Not proven: test failed. `make long` tries these again" in done.stdout
    make.write_text(says)
    done = ci(clone, "long")
    assert (done.returncode, headings(done.stdout)) == (0, ["== test"])
    proven = (clone / PROVEN).read_text()
    assert proven.startswith(History(clone).git("rev-parse", "HEAD").strip())
    assert "seconds: lint 0, " in proven
    assert " slow:arena\n" in (clone / SECONDS).read_text()
    (clone / PROVEN).unlink()
    History(clone).add({"x.txt": ""})  # another commit
    assert len(headings(ci(clone, "long").stdout)) > 10


def test_a_landing_is_made_by_name(clone: Path) -> None:
    base = History(clone).git("rev-parse", "HEAD").strip()
    History(clone).add({"x.txt": ""})
    assert ci(clone, "landing", base).stdout == f"Landing 1, on top of {base[:8]}, is committed.\n"
    assert (clone / LANDING).read_text().startswith(f"1 {base} ")


def test_the_plugin_names_what_was_skipped_once(tmp_path: Path) -> None:
    """A test is skipped where it is set up, or where it is called."""
    plugin = Skipped(tmp_path / "skipped")
    outcomes: dict[str, Any] = {"x.py::test_it[a b]": "skipped", "x.py::test_that": "passed"}
    for name, outcome in [*outcomes.items()] * 2:
        report = pytest.TestReport(name, ("x.py", 1, name), {}, outcome, None, "call")
        plugin.pytest_runtest_logreport(report)
    plugin.pytest_sessionfinish()
    assert (tmp_path / "skipped").read_text() == "x.py::test_it[a b]\n"
