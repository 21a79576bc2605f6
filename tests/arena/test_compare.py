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
    for helper in ("kit.py", "guerra/guerra_random.py"):
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


@pytest.fixture(scope="module")
def shared(once: Once) -> Path:
    """The folder of a comparison that was decided; not to be changed."""
    return once("compared", compare_once)


@pytest.fixture
def decided(shared: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(shared, tmp_path / "decided")


# --- verdicts


@pytest.mark.slow
def test_a_clear_winner_is_soon_told_whoever_comes_first_and_in_every_format(
    arena: Arena, decided: Path
) -> None:
    words = ("compare", "general", "random", *GUERRA, "--keep", decided)
    told = sentence(arena(*words))
    pattern = (
        r"general is better than random: (\d+\.\d) % of the points in (\d+) deals of guerra "
        r"\((\d+) matches\); 95 % interval \d+\.\d to \d+\.\d %\. Among equal bots, at most one "
        r"comparison in 20 would end like this\."
    )
    match = re.fullmatch(pattern, told)
    assert match, told
    assert float(match[1]) > 80
    assert int(match[2]) < 30
    assert int(match[3]) == 2 * int(match[2])
    found = row(arena(*words, "--format", "json"))
    header, line = csv.reader(io.StringIO(arena(*words, "--format", "csv").stdout))
    assert header == list(found)
    assert line[:4] == ["general", "random", "guerra", "better"]
    assert [found[key] for key in ("alpha", "beta", "margin", "seed")] == [0.05, 0.05, 0.05, "1"]
    assert found["low"] < found["points"] <= found["high"]
    assert found["matches"] == 2 * found["deals"]
    assert found["sentence"] == told
    turned = ("compare", "random", "general", *GUERRA, "--keep", decided)
    assert sentence(arena(*turned)).startswith("general is better than random: ")
    found = row(arena(*turned, "--format", "json"))
    assert found["verdict"] == "worse"
    assert found["points"] < 0.2
    assert found["low"] <= found["points"] <= found["high"] < 0.5
    short = sentence(arena(*words, "--deals", "3"))
    assert short.startswith("Not decided after 3 deals of guerra (6 matches): general took ")


@pytest.mark.slow
def test_a_bot_is_no_better_than_one_that_plays_alike_and_no_regression(
    arena: Arena, tmp_path: Path
) -> None:
    words = ("compare", "sensible", sensible(tmp_path / "alike"), *GUERRA)
    told = sentence(arena(*words))
    assert told.startswith(
        "Neither sensible nor alike is worth 55 % of the points against the other: "
        "sensible took 50.0 % of the points in "
    )
    assert told.endswith("If one of them were, at most one comparison in 20 would end like this.")
    # what `--elo0 -5 --elo1 0` is for; with wider bounds, as 5 Elo take thousands of deals
    found = row(arena(*words, "--elo0", "-100", "--elo1", "0", "--format", "json"))
    assert found["verdict"] == "passed"
    assert found["llr"] > found["llr_high"]
    assert found["points"] == 0.5


@pytest.mark.slow
def test_a_test_of_one_side_says_whether_a_bot_passes(arena: Arena, tmp_path: Path) -> None:
    passed = arena("compare", "general", "random", *GUERRA, "--elo0", "-10", "--elo1", "0")
    told = sentence(passed)
    assert told.startswith(
        "general passes against random: it takes more than 48.56 % of the points (Elo -10.0). "
        "It took "
    )
    assert "If it took 48.56 % or less, at most one comparison in 20 would end like this. " in told
    ratio = r"LLR 0\.\d\d \(-2\.94, 2\.94\) \[-10\.00, 0\.00\] Elo: "
    assert re.search(rf"{ratio}.*The verdict does not rest on it\.$", told)
    words = ("random", "general", *GUERRA, "--score0", "0.5", "--score1", "0.6")
    found = row(arena("compare", *words, "--format", "json"))
    assert (found["verdict"], found["score0"], found["score1"]) == ("failed", 0.5, 0.6)
    assert found["margin"] is None
    assert (found["elo0"], found["llr_low"], found["llr_high"]) == pytest.approx(
        (0, -2.944, 2.944), abs=0.001
    )
    assert found["llr"] < 0 < found["elo1"]
    assert "it takes less than 60 % of the points (Elo +70.4)" in str(found["sentence"])


def test_a_comparison_may_be_given_a_time(arena: Arena, tmp_path: Path) -> None:
    slow = bot(tmp_path / "slow", STEADY.format(pause=0.1))
    words = ("random", slow, *GUERRA, "--margin", "0.001", "--for", "1s")
    told = sentence(arena("compare", *words))
    assert told.startswith("Not decided after "), told


@pytest.mark.slow
def test_the_rates_are_part_of_the_sentence(arena: Arena, decided: Path, tmp_path: Path) -> None:
    kept = ("compare", "general", "random", *GUERRA, "--keep", decided, "--alpha", "0.01")
    assert "at most one comparison in 100 would end like this" in sentence(arena(*kept))
    alike = ("compare", "sensible", sensible(tmp_path / "alike"), *GUERRA)
    told = sentence(arena(*alike, "--beta", "0.3", "--margin", "0.1"))
    assert "is worth 60 % of the points" in told
    assert "at most 30 % of the comparisons would end like this" in told


@pytest.mark.slow
def test_other_seats_are_filled_with_the_game_s_own_bot_or_as_told(
    arena: Arena, tmp_path: Path
) -> None:
    for words, names in (
        ("sensible echo --game cold_war", ["echo", "sensible", "sensible 2", "sensible 3"]),
        ("x=random y=quiet --game khan --seats 3 --with quiet", ["quiet", "x", "y"]),
    ):
        kept = tmp_path / words.split()[0]
        result = arena("compare", *words.split(), *UNSANDBOXED, "--deals", "1", "--keep", kept)
        assert " after 1 deal of " in sentence(result)
        assert [each.name for each in read_league(kept).bots] == names


def test_a_game_without_decisions_is_called_luck(arena: Arena) -> None:
    told = sentence(arena("compare", "sensible", "random", "--game", "tod_und_leben", *UNSANDBOXED))
    assert told.startswith("Neither sensible nor random is worth 55 % of the points")
    assert told.endswith("Nobody decides anything in tod_und_leben: this is pure luck.")


@pytest.mark.slow
def test_bots_that_repeat_themselves_show_no_more_than_once(arena: Arena) -> None:
    words = ("--game", "cold_war", "--with", "loyal", "--with", "echo", "--option", "max_rounds=5")
    told = sentence(arena("compare", "loyal", "echo", *words, *UNSANDBOXED))
    assert told.startswith("loyal and echo play the same every time: 50 deals in a row went ")
    more = r"\((\d+) deals? of cold_war \(\d+ matches\)\); there is more to learn only with"
    match = re.search(more, told)
    assert match, told
    assert int(match[1]) <= 6  # the orders of four seats in a ring


# --- names


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


# --- formats, workers, going on


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
def test_a_comparison_goes_on_from_what_is_kept(arena: Arena, shared: Path, tmp_path: Path) -> None:
    words = ("compare", "general", "random", *GUERRA, "--format", "json", "--keep")
    once = arena(*words, shared).stdout
    kept = (*words, tmp_path / "kept")
    first = row(arena(*kept, "--deals", "4"))
    assert (first["verdict"], first["deals"]) == ("undecided", 4)
    assert arena(*kept).stdout == once
    again = arena(*kept)
    assert again.stdout == once
    assert again.stderr == ""  # nothing was played
    assert arena("rank", tmp_path / "kept").exit_code == 0


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


def test_a_changed_bot_starts_anew(arena: Arena, tmp_path: Path) -> None:
    mine = bot(tmp_path / "mine")
    words = ("compare", mine, "turtle", *GUERRA, "--format", "json", "--keep", tmp_path / "kept")
    row(arena(*words, "--deals", "3"))
    (mine / "bot.py").write_text(RANDOM + "# newer\n")
    again = arena(*words, "--deals", "2")
    assert row(again)["deals"] == 2
    assert "at most 2 deals" in again.stderr


# --- processes

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


# --- faults


def test_forfeits_are_told_and_are_not_called_worse_play(arena: Arena, tmp_path: Path) -> None:
    mine = bot(tmp_path / "mine", CRASHING.format(when="match.seed % 3 == 0"))
    told = sentence(arena("compare", mine, "random", *GUERRA, "--deals", "15"))
    faults = r"Faults in the matches that count: mine \d+ crash, forfeits \d+; random none\."
    assert re.search(faults, told), told
    assert "A forfeit counts as the last place, and says nothing of how well a bot plays." in told


def test_bots_that_keep_forfeiting_are_not_judged(arena: Arena, tmp_path: Path) -> None:
    one, other = (
        bot(tmp_path / f"of_{when}", CRASHING.format(when=when)) for when in ("True", "1")
    )
    for pair in ((one, "random"), (one, other)):
        told = sentence(arena("compare", *pair, *GUERRA))
        assert re.match(r"No verdict: of_(True|1) forfeited 10 matches in a row\. `arena ch", told)


@pytest.mark.slow
def test_a_bot_that_is_too_slow_is_not_judged_and_its_limit_is_named(
    arena: Arena, tmp_path: Path
) -> None:
    source = "import kit\ndef choose(ask):\n    while True: pass\nkit.run(choose)\n"
    mine = bot(tmp_path / "mine", source)
    with (mine / "kit.py").open("a") as kit:
        kit.write("# of a process, which can be ended\n")
    limits = ("--limit", "move_time=0.05", "--limit", "faults_allowed=0")
    told = sentence(arena("compare", mine, "random", *GUERRA, *limits))
    assert told.startswith(
        "No verdict: mine forfeited 10 matches in a row for want of time. --limit "
        "move_time=SECONDS gives it more time."
    )


def test_a_bot_that_does_not_start_leaves_nothing_to_compare(arena: Arena, tmp_path: Path) -> None:
    mine = bot(tmp_path / "mine", "raise RuntimeError('crashed on purpose')\n")
    result = arena("compare", mine, "random", *GUERRA)
    assert (result.exit_code, result.stdout) == (2, "")
    last = result.stderr.splitlines()[-1]
    assert last.startswith("arena: bot 'mine' failed its start-up check: ")
    assert last.endswith("there is nothing to compare.")


# --- under way


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
        ((), r"slow has \d+\.\d % of the points, \d+ % of the way to «[a-z ]+»"),
        (
            ("--elo0", "0", "--elo1", "5"),
            r"slow has \d+\.\d %, LLR -?\d\.\d\d \(-2\.94, 2\.94\), \d+ % to «[a-z]+»",
        ),
    ],
)
def test_a_terminal_shows_how_it_stands(tmp_path: Path, words: tuple[str, ...], line: str) -> None:
    slow = bot(tmp_path / "slow", STEADY.format(pause=0.05))
    asked = map(str, ("compare", slow, "random", *GUERRA, "--deals", "8", *words))
    with at_terminal(*asked, TERM="xterm") as terminal:
        assert terminal.end() == 0
    lines = re.sub(r"\x1b\[K", "", terminal.shown).split("\r")
    drawn = [each for each in lines if "slow has" in each]
    assert re.fullmatch(rf"[1-8] deals?: {line}", drawn[0])
    assert int(drawn[-1].split()[0]) > 4
    assert "Not decided after 8 deals" in terminal.shown
    assert all(len(each) < 80 for each in drawn)


# --- mistakes

MISTAKES = (
    "sensible random --game guerre",
    "sensible nobody",
    "sensible human",
    "sensible random --alpha 0",
    "sensible random --beta 0.5",
    "sensible random --margin nan",
    "sensible random --elo0 0",
    "sensible random --workers 1 --cluster x",
    "sensible random --score0 0.5 --score1 0.5",
    "sensible random --score0 0 --score1 1",
    "sensible random --elo0 0 --score0 0.5",
    "sensible random --elo0 nan --elo1 5",
    "sensible random --elo0 0 --elo1 5 --margin 0.1",
    "sensible random --deals 0",
    "sensible random --deals 3000000",
    "sensible random --seats 3",
    "sensible random --with turtle",
    "sensible echo --game cold_war --with loyal",
    "sensible random --workers 0",
    "sensible random --option x=1",
    "sensible random --limit x=1",
    "sensible sensible",
    "new=sensible guerra_sensible",
)


def test_a_mistake_is_told_on_one_line(arena: Arena, golden: Golden) -> None:
    for words in MISTAKES:
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
    result = arena(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "both are the same program, file by file" in result.stderr
    assert not (tmp_path / "kept").exists()
    for folder, word in ((one, "0.1"), (other, "0.9")):
        command = f'command = ["{{python}}", "bot.py", "{word}"]\nfiles = ["bot.py", "kit.py"'
        (folder / "bot.toml").write_text(f'{command}, "guerra_random.py"]\n')
    assert "mine took" in sentence(arena(*words))


def test_a_league_of_other_bots_is_not_written_over(arena: Arena, copy: Path) -> None:
    before = (copy / "league.toml").read_text()
    result = arena("compare", "sensible", "random", *GUERRA, "--keep", copy)
    assert result.exit_code == 2
    assert "is a league of illegal, one, two, not of random, sensible" in result.stderr
    assert (copy / "league.toml").read_text() == before
