"""Two bots compared with real matches: the verdict, the sentence, and every mistake."""

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from arena.league.finding import BUNDLED
from arena.store.opening import read_league
from tests.arena.conftest import ARENA, ROOT, STEADY, Arena, Once, matches_stored
from tests.arena.inline import inline_runs
from tests.arena.terminal import at_terminal
from tests.golden import Golden
from tests.referee.process_watch import until

pytestmark = pytest.mark.usefixtures("inline")

UNSANDBOXED = ("--sandbox", "none", "--seed", "1")
GUERRA = ("--game", "guerra", "--option", "max_turns=20", *UNSANDBOXED)
RANDOM = STEADY.format(pause=0)
CRASHING = """
import sys, kit, guerra_random
def start(match):
    if {when}:
        sys.exit("crashed on purpose")
kit.run(guerra_random.choose, on_start=start)
"""


def bot(folder: Path, source: str = RANDOM) -> Path:
    """Make the folder of a bot of guerra of a Python source that may import kit."""
    folder.mkdir(parents=True)
    for helper in ("templates/python/kit.py", "guerra/guerra_random.py"):
        shutil.copy(BUNDLED / helper, folder)
    (folder / "bot.py").write_text(source)
    (folder / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
    return folder


def sensible(folder: Path) -> Path:
    """Make the folder of a bot that plays guerra like the bundled one."""
    made = bot(folder)
    shutil.copy(BUNDLED / "guerra" / "guerra_sensible.py", made / "bot.py")
    return made


def sentence(result: Result) -> str:
    """Return what a comparison that went well prints, as one line."""
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


def row(result: Result) -> dict[str, Any]:
    """Return the only row of what a comparison prints as JSON."""
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.stdout)["comparison"]
    assert isinstance(found, dict)
    return found


def compare_once(folder: Path) -> None:
    """Compare general and random, and keep what was played."""
    words = ["compare", "general", "random", *GUERRA, "--keep", str(folder)]
    with inline_runs():
        assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "words",
    [
        "sensible random --game tod_und_leben",  # in which nobody decides anything
        *("general random --keep decided", "random general --keep decided"),
        *("general random --keep decided --deals 3", "general random --keep decided --alpha 0.01"),
        *("sensible alike", "sensible alike --beta 0.3 --margin 0.1"),
        # what `--elo0 -5 --elo1 0` is for; with wider bounds, as 5 Elo take thousands of deals
        *("sensible alike --elo0 -100 --elo1 0", "general random --elo0 -10 --elo1 0"),
        "random general --score0 0.5 --score1 0.6",
        "loyal echo --game cold_war --with loyal --with echo --option max_rounds=5",
        *("sensible echo --game cold_war --deals 1", "x=random y=quiet --game khan --deals 1"),
        "x=random y=quiet --game khan --seats 3 --with quiet --deals 1",
    ],
)
def test_a_sentence_says_the_verdict_its_rates_and_who_sat_beside(
    arena: Arena,
    once: Once,
    tmp_path: Path,
    golden: Golden,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    if "decided" in words:
        shutil.copytree(once("compared", compare_once), "decided")
    if "alike" in words:
        sensible(Path("alike"))
        words = words.replace("alike", "./alike")
    kept = () if "--keep" in words else ("--keep", "kept")
    asked = ("compare", *words.split(), *(UNSANDBOXED if "--game" in words else GUERRA), *kept)
    told = sentence(arena(*asked))
    names = [each.name for each in read_league(Path("kept" if kept else "decided")).bots]
    golden(f"{told}\n{', '.join(names)}")
    found = row(arena(*asked, "--format", "json"))
    assert told.startswith(found["sentence"])
    assert found["low"] <= found["points"] <= found["high"]
    facts = "verdict game seed alpha beta margin score0 score1 points deals fresh"
    golden(json.dumps({key: found[key] for key in facts.split()}))
    header, line = csv.reader(io.StringIO(arena(*asked, "--format", "csv").stdout))
    assert header == list(found)
    assert line[2:4] == [found["game"], found["verdict"]]


def test_a_comparison_may_be_given_a_time(arena: Arena, tmp_path: Path) -> None:
    slow = bot(tmp_path / "slow", STEADY.format(pause=0.1))
    words = ("random", slow, *GUERRA, "--margin", "0.001", "--for", "1s")
    told = sentence(arena("compare", *words))
    assert told.startswith("Not decided after "), told


def test_two_versions_of_a_bot_are_told_apart_by_their_paths_or_numbers(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bot(Path("v1/mine"))
    bot(Path("v2/mine"), RANDOM + "# newer\n")
    for one, told in {"v1/mine": "v1/mine took", "new=v1/mine": "new took"}.items():
        words = ("compare", one, "v2/mine", *GUERRA, "--deals", "1")
        assert told in sentence(arena(*words))
    one = bot(tmp_path / ("a" * 40) / "mine")
    other = bot(tmp_path / ("b" * 40) / "mine", RANDOM + "# newer\n")
    assert "mine#1 took" in sentence(arena("compare", one, other, *GUERRA, "--deals", "1"))


@pytest.mark.slow  # workers are its subject
def test_the_number_of_workers_changes_nothing() -> None:
    words = ("compare", "turtle", "rusher", *GUERRA, "--deals", "40", "--format", "json")
    outputs = {
        subprocess.run(
            [*ARENA, *words, "--workers", number], cwd=ROOT, check=True, capture_output=True
        ).stdout
        for number in "123"
    }
    assert len(outputs) == 1


@pytest.mark.slow
def test_a_comparison_goes_on_from_what_is_kept(arena: Arena, once: Once, tmp_path: Path) -> None:
    words = ("compare", "general", "random", *GUERRA, "--format", "json", "--keep")
    whole = arena(*words, once("compared", compare_once)).stdout
    first = row(arena(*words, tmp_path / "kept", "--deals", "4"))
    assert (first["verdict"], first["deals"]) == ("undecided", 4)
    assert arena(*words, tmp_path / "kept").stdout == whole
    again = arena(*words, tmp_path / "kept")
    assert (again.stdout, again.stderr) == (whole, "")  # nothing was played
    assert arena("rank", tmp_path / "kept").exit_code == 0


def test_a_changed_bot_starts_anew_and_a_league_of_others_stays(
    arena: Arena, tmp_path: Path, copy: Path
) -> None:
    mine = bot(tmp_path / "mine")
    words = ("compare", mine, "turtle", *GUERRA, "--format", "json", "--deals", "2", "--keep")
    row(arena(*words, tmp_path / "kept"))
    (mine / "bot.py").write_text(RANDOM + "# newer\n")
    again = arena(*words, tmp_path / "kept")
    assert (row(again)["deals"], "at most 2 deals" in again.stderr) == (2, True)
    before = (copy / "league.toml").read_text()
    result = arena(*words, copy)
    assert result.exit_code == 2
    assert "is a league of illegal, one, two, not of mine, turtle" in result.stderr
    assert (copy / "league.toml").read_text() == before


def test_a_kept_comparison_keeps_its_seed_and_settings(arena: Arena, tmp_path: Path) -> None:
    words = ("compare", "general", "random", "--game", "guerra", "--sandbox", "none")
    kept = (*words, "--format", "json", "--keep", tmp_path)
    first = row(arena(*kept, "--limit", "fresh=false", "--deals", "1"))
    found = row(arena(*kept, "--deals", "2"))
    assert (found["seed"], found["deals"], found["fresh"]) == (first["seed"], 2, False)
    before = (tmp_path / "league.toml").read_text()
    result = arena(*kept, "--limit", "move_time=0.5")
    assert result.exit_code == 2
    assert "[limits] had move_time = 1.0, not 0.5" in result.stderr
    assert (tmp_path / "league.toml").read_text() == before


FORGETFUL = """
import kit, guerra_random
matches = []
def start(match):
    matches.append(match)
    if len(matches) > 1:
        raise SystemExit("this process has played before")
kit.run(guerra_random.choose, on_start=start)
"""
LIVED_ON = ", if no bot keeps anything from one match to the next (fresh = false)"


def test_nothing_can_be_learnt_from_one_match_for_the_next(arena: Arena, tmp_path: Path) -> None:
    """Or the deals would depend on one another, and the rates of error would not hold."""
    mine = bot(tmp_path / "mine", FORGETFUL)
    words = ("compare", mine, "random", *GUERRA, "--deals", "4", "--workers", "1")
    told = sentence(arena(*words))
    assert "Faults" not in told
    assert LIVED_ON not in told
    told = sentence(arena(*words, "--limit", "fresh=false"))
    assert re.search(r"Faults in the matches that count: mine \d+ crash", told), told
    assert LIVED_ON in told


def test_forfeits_are_told_and_who_keeps_forfeiting_or_does_not_start_is_not_judged(
    arena: Arena, tmp_path: Path
) -> None:
    mine = bot(tmp_path / "mine", CRASHING.format(when="match.seed % 3 == 0"))
    told = sentence(arena("compare", mine, "random", *GUERRA, "--deals", "15"))
    faults = r"Faults in the matches that count: mine \d+ crash, forfeits \d+; random none\."
    assert re.search(faults, told), told
    assert "A forfeit counts as the last place, and says nothing of how well a bot plays." in told
    (mine / "bot.py").write_text(CRASHING.format(when="True"))
    other = bot(tmp_path / "other", CRASHING.format(when="1"))
    for opponent in ("random", other):
        told = sentence(arena("compare", mine, opponent, *GUERRA))
        said = r"No verdict: (mine|other) forfeited 10 matches in a row\. `arena check`"
        assert re.match(said, told), told
    (mine / "bot.py").write_text("raise RuntimeError('crashed on purpose')\n")
    result = arena("compare", mine, "random", *GUERRA)
    assert (result.exit_code, result.stdout) == (2, "")
    last = result.stderr.splitlines()[-1]
    assert last.startswith("arena: bot 'mine' failed its start-up check: ")
    assert last.endswith("there is nothing to compare.")


@pytest.mark.slow
def test_a_bot_that_is_too_slow_is_not_judged_and_its_limit_is_named(
    arena: Arena, tmp_path: Path, golden: Golden
) -> None:
    mine = bot(tmp_path / "mine", "import kit\nkit.run(lambda ask: [1 for _ in iter(int, 1)])\n")
    with (mine / "kit.py").open("a") as kit:
        kit.write("# of a process, which can be ended\n")
    limits = ("--limit", "move_time=0.05", "--limit", "faults_allowed=0")
    told = sentence(arena("compare", mine, "random", *GUERRA, *limits))
    golden(told.partition(" Faults")[0])


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_comparison_can_be_stopped(tmp_path: Path, number: int) -> None:
    slow, kept = bot(tmp_path / "slow", STEADY.format(pause=0.05)), tmp_path / "kept"
    words = ("compare", slow, "random", *GUERRA, "--workers", "1", "--keep", kept)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(
        [*ARENA, *map(str, words)], cwd=ROOT, start_new_session=True, **pipes
    )
    until(lambda: matches_stored(kept), 30)
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1, err
    assert re.match(r"Not decided\s+yet\s+after\s+\d+\s+deals?\s+of\s+guerra", out)
    assert "Finishing the matches being played" in err


@pytest.mark.slow  # a terminal
@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("", r"slow has \d+\.\d % of the points, \d+ % of the way to «[a-z ]+»"),
        ("--elo0 0 --elo1 5", r"slow has \d+\.\d %, LLR -?\d\.\d\d .*, \d+ % to «[a-z]+»"),
    ],
)
def test_a_terminal_shows_how_it_stands(tmp_path: Path, words: str, line: str) -> None:
    slow = bot(tmp_path / "slow", STEADY.format(pause=0.05))
    asked = map(str, ("compare", slow, "random", *GUERRA, "--deals", "8", *words.split()))
    with at_terminal(*asked, TERM="xterm") as terminal:
        assert terminal.end() == 0
    lines = re.sub(r"\x1b\[K", "", terminal.shown).split("\r")
    drawn = [each for each in lines if "slow has" in each]
    assert re.fullmatch(rf"[1-8] deals?: {line}", drawn[0])
    assert int(drawn[-1].split()[0]) > 4
    assert "Not decided after 8 deals" in terminal.shown
    assert all(len(each) < 80 for each in drawn)


def test_a_mistake_is_told_on_one_line(arena: Arena, golden: Golden) -> None:
    for words in (
        *("sensible random --game guerre", "sensible nobody", "sensible human"),
        *("sensible sensible", "new=sensible guerra_sensible", "sensible random --alpha 0"),
        *("sensible random --beta 0.5", "sensible random --margin nan", "sensible random --elo0 0"),
        *("sensible random --workers 0", "sensible random --workers 1 --cluster x"),
        *("sensible random --score0 0.5 --score1 0.5", "sensible random --score0 0 --score1 1"),
        *("sensible random --elo0 0 --score0 0.5", "sensible random --elo0 nan --elo1 5"),
        *("sensible random --elo0 0 --elo1 5 --margin 0.1", "sensible random --deals 0"),
        *("sensible random --deals 3000000", "sensible random --seats 3"),
        *("sensible random --with turtle", "sensible echo --game cold_war --with loyal"),
        *("sensible random --option x=1", "sensible random --limit x=1"),
    ):
        game = UNSANDBOXED if "--game" in words else GUERRA
        result = arena("compare", *words.split(), *game)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("arena: ")
        assert result.stderr.count("\n") == 1, result.stderr
        golden(f"{words}\n{result.stderr}")


def test_a_program_is_not_compared_with_its_copy_but_with_other_arguments(
    arena: Arena, tmp_path: Path
) -> None:
    one, other = bot(tmp_path / "mine"), bot(tmp_path / "bolder")
    words = ("compare", one, other, *GUERRA, "--deals", "1", "--keep", tmp_path / "kept")
    assert "both are the same program, file by file" in arena(*words).stderr
    assert not (tmp_path / "kept").exists()
    (one / "bot.toml").write_text('command = ["{python}", "bot.py", "0.1"]\n')
    assert "mine took" in sentence(arena(*words))
