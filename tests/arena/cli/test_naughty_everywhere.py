"""Every bot that misbehaves, through `check` and `run`: the fault in words, and no hang."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.arena.conftest import ARENA, ROOT, League, naughty
from tests.referee.process_watch import until
from tests.referee.sandbox.sandboxed import need

NAUGHTY = ROOT / "bots" / "naughty"
SMALL = {"move_time": 0.1, "startup": 0.4, "faults_allowed": 0}
SECONDS = 0.3
"""Of matches in a check."""
BOUND = 60.0
"""Seconds that a command for one bot may take: many times what its limits add up to."""

Done = subprocess.CompletedProcess[str]


class Case(NamedTuple):
    """What a bot deserves: the step that fails, the kind of its fault, and words that say it."""

    step: str = ""
    kind: str = ""
    words: str = ""


FIT = Case()
WHOLE, LEGAL = "plays whole matches", "answers with legal moves"
QUIET, TIMELY = "says nothing but its answers", "answers in time"
CASES = {
    "burn_off_turn": FIT,
    "child": FIT,
    "closes_stdout": Case(WHOLE, "crash", "it closed its standard output"),
    "crash_at_start": Case(
        "says ready",
        "startup",
        "it did not say ready: it exited with code 1 (RuntimeError: crashed on purpose)",
    ),
    "crash_mid_match": Case(WHOLE, "crash", "it exited with code 1"),
    "daemon": FIT,
    "drip": Case(TIMELY, "late", '(it wrote {"id":1,"note":"zz'),
    "exit_mid_match": Case(WHOLE, "crash", "it exited with code 0"),
    "flood_lines": Case(QUIET, "malformed", "it answers ask 1; ask 2 was open"),
    "flood_stderr": FIT,
    "flood_stdout": Case(QUIET, "flood", "a line of more than 65536 bytes"),
    "half_line": Case(TIMELY, "late", '(it wrote {"id": 1, "move" and no newline)'),
    "hang": Case(TIMELY, "late", "(it read the ask and was idle: does it sleep"),
    "ignore_sigterm": Case("ends when its input does", "", "it still ran 2 s later"),
    "illegal": Case(LEGAL, "illegal", '"top" is missing; sent: {"foo":1}; legal: {"top":"'),
    "late": Case(TIMELY, "late", "s of CPU time used; 0.100 s allowed"),
    "malformed": Case(QUIET, "malformed", "; what is no answer is to be printed to standard error"),
    "never_reads": Case(TIMELY, "late", "(it did not read all that it was sent)"),
    "never_ready": Case("says ready", "startup", "it did not say ready: no answer after "),
    "polite": FIT,
    "slow_start": Case("says ready", "startup", "it did not say ready: no answer after "),
    "spin": Case(TIMELY, "late", "s of CPU time used; 0.100 s allowed"),
    "unfreeze": FIT,
}


def run(folder: Path, *words: object) -> Done:
    """Run a command to its end, its temporary files in a folder; fail if it hangs."""
    return subprocess.run(
        [*ARENA, *map(str, words)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder)},
        timeout=BOUND,
        check=False,
    )


def bot_of(folder: Path) -> Path:
    """Make a folder of a bot that misbehaves: its program and what that imports."""
    folder.mkdir()
    for name in (folder.name, "polite"):
        shutil.copy(NAUGHTY / f"{name}.py", folder / f"{name}.py")
    (folder / "bot.toml").write_text(f'command = ["./{folder.name}.py"]\n')
    return folder


@pytest.fixture(scope="module")
def seen() -> Iterator[tuple[Path, dict[str, Done]]]:
    """Check all of them side by side, as most sleep; yield where they worked, and what came."""
    need("landlock")
    limits = [word for key, value in SMALL.items() for word in ("--limit", f"{key}={value}")]
    words = ("--game", "steal_war", "--seconds", SECONDS, "--format", "json", *limits)
    with tempfile.TemporaryDirectory(prefix="arena-naughty-") as name, ThreadPoolExecutor(8) as at:
        folder, bots = Path(name, "tmp"), Path(name, "bots")
        for each in (Path(name), folder, bots):
            each.mkdir(exist_ok=True)
            each.chmod(0o755)
        checks = {bot: at.submit(run, folder, "check", bot_of(bots / bot), *words) for bot in CASES}
        yield folder, {bot: done.result() for bot, done in checks.items()}


def assert_no_traceback(done: Done) -> None:
    """Fail for a traceback of ours; a bot's is indented."""
    assert "\nTraceback" not in f"\n{done.stdout}\n{done.stderr}"


def test_every_one_of_them_is_tried() -> None:
    assert {path.stem for path in NAUGHTY.glob("*.py")} == CASES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_check_fails_the_step_in_question_and_names_the_fault(
    seen: tuple[Path, dict[str, Done]], name: str
) -> None:
    case, done = CASES[name], seen[1][name]
    assert_no_traceback(done)
    told = json.loads(done.stdout)
    failed = [step for step in told["steps"] if step["state"] == "failed"]
    assert [step["title"] for step in failed] == ([case.step] if case.step else [])
    assert all(case.words in step["detail"] for step in failed)
    assert (done.returncode, told["fit"]) == ((1, False) if case.step else (0, True))


@pytest.mark.slow
def test_nothing_is_left_of_any_of_them(seen: tuple[Path, dict[str, Done]]) -> None:
    until(lambda: not list(seen[0].iterdir()))
    until(lambda: not _working_beneath(seen[0]))


def _working_beneath(folder: Path) -> list[Path]:
    """Return the processes that work below a folder."""
    places = Path("/proc").glob("[0-9]*/cwd")
    return [place for place in places if os.path.realpath(place).startswith(str(folder))]


@pytest.mark.soak
def test_a_league_of_all_of_them_is_played_to_its_end(
    league: League, public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("landlock")
    monkeypatch.setenv("TMPDIR", str(public))
    limits = "\n".join(f"{key} = {value}" for key, value in SMALL.items())
    league.write(
        'game = "guerra"\nseed = 1\ndeals = 1\nrotations = "one"\nshare = 0.25\n'
        f"[options]\nmax_turns = 6\n[limits]\n{limits}\n"
        '[[bot]]\nname = "sensible"\nshipped = "sensible"\n' + "".join(map(naughty, CASES))
    )
    done = league.call("run")
    assert_no_traceback(done)
    assert league.is_left_clean()
    assert list(public.iterdir()) == []
    assert _working_beneath(public) == []

    for name, case in CASES.items():
        aside = f"{name} is suspended for this run: it failed its start-up check: {case.words}"
        assert (aside in " ".join(done.stderr.split())) == (case.kind == "startup")
    ranked = json.loads(league.call("rank", "--faults", "--format", "json").stdout)
    kinds = {row["bot"]: set(row["faults"]) for row in ranked["standings"]}
    assert kinds.pop("sensible") == set()
    assert kinds.pop("flood_lines") - {"illegal"} == {"malformed"}  # old answers, in a new match
    assert kinds == {
        name: {case.kind} - {"", "startup"} for name, case in CASES.items() if name != "flood_lines"
    }
