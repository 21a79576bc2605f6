"""`arena doctor`: what a machine offers for running bots, and whether one gets ready."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.league.finding import BUNDLED
from referee.sandbox import SANDBOXES, own_cores
from referee.sandbox.cgroup import delegated
from referee.sandbox.errors import CgroupError
from tests.arena.conftest import Arena
from tests.referee.sandbox.sandboxed import missing

HERE = [sandbox for sandbox in SANDBOXES if sandbox == "none" or not missing(sandbox)]
NAUGHTY = BUNDLED / "naughty"


@pytest.fixture
def doctor(arena: Arena) -> Callable[..., list[dict[str, str]]]:
    """Return what is said of a bot in each sandbox that works here."""

    def call(*words: object) -> list[dict[str, str]]:
        result = arena("doctor", *words, "--format", "json")
        assert result.exit_code == 0, result.output
        assert result.stderr == ""
        rows = json.loads(result.stdout)["doctor"]
        return [row for row in rows if row["what"].startswith("  ")]

    return call


Doctor = Callable[..., list[dict[str, str]]]


def test_a_bot_gets_ready_in_each_sandbox(doctor: Doctor) -> None:
    assert [row["value"] for row in doctor("random", "--game", "guerra")] == ["gets ready"] * len(
        HERE
    )


def test_of_a_bot_that_dies_the_line_is_shown_that_says_why(doctor: Doctor) -> None:
    for row in doctor(NAUGHTY / "crash_at_start.py"):
        assert row["value"] == "fails"
        assert row["remark"] == (
            "it did not say ready: it exited with code 1 (RuntimeError: crashed on purpose)."
        )


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


def test_a_table_of_it_fits_80_columns(arena: Arena, public: Path) -> None:
    folder = shutil.copytree(NAUGHTY, public / "naughty")
    told = arena("doctor", folder / "crash_at_start.py").stdout
    assert "RuntimeError: crashed on purpose" in " ".join(told.split())
    assert all(len(line) <= 80 for line in told.splitlines() if "/python" not in line), told


def test_what_spoils_times_is_shown_with_the_noise_of_a_fixed_job(arena: Arena) -> None:
    result = arena("doctor", "--timing", "--format", "json")
    assert result.exit_code == 0, result.output
    rows = {row["what"].strip(): row["value"] for row in json.loads(result.stdout)["timing"]}
    assert [*rows] == [
        *("swap", "load", "CPU quota", "SMT", "frequency", "boost", "mixed cores", "clock"),
        *("fixed job", "varies by", "waits for a core", "slowest core"),
    ]
    assert float(rows["fixed job"].removesuffix(" ms of CPU time")) > 0
    for name, of in (
        ("varies by", "of that"),
        ("waits for a core", "of the time"),
        ("slowest core", "slower"),
    ):
        assert float(rows[name].removesuffix(f" % {of}")) >= 0


def test_timing_is_about_no_bot(arena: Arena) -> None:
    for words in (("./mine",), ("--limit", "startup=5")):
        result = arena("doctor", "--timing", *words)
        assert result.exit_code == 2
        assert "--timing is about the machine alone" in result.stderr


def rows_of(arena: Arena, *words: object) -> list[dict[str, str]]:
    """Return all that is said of this machine."""
    rows: list[dict[str, str]] = json.loads(arena("doctor", *words, "--format", "json").stdout)[
        "doctor"
    ]
    return rows


def test_it_says_whether_bots_can_have_cgroups(arena: Arena) -> None:
    [row] = [row for row in rows_of(arena) if row["what"] == "cgroup v2"]
    try:
        expected = ("works", f"cgroup = true divides {delegated()}")
    except CgroupError as error:
        expected = ("does not work", error.what)
    assert (row["value"], row["remark"]) == expected


def test_a_limit_that_cannot_be_had_is_named_once_and_blamed_on_no_sandbox(arena: Arena) -> None:
    cores = len(own_cores())
    usual = {row["what"]: row for row in rows_of(arena, "--limit", f"threads={cores}")}
    assert "limits" not in usual
    rows = rows_of(arena, "random", "--game", "guerra", "--limit", f"threads={cores + 1}")
    named = [row["what"] for row in rows if "threads" in row["remark"]]
    assert named == ["limits"]
    for row in rows:
        if row["what"].startswith("sandbox"):
            assert row["value"] == usual[row["what"]]["value"]
    tried = {(row["value"], row["remark"]) for row in rows if row["what"].startswith("  ")}
    assert tried == {("not tried", "see limits, below")}


def test_without_cgroups_the_sandboxes_still_work(arena: Arena) -> None:
    try:
        delegated()
    except CgroupError as error:
        why = error.what
    else:
        pytest.skip("A LACK OF CGROUPS IS NOT TESTED HERE: one is delegated")
    rows = rows_of(arena, "--limit", "cgroup=true")
    assert [row["what"] for row in rows if row["remark"] == why] == ["cgroup v2"]
    [said] = [row for row in rows if row["what"] == "limits"]
    assert said["value"] == "cannot be had"
    working = {row["what"] for row in rows if row["value"] == "works"}
    assert working == {f"sandbox {name}" for name in HERE}
