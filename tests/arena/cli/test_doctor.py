"""`arena doctor`: what a machine offers for running bots, and whether one gets ready."""

import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.league.finding import BUNDLED
from referee.sandbox import SANDBOXES, own_cores
from referee.sandbox.cgroup import delegated
from referee.sandbox.errors import SandboxError
from referee.sandbox.kinds import LandlockSandbox
from tests.arena.conftest import Arena
from tests.referee.sandbox.sandboxed import missing

HERE = [sandbox for sandbox in SANDBOXES if sandbox == "none" or not missing(sandbox)]
NAUGHTY = BUNDLED / "naughty"


Rows = list[dict[str, str]]
Doctor = Callable[..., Rows]


@pytest.fixture
def rows_of(arena: Arena) -> Doctor:
    """Return all that is said of this machine."""

    def call(*words: object) -> Rows:
        result = arena("doctor", *words, "--format", "json")
        assert (result.exit_code, result.stderr) == (0, ""), result.output
        return list(json.loads(result.stdout)["doctor"])

    return call


@pytest.fixture
def doctor(rows_of: Doctor) -> Doctor:
    """Return what is said of a bot in each sandbox that works here."""
    return lambda *words: [row for row in rows_of(*words) if row["what"].startswith("  ")]


@pytest.mark.slow
def test_a_bot_gets_ready_in_each_sandbox_or_the_line_is_shown_that_says_why(
    arena: Arena, doctor: Doctor
) -> None:
    rows = doctor("random", "--game", "guerra")
    assert [row["value"] for row in rows] == ["gets ready"] * len(HERE)
    told = arena("doctor", NAUGHTY / "crash_at_start.py").stdout
    assert " ".join(told.split()).count("(RuntimeError: crashed on purpose).") == len(HERE)
    assert all(len(line) <= 80 for line in told.splitlines() if "/python" not in line), told


def test_a_file_that_is_no_program_is_told_so(doctor: Doctor, public: Path) -> None:
    bot = public / "bot.sh"
    bot.write_text("no program\n")
    bot.chmod(0o755)
    for row, sandbox in zip(doctor(bot), HERE, strict=True):
        assert row["value"] == "fails"
        if sandbox != "bwrap":  # which hands such files to a shell
            assert "./bot.sh is no program: it lacks a first line" in row["remark"]


@pytest.mark.slow
def test_a_late_bot_is_waited_for_once(doctor: Doctor, public: Path) -> None:
    folder = shutil.copytree(NAUGHTY, public / "naughty")
    (folder / "bot.toml").write_text('command = ["{python}", "never_ready.py"]\n')
    first, *rest = doctor(folder, "--limit", "startup=0.2")
    assert first["value"] == "fails"
    assert "no answer after 1.4" in first["remark"]
    for row in rest:
        assert (row["value"], row["remark"]) == ("not tried", f"it was late in {HERE[0]}")


def test_what_spoils_times_is_shown_with_the_noise_of_a_fixed_job(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.cli.doctor.LONG_SECONDS", 0.1)
    result = arena("doctor", "--timing", "--format", "json")
    assert result.exit_code == 0, result.output
    rows = {row["what"].strip(): row["value"] for row in json.loads(result.stdout)["timing"]}
    assert [*rows] == [
        *("swap", "load", "CPU quota", "SMT", "frequency", "boost", "mixed cores", "clock"),
        *("fixed job", "varies by", "waits for a core", "slowest core"),
    ]
    assert float(rows["fixed job"].removesuffix(" ms of CPU time")) > 0
    units = (" % of that", " % of the time", " % slower")
    for name, unit in zip([*rows][-3:], units, strict=True):
        assert float(rows[name].removesuffix(unit)) >= 0
    for words in (("./mine",), ("--limit", "startup=5")):
        result = arena("doctor", "--timing", *words)
        assert result.exit_code == 2
        assert "--timing is about the machine alone" in result.stderr


def test_it_says_which_python_there_is_and_whether_bots_can_have_cgroups(rows_of: Doctor) -> None:
    rows = {row["what"]: row for row in rows_of("--limit", f"threads={len(own_cores())}")}
    assert "limits" not in rows
    assert rows["python"]["value"] == ".".join(map(str, sys.version_info[:3]))
    try:
        expected = ("works", f"cgroup = true divides {delegated()}")
    except SandboxError as error:
        expected = ("does not work", error.what)
    assert (rows["cgroup v2"]["value"], rows["cgroup v2"]["remark"]) == expected


def test_it_says_where_bots_see_proc_and_why(
    rows_of: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "landlock" not in HERE:
        pytest.skip("LANDLOCK IS NOT TESTED HERE")
    monkeypatch.setattr(LandlockSandbox, "to_clear", lambda _: ["/no/such"])
    remark = {row["what"]: row["remark"] for row in rows_of()}["sandbox landlock"]
    assert ", /proc seen); bots run as" in remark
    assert re.search(r"what was looked at in /proc \((unshare|mount /no/such): .+\)$", remark)


def test_a_limit_that_cannot_be_had_is_named_once_and_blamed_on_no_sandbox(rows_of: Doctor) -> None:
    rows = rows_of("random", "--game", "guerra", "--limit", f"threads={len(own_cores()) + 1}")
    named = [row["what"] for row in rows if "threads" in row["remark"]]
    assert named == ["limits"]
    working = {row["what"] for row in rows if row["value"] == "works"}
    assert {f"sandbox {name}" for name in HERE} <= working
    tried = {(row["value"], row["remark"]) for row in rows if row["what"].startswith("  ")}
    assert tried == {("not tried", "see limits, below")}
