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
from click.testing import Result

from arena.league.finding import BUNDLED
from arena.store.opening import read_league
from tests.arena.conftest import ARENA, ROOT, STEADY, Arena
from tests.arena.terminal import at_terminal
from tests.referee.process_watch import until

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


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a comparison of general and random, which is kept."""
    folder = tmp_path_factory.mktemp("decided")
    words = ("compare", "general", "random", *GUERRA, "--keep", str(folder))
    subprocess.run([*ARENA, *words], cwd=ROOT, check=True, capture_output=True)
    return folder


# --- verdicts


def test_a_clear_winner_is_soon_told(arena: Arena) -> None:
    told = sentence(arena("compare", "general", "random", *GUERRA))
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


@pytest.mark.slow
def test_the_better_one_is_named_whoever_comes_first(arena: Arena, decided: Path) -> None:
    words = ("compare", "random", "general", *GUERRA, "--keep", decided)
    assert sentence(arena(*words)).startswith("general is better than random: ")
    found = row(arena(*words, "--format", "json"))
    assert found["verdict"] == "worse"
    assert found["points"] < 0.2
    assert found["low"] <= found["points"] <= found["high"] < 0.5


@pytest.mark.slow
def test_a_bot_is_no_better_than_one_that_plays_alike(arena: Arena, tmp_path: Path) -> None:
    told = sentence(arena("compare", "sensible", sensible(tmp_path / "alike"), *GUERRA))
    assert told.startswith(
        "Neither sensible nor alike is worth 55 % of the points against the other: "
        "sensible took 50.0 % of the points in "
    )
    assert told.endswith("If one of them were, at most one comparison in 20 would end like this.")


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
    words = ("random", bot(tmp_path / "alike"), *GUERRA, "--margin", "0.001", "--for", "2s")
    told = sentence(arena("compare", *words))
    assert told.startswith("Not decided after "), told


def test_the_deals_may_not_be_enough(arena: Arena, tmp_path: Path) -> None:
    words = ("compare", "random", bot(tmp_path / "alike"), *GUERRA, "--deals", "3")
    told = sentence(arena(*words))
    assert told.startswith("Not decided after 3 deals of guerra (6 matches): random took ")


@pytest.mark.slow
def test_the_rates_are_part_of_the_sentence(arena: Arena, decided: Path, tmp_path: Path) -> None:
    words = ("compare", "general", "random", *GUERRA, "--keep", decided)
    told = sentence(arena(*words, "--alpha", "0.01"))
    assert "at most one comparison in 100 would end like this" in told
    strict = ("--beta", "0.3", "--margin", "0.1")
    alike = sensible(tmp_path / "alike")
    told = sentence(arena("compare", "sensible", alike, *GUERRA, *strict))
    assert "is worth 60 % of the points" in told
    assert "at most 30 % of the comparisons would end like this" in told


@pytest.mark.slow
def test_other_seats_are_filled_with_the_game_s_own_bot(arena: Arena, tmp_path: Path) -> None:
    words = ("--game", "cold_war", *UNSANDBOXED, "--deals", "2", "--keep", tmp_path)
    assert "2 deals of cold_war (8 matches)" in sentence(
        arena("compare", "sensible", "echo", *words)
    )
    names = [each.name for each in read_league(tmp_path).bots]
    assert names == ["echo", "sensible", "sensible 2", "sensible 3"]


def test_other_seats_are_filled_as_told(arena: Arena, tmp_path: Path) -> None:
    words = ("--game", "khan", "--seats", "3", *UNSANDBOXED, "--deals", "1", "--keep", tmp_path)
    sentence(arena("compare", "x=random", "y=quiet", *words, "--with", "quiet"))
    assert [each.name for each in read_league(tmp_path).bots] == ["quiet", "x", "y"]


@pytest.mark.slow
def test_a_game_without_decisions_is_called_luck(arena: Arena) -> None:
    told = sentence(arena("compare", "sensible", "random", "--game", "tod_und_leben", *UNSANDBOXED))
    assert told.startswith("Neither sensible nor random is worth 55 % of the points")
    assert told.endswith("Nobody decides anything in tod_und_leben: this is pure luck.")


@pytest.mark.slow
def test_bots_that_repeat_themselves_show_no_more_than_once(arena: Arena) -> None:
    words = ("--game", "cold_war", "--with", "loyal", "--with", "echo", "--option", "max_rounds=5")
    result = arena("compare", "loyal", "echo", *words, *UNSANDBOXED)
    told = sentence(result)
    assert told.startswith("loyal and echo play the same every time: 50 deals in a row went ")
    match = re.search(
        r"\((\d+) deals? of cold_war \(\d+ matches\)\); there is more to learn only with", told
    )
    assert match, told
    assert int(match[1]) <= 6  # the orders of four seats in a ring


# --- names


@pytest.mark.slow
def test_two_versions_of_a_bot_are_told_apart_by_their_paths(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bot(Path("v1/mine"))
    bot(Path("v2/mine"), RANDOM + "# newer\n")
    told = sentence(arena("compare", "v1/mine", "v2/mine", *GUERRA, "--deals", "2"))
    assert "v1/mine took" in told
    told = sentence(arena("compare", "new=v1/mine", "v2/mine", *GUERRA, "--deals", "2"))
    assert "new took" in told


def test_words_too_long_for_names_are_numbered(arena: Arena, tmp_path: Path) -> None:
    one = bot(tmp_path / ("a" * 40) / "mine")
    other = bot(tmp_path / ("b" * 40) / "mine", RANDOM + "# newer\n")
    assert "mine#1 took" in sentence(arena("compare", one, other, *GUERRA, "--deals", "1"))


# --- formats, workers, going on


def test_csv_and_json_hold_one_row_with_everything(arena: Arena, decided: Path) -> None:
    words = ("compare", "general", "random", *GUERRA, "--keep", decided)
    found = row(arena(*words, "--format", "json"))
    header, line = csv.reader(io.StringIO(arena(*words, "--format", "csv").stdout))
    assert header == list(found)
    assert line[:4] == ["general", "random", "guerra", "better"]
    assert (found["alpha"], found["beta"], found["margin"]) == (0.05, 0.05, 0.05)
    assert found["low"] < found["points"] <= found["high"]
    assert found["matches"] == 2 * found["deals"]
    assert found["seed"] == "1"
    assert found["sentence"] == sentence(arena(*words))


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing(arena: Arena) -> None:
    words = ("compare", "turtle", "rusher", *GUERRA, "--deals", "40", "--format", "json")
    outputs = {arena(*words, "--workers", number).stdout for number in (1, 2, 3)}
    assert len(outputs) == 1


@pytest.mark.slow
def test_a_comparison_goes_on_from_what_is_kept(arena: Arena, tmp_path: Path) -> None:
    words = ("compare", "general", "random", *GUERRA, "--format", "json")
    once = arena(*words).stdout
    kept = (*words, "--keep", tmp_path / "kept")
    first = row(arena(*kept, "--deals", "4"))
    assert (first["verdict"], first["deals"]) == ("undecided", 4)
    assert arena(*kept).stdout == once
    again = arena(*kept)
    assert again.stdout == once
    assert again.stderr == ""  # nothing was played
    assert arena("rank", tmp_path / "kept").exit_code == 0


def test_no_more_deals_are_counted_than_asked_for(arena: Arena, decided: Path) -> None:
    words = ("compare", "general", "random", *GUERRA, "--keep", decided, "--deals", "3")
    assert sentence(arena(*words)).startswith("Not decided after 3 deals of guerra (6 matches)")


def test_the_seed_is_kept_where_none_is_given(arena: Arena, tmp_path: Path) -> None:
    words = ("compare", "general", "random", "--game", "guerra", "--sandbox", "none")
    kept = (*words, "--format", "json", "--keep", tmp_path)
    seed = row(arena(*kept, "--deals", "1"))["seed"]
    assert row(arena(*kept, "--deals", "2"))["seed"] == seed


@pytest.mark.slow
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


def test_a_comparison_that_was_kept_goes_on_with_its_processes(
    arena: Arena, tmp_path: Path
) -> None:
    words = ("compare", "general", "random", *GUERRA, "--keep", tmp_path, "--format", "json")
    row(arena(*words, "--limit", "fresh=false", "--deals", "1"))
    found = row(arena(*words, "--deals", "2"))
    assert (found["deals"], found["fresh"]) == (2, False)


# --- faults


@pytest.mark.slow
def test_forfeits_are_told_and_are_not_called_worse_play(arena: Arena, tmp_path: Path) -> None:
    mine = bot(tmp_path / "mine", CRASHING.format(when="match.seed % 3 == 0"))
    told = sentence(arena("compare", mine, "random", *GUERRA, "--deals", "15"))
    assert re.search(
        r"Faults in the matches that count: mine \d+ crash, forfeits \d+; random none\.", told
    ), told
    assert "A forfeit counts as the last place, and says nothing of how well a bot plays." in told


@pytest.mark.slow
def test_a_bot_that_keeps_forfeiting_is_not_judged(arena: Arena, tmp_path: Path) -> None:
    mine = bot(tmp_path / "mine", CRASHING.format(when="True"))
    for workers in (1, 2):
        result = arena("compare", mine, "random", *GUERRA, "--workers", workers)
        assert sentence(result).startswith(
            "No verdict: mine forfeited 10 matches in a row. `arena check` shows what is wrong"
        )


@pytest.mark.slow
def test_two_bots_that_keep_forfeiting_are_not_judged(arena: Arena, tmp_path: Path) -> None:
    always = ("True", "1")  # two programs
    bots = [bot(tmp_path / f"of_{each}", CRASHING.format(when=each)) for each in always]
    told = sentence(arena("compare", *bots, *GUERRA, "--workers", "1"))
    assert re.match(r"No verdict: of_(True|1) forfeited 10 matches in a row\. `arena check`", told)


@pytest.mark.slow
def test_a_bot_that_is_too_slow_is_not_judged_and_its_limit_is_named(
    arena: Arena, tmp_path: Path
) -> None:
    source = "import kit\ndef choose(ask):\n    while True: pass\nkit.run(choose)\n"
    mine = bot(tmp_path / "mine", source)
    limits = ("--limit", "move_time=0.05", "--limit", "faults_allowed=0")
    told = sentence(arena("compare", mine, "random", *GUERRA, *limits, "--workers", "1"))
    assert told.startswith(
        "No verdict: mine forfeited 10 matches in a row for want of time. --limit "
        "move_time=SECONDS gives it more time."
    )


def test_a_bot_that_does_not_start_leaves_nothing_to_compare(arena: Arena, tmp_path: Path) -> None:
    mine = bot(tmp_path / "mine", "raise RuntimeError('crashed on purpose')\n")
    result = arena("compare", mine, "random", *GUERRA)
    assert result.exit_code == 2
    assert result.stdout == ""
    last = result.stderr.splitlines()[-1]
    assert last.startswith("arena: bot 'mine' failed its start-up check: ")
    assert last.endswith("there is nothing to compare.")


# --- under way


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_comparison_can_be_stopped(tmp_path: Path, number: int) -> None:
    slow = bot(tmp_path / "slow", STEADY.format(pause=0.05))
    words = ("compare", slow, "random", *GUERRA, "--workers", "1", "--keep", tmp_path / "kept")
    process = subprocess.Popen(
        [*ARENA, *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    database = tmp_path / "kept" / "league.db-wal", tmp_path / "kept" / "league.db"
    until(lambda: any(file.exists() and file.stat().st_size > 100_000 for file in database), 30)
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1, err
    assert re.match(r"Not decided\s+yet\s+after\s+\d+\s+deals?\s+of\s+guerra", out)
    assert "Finishing the matches being played" in err


@pytest.mark.slow
def test_a_terminal_shows_how_it_stands(tmp_path: Path) -> None:
    slow = bot(tmp_path / "slow", STEADY.format(pause=0.05))
    words = map(str, ("compare", slow, "random", *GUERRA, "--deals", "8"))
    with at_terminal(*words, TERM="xterm") as terminal:
        assert terminal.end() == 0
    lines = re.sub(r"\x1b\[K", "", terminal.shown).split("\r")
    drawn = [line for line in lines if "of the way to" in line]
    assert re.fullmatch(
        r"[1-8] deals?: slow has \d+\.\d % of the points, \d+ % of the way to «[a-z ]+»", drawn[0]
    )
    assert int(drawn[-1].split()[0]) > 4
    assert "Not decided after 8 deals" in terminal.shown
    assert all(len(line) < 80 for line in drawn)


@pytest.mark.slow
def test_a_terminal_shows_the_log_likelihood_ratio_of_a_test_of_one_side(tmp_path: Path) -> None:
    slow = bot(tmp_path / "slow", STEADY.format(pause=0.05))
    words = map(str, ("compare", slow, "random", *GUERRA, "--deals", "8", "--elo0", "0"))
    with at_terminal(*words, "--elo1", "5", TERM="xterm") as terminal:
        terminal.end()
    lines = re.sub(r"\x1b\[K", "", terminal.shown).split("\r")
    drawn = [line for line in lines if "LLR" in line and line[0].isdigit()]
    assert re.fullmatch(
        r"[1-8] deals?: slow has \d+\.\d %, LLR -?\d\.\d\d \(-2\.94, 2\.94\), \d+ % to «[a-z]+»",
        drawn[0],
    )
    assert all(len(line) < 80 for line in drawn)


@pytest.mark.slow
def test_a_version_that_plays_alike_is_no_regression(arena: Arena, tmp_path: Path) -> None:
    """What `--elo0 -5 --elo1 0` is for; with wider bounds, as 5 Elo take thousands of deals."""
    words = ("sensible", sensible(tmp_path / "alike"), *GUERRA, "--elo0", "-100", "--elo1", "0")
    found = row(arena("compare", *words, "--format", "json"))
    assert found["verdict"] == "passed"
    assert found["llr"] > found["llr_high"]
    assert found["points"] == 0.5


# --- mistakes


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["sensible", "random", "--game", "guerre"], "Did you mean 'guerra'?"),
        (["sensible", "nobody", *GUERRA], "there is no bot 'nobody'"),
        (["sensible", "human", *GUERRA], "a human cannot play in a league"),
        (["sensible", "random", *GUERRA, "--alpha", "0"], "--alpha must be more than 0"),
        (["sensible", "random", *GUERRA, "--beta", "0.5"], "--beta must be more than 0"),
        (["sensible", "random", *GUERRA, "--margin", "nan"], "--margin must be more than 0"),
        (["sensible", "random", *GUERRA, "--elo0", "0"], "one side has two bounds"),
        (["sensible", "random", *GUERRA, "--workers", "1", "--cluster", "x"], "does not go with"),
        (
            ["sensible", "random", *GUERRA, "--score0", "0.5", "--score1", "0.5"],
            "must be less than --elo1",
        ),
        (["sensible", "random", *GUERRA, "--score0", "0", "--score1", "1"], "--score0 must be"),
        (["sensible", "random", *GUERRA, "--elo0", "0", "--score0", "0.5"], "say the same"),
        (["sensible", "random", *GUERRA, "--elo0", "nan", "--elo1", "5"], "--elo0 lies between"),
        (
            ["sensible", "random", *GUERRA, "--elo0", "0", "--elo1", "5", "--margin", "0.1"],
            "--margin is for tests of two sides",
        ),
        (["sensible", "random", *GUERRA, "--deals", "0"], "deals"),
        (["sensible", "random", *GUERRA, "--deals", "3000000"], "ask for fewer deals"),
        (["sensible", "random", *GUERRA, "--seats", "3"], "guerra is played by 2 seats"),
        (
            ["sensible", "random", *GUERRA, "--with", "turtle"],
            "guerra with 2 seats has no other bots: leave out --with",
        ),
        (
            ["sensible", "echo", "--game", "cold_war", *UNSANDBOXED, "--with", "loyal"],
            "cold_war with 4 seats has 2 other bots, not 1: give --with 2 times, or leave it out",
        ),
        (["sensible", "random", *GUERRA, "--workers", "0"], "at least one worker"),
        (["sensible", "random", *GUERRA, "--option", "x=1"], "there is no option 'x'"),
        (["sensible", "random", *GUERRA, "--limit", "x=1"], "there is no limit 'x'"),
    ],
)
def test_a_mistake_is_told_on_one_line(arena: Arena, words: list[str], says: str) -> None:
    result = arena("compare", *words)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("arena: ")
    assert result.stderr.count("\n") == 1, result.stderr
    assert says in result.stderr


SAME = "arena: both are the same program, file by file; did you save your change?\n"


def test_a_program_is_not_compared_with_its_copy(arena: Arena, tmp_path: Path) -> None:
    one, other = bot(tmp_path / "mine"), bot(tmp_path / "bolder")
    kept = tmp_path / "kept"
    for pair in ((one, other), ("sensible", "sensible"), ("new=sensible", "guerra_sensible")):
        result = arena("compare", *pair, *GUERRA, "--keep", kept)
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", SAME)
        assert not kept.exists()


def test_a_program_with_other_arguments_is_another(arena: Arena, tmp_path: Path) -> None:
    one, other = bot(tmp_path / "mine"), bot(tmp_path / "bolder")
    for folder, word in ((one, "0.1"), (other, "0.9")):
        command = f'command = ["{{python}}", "bot.py", "{word}"]\nfiles = ["bot.py", "kit.py"'
        (folder / "bot.toml").write_text(f'{command}, "guerra_random.py"]\n')
    assert "mine took" in sentence(arena("compare", one, other, *GUERRA, "--deals", "1"))


def test_a_league_of_other_bots_is_not_written_over(arena: Arena, copy: Path) -> None:
    before = (copy / "league.toml").read_text()
    result = arena("compare", "sensible", "random", *GUERRA, "--keep", copy)
    assert result.exit_code == 2
    assert "is a league of illegal, one, two, not of random, sensible" in result.stderr
    assert (copy / "league.toml").read_text() == before


def test_a_kept_comparison_keeps_its_settings(arena: Arena, tmp_path: Path) -> None:
    words = ("compare", "general", "random", *GUERRA, "--keep", tmp_path)
    sentence(arena(*words, "--deals", "1"))
    before = (tmp_path / "league.toml").read_text()
    result = arena(*words, "--limit", "move_time=0.5")
    assert result.exit_code == 2
    assert "[limits] had move_time = 1.0, not 0.5" in result.stderr
    assert (tmp_path / "league.toml").read_text() == before
