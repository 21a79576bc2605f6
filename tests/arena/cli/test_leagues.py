"""The command line at work: leagues made, played and read, on pipes and on a terminal."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest

from arena.cli.common import seconds_of
from arena.store.opening import read_league
from arena.store.store import Store
from tests.arena.conftest import ARENA, ROOT, STEADY, TWO_BOTS, Arena, League
from tests.arena.inline import inline_runs
from tests.arena.play.sandboxed_leagues import as_process
from tests.arena.terminal import at_terminal
from tests.golden import Golden

FILE = """\
game = "guerra"
seed = 1
deals = 2
options.max_turns = 20
limits = { sandbox = "none" }
"""
pytestmark = pytest.mark.usefixtures("inline")

GUERRA = ("--game", "guerra", "--sandbox", "none")
RANDOM = STEADY.format(pause=0)
MOVE = re.compile(r"^ *(\d+)(?: +[\d.]+){3}  \[(\w+)\] ", re.MULTILINE)


def run_arena(*words: str, cwd: Path, code: int = 0) -> "subprocess.CompletedProcess[str]":
    """Run a command in a folder; it must end with exit code `code`."""
    done = subprocess.run(
        [*ARENA, *words],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(cwd)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done
    return done


# --- init and run


def test_init_tells_the_plan_and_what_comes_next(
    arena: Arena, tmp_path: Path, golden: Golden
) -> None:
    cup = tmp_path / "new" / "cup"
    result = arena("init", cup, "random", "mine=rusher", "sensible", *GUERRA, "--deals", "20")
    assert result.exit_code == 0
    assert result.stdout == f"{cup / 'league.toml'} is written.\nNext: arena run {cup}\n"
    plan, foreseen = result.stderr.splitlines()
    assert plan.startswith("120 matches to play, about ")
    golden(foreseen)
    league = read_league(cup)
    assert [bot.name for bot in league.bots] == ["mine", "random", "sensible"]
    assert league.limits.sandbox == "none"


def test_init_writes_what_it_is_told(arena: Arena, tmp_path: Path) -> None:
    words = "--deals 3 --seed ode --rotations one --share 0.5 --option max_turns=30"
    limits = "--limit move_time=0.5 --limit fresh=true --limit clock=wall --seats 2"
    arena("init", tmp_path, "random", "rusher", *GUERRA, *words.split(), *limits.split())
    league = read_league(tmp_path)
    settings = league.settings
    assert (settings.deals, settings.seed, settings.share) == (3, "ode", 0.5)
    assert (settings.rotations, settings.seats) == ("one", 2)
    assert league.options["max_turns"] == 30
    assert (league.limits.move_time, league.limits.clock) == (0.5, "wall")
    assert league.limits.fresh


def test_any_word_is_a_seed_and_who_names_none_gets_another_each_time(
    arena: Arena, tmp_path: Path
) -> None:
    seeds = ["7", "007", "-7", "9" * 30, "9" * 5000, "", "٣", None, None]
    found = []
    for number, seed in enumerate(seeds):
        words = () if seed is None else ("--seed", seed)
        folder = tmp_path / str(number)
        assert arena("init", folder, "random", "rusher", *GUERRA, *words).exit_code == 0
        found.append(str(read_league(folder).settings.seed))
    assert found[:1] + found[2:6] == seeds[:1] + seeds[2:6]
    assert (found[1] in ("007", "7"), found[6] in ("٣", "3")) == (True, True)
    assert found[-1] != found[-2]


@pytest.mark.slow
def test_a_league_made_beside_a_bot_of_ones_own_is_played_as_help_says(tmp_path: Path) -> None:
    """`arena init cup --game guerra sensible random ./my_bot`, then run, rank, and more deals."""
    program = tmp_path / "my_bot"
    program.write_text("#!/bin/sh\nexec /bin/false\n")
    program.chmod(0o755)
    run_arena("init", "cup", *GUERRA, "rusher", "random", "./my_bot", "--deals", "1", cwd=tmp_path)
    run = run_arena("run", "cup", cwd=tmp_path)
    assert "my_bot is suspended" in run.stderr
    run_arena("rank", "cup", cwd=tmp_path)
    file = tmp_path / "cup" / "league.toml"
    file.write_text(file.read_text().replace("deals = 1", "deals = 2"))
    again = run_arena("run", "../" + tmp_path.name + "/cup", cwd=tmp_path)
    assert again.stderr.startswith("10 matches to play")
    with Store(tmp_path / "cup" / "league.db") as store:
        versions = {bot.version for match in store.matches() for bot in match.bots}
    assert len(versions) == 2


@pytest.mark.parametrize(
    ("word", "seconds"), [("90s", 90), ("30m", 1800), ("2h", 7200), ("1h1m1s", 3661)]
)
def test_a_time_has_hours_minutes_and_seconds(word: str, seconds: float) -> None:
    assert seconds_of(word) == seconds


@pytest.mark.parametrize("word", ["", "90", "0s", "0h0m", "1m1h", "-1s", "1.5h", "1234567s"])
def test_what_is_no_time_is_refused(word: str) -> None:
    with pytest.raises(click.BadParameter, match="is no time such as 90s"):
        seconds_of(word)


def test_a_run_tells_the_plan_first_and_prints_nothing_but_the_table(league: League) -> None:
    league.write(FILE + TWO_BOTS)
    run = league.call("run", "--workers", "1", "--format", "json")
    plan, warning, progress = run.stderr.splitlines()
    assert re.fullmatch(r"4 matches to play, about .* 1 worker\.", plan)
    assert "unprotected" in warning
    assert re.fullmatch(r"4 of 4 matches, .*\d+/s.*, 0 faults", progress)
    assert run.stdout == league.rank()


def test_more_deals_and_bots_are_played_without_the_old_ones(league: League) -> None:
    league.write(FILE + TWO_BOTS)
    league.call("run")
    before = league.stored()
    league.write(FILE.replace("deals = 2", "deals = 3") + TWO_BOTS + league.bot("new", RANDOM))
    run = league.call("run")
    assert run.stderr.startswith("14 matches to play, about")
    after = league.stored()
    assert len(after) == 18
    assert all(match in after for match in before)


def test_another_version_of_a_bot_plays_anew_and_the_old_results_stay(league: League) -> None:
    league.write(FILE + TWO_BOTS + league.bot("mine", "import no_such_module"))
    assert "mine is suspended" in league.call("run").stderr
    (league.home / "mine" / "bot.py").write_text(RANDOM)  # it was repaired before it played
    assert "has changed" not in league.call("rank").stdout
    assert league.call("run").stderr.startswith("8 matches to play")
    (league.home / "mine" / "bot.py").write_text(RANDOM + "# better\n")
    assert "mine has changed since it played: " in league.call("rank").stdout
    run = league.call("run", "--format", "json")
    assert run.stderr.startswith("mine has changed since it played: ")
    assert "\n8 matches to play" in run.stderr
    assert league.count() == 20
    assert "has changed" not in league.call("rank").stdout
    rows = json.loads(run.stdout)["standings"]
    assert {row["matches"] for row in rows} == {8}


# --- a terminal


@pytest.mark.slow
def test_a_terminal_shows_how_the_run_is_getting_on(league: League) -> None:
    bots = [league.bot(name, STEADY.format(pause=0.2)) for name in ("ada", "bob")]
    league.write(FILE.replace("deals = 2", "deals = 5") + "".join(bots))
    with at_terminal("run", league.folder, "--workers", "1", TERM="xterm") as terminal:
        assert terminal.end() == 0
    shown = re.split(r"[\r\n]+", re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", terminal.shown))
    bars = [line for line in shown if "/10" in line]
    assert any("10/10" in line for line in bars)
    under_way = [line for line in bars if re.search(r"\b[1-9]/10", line)]
    assert any(re.search(r"\d\d:\d\d:\d\d", line) for line in under_way)  # time left
    assert all(re.search(r"\d+/(s|min)", line) for line in under_way)
    assert all("0 faults" in line for line in under_way)
    assert all(len(line) <= 80 for line in bars)


def test_a_terminal_shows_the_table_that_a_pipe_gets(arena: Arena, played: Path) -> None:
    with at_terminal("rank", played) as terminal:
        assert terminal.end() == 0
    assert terminal.shown == arena("rank", played).stdout


# --- matches and show


NOTES = """
import json, sys
import kit, guerra_random
def choose(ask):
    ask.note = "thinking"
    return guerra_random.choose(ask)
kit.run(choose, on_start=lambda match: print("hello from", match.seat))
"""


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> League:
    """A played league with a bot that takes notes; not to be changed."""
    league = League(tmp_path_factory.mktemp("noted"))
    league.is_inline = True
    league.write(FILE + TWO_BOTS + league.bot("scribe", NOTES))
    with inline_runs():
        league.call("run")
    return league


def test_matches_may_be_narrowed_to_a_bot_and_to_those_in_which_it_was_at_fault(
    arena: Arena, noted: League, played: Path
) -> None:
    def found(league: Path, *words: object) -> list[dict[str, Any]]:
        shown = arena("matches", league, *words, "--format", "json").stdout
        return list(json.loads(shown)["matches"])

    every = found(noted.folder)
    mine = found(noted.folder, "--bot", "scribe")
    assert (len(every), len(mine)) == (12, 8)
    assert mine == [row for row in every if "scribe" in {seat["bot"] for seat in row["seats"]}]
    none = "\nNo match was played in which a bot had a fault.\n"
    assert arena("matches", noted.folder, "--faulty").stdout.endswith(none)
    assert found(played, "--bot", "one")
    assert found(played, "--bot", "one", "--faulty") == []
    own = found(played, "--bot", "illegal", "--faulty")
    assert own == found(played, "--bot", "illegal")
    limited = arena("matches", played, "--bot", "illegal", "--faulty", "--limit", 1).stdout
    assert f"The first 1 of {len(own)} matches; --limit 0 lists all." in limited
    assert own[0]["match"] in limited


def test_show_tells_every_move(arena: Arena, noted: League) -> None:
    for match, replay in noted.stored():
        text = arena("show", noted.folder, match.id).stdout
        names = [match.bots[entry.seat].name for entry in replay.entries]
        assert MOVE.findall(text) == [(str(at), name) for at, name in enumerate(names, 1)]
        assert f"Match {match.id}: guerra, deal {match.number}" in text
        assert f"Ended: {match.reason}" in text
        for seat, (bot, place) in enumerate(zip(match.bots, match.places, strict=True)):
            assert re.search(rf"^ *{place}  {bot.name} +{seat}  ", text, re.MULTILINE)
        if "scribe" in names:
            assert text.count("note: thinking") == names.count("scribe")
            assert "  hello from" in text
    with_tables = arena("show", noted.folder, match.id, "--tables").stdout
    assert with_tables.count("\n") > text.count("\n") + len(replay.entries)


# --- what bots write


EVIL = "\\x1b]0;pwned\\x07\\x1b[2J\\x9b31m\\u202e"
FORGED = "\\nEnded: pwned\\r\\u2028  1. forged (seat 0)"
HOSTILE = f"""
import json, sys
import kit, guerra_random
asks = 0
def choose(ask):
    global asks
    asks += 1
    sys.stderr.write("{EVIL}{FORGED}")
    ask.note = "{EVIL}{FORGED}"
    return {{"{EVIL}": 1}} if asks == 2 else guerra_random.choose(ask)
kit.run(choose)
"""
NEVER_READY = f"""
import json
input()
print(json.dumps({{"type": "ready", "{EVIL}{FORGED}": 1}}), flush=True)
input()
"""
TALKER = f"""
import kit, cold_war_random
def choose(ask):
    return {{"say": "{EVIL}{FORGED}"}} if ask.decision == "talk" else cold_war_random.choose(ask)
kit.run(choose)
"""


def assert_harmless(text: str) -> None:
    """Fail if a terminal would obey any of the text, or a reader take it for our own words."""
    assert "pwned" in text
    assert not [char for char in text if not char.isprintable() and char != "\n"]
    assert "\nEnded: pwned" not in text
    assert "\n  1. forged" not in text


@pytest.fixture
def hostile(league: League) -> League:
    """A played league with bots that write to the terminal of whoever looks."""
    bots = league.bot("evil", HOSTILE) + league.bot("late", NEVER_READY)
    league.write(FILE.replace("deals = 2", "deals = 1") + TWO_BOTS + bots)
    return league


def test_nothing_a_bot_writes_commands_the_terminal_of_a_run_or_of_show(
    hostile: League, arena: Arena
) -> None:
    run = hostile.call("run", "--workers", "1")
    assert "late is suspended for this run" in run.stderr
    assert_harmless(run.stderr)
    told = [arena("show", hostile.folder, match.id).stdout for match, _ in hostile.stored()]
    assert any("FAULT of evil: illegal" in text for text in told)
    for text in told:
        if "[evil]" in text:
            assert_harmless(text)
            assert len(re.findall(r"^Ended: ", text, re.MULTILINE)) == 1


@pytest.mark.slow
def test_nothing_a_bot_writes_commands_the_terminal_of_play(hostile: League, arena: Arena) -> None:
    for folder in (hostile.home / "evil", hostile.home / "late"):
        (folder / "bot.toml").write_text('command = ["{python}", "bot.py"]')
    words = ["guerra", "random", "--sandbox", "none", "--option", "max_turns=20"]
    played = arena("play", *words, hostile.home / "evil", "--seed", 1)
    assert played.exit_code == 0
    assert_harmless(played.stdout)
    assert_harmless(played.stderr)
    failed = arena("play", *words, hostile.home / "late")
    assert failed.exit_code == 2
    assert_harmless(failed.stderr)


def test_nothing_a_bot_says_at_the_table_commands_the_terminal(
    league: League, arena: Arena
) -> None:
    league.bot("talker", TALKER)
    (league.home / "talker" / "cold_war_random.py").write_bytes(
        (ROOT / "bots" / "cold_war" / "cold_war_random.py").read_bytes()
    )
    (league.home / "talker" / "bot.toml").write_text('command = ["{python}", "bot.py"]')
    words = ["--sandbox", "none", "--option", "talk=true", "--option", "max_rounds=1"]
    bots = [league.home / "talker", *["random"] * 3]
    assert_harmless(arena("play", "cold_war", *bots, *words).stdout)


# --- play and demo


def test_play_draws_the_match(arena: Arena) -> None:
    short = ("--option", "max_turns=20", "--seed", "7")
    result = arena("play", "guerra", "sensible", "random", "--sandbox", "none", *short)
    assert result.exit_code == 0
    assert result.stdout.startswith("guerra, seed 7: sensible, random\n")
    assert "[sensible] " in result.stdout
    assert "\nEnded: " in result.stdout
    assert "unprotected" in result.stderr


def test_a_run_says_beforehand_what_memory_its_bots_need(
    arena: Arena, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = league.bot("one", RANDOM) + league.bot("two", RANDOM)
    for name in ("one", "two"):
        as_process(league.home / name)
    league.write(FILE.replace("deals = 2", "deals = 1") + bots)
    monkeypatch.setattr("arena.cli.leagues.available", lambda: 40_000_000)
    said = arena("run", league.folder, "--workers", "1").stderr
    assert re.search(
        r"^The bots' processes need about \d\d MB: 1 worker with up to 4 each. 40 MB are free;",
        said,
        re.MULTILINE,
    )
    monkeypatch.setattr("arena.cli.leagues.available", lambda: 4_000_000_000)
    league.write(FILE + bots)
    assert "need about" not in arena("run", league.folder, "--workers", "1").stderr


def test_play_names_a_bot_that_does_not_start_and_shows_what_it_wrote(
    arena: Arena, league: League
) -> None:
    league.bot("broken", "raise RuntimeError('no book')")
    (league.home / "broken" / "bot.toml").write_text('command = ["{python}", "bot.py"]')
    result = arena("play", "guerra", "random", league.home / "broken", "--sandbox", "none")
    assert result.exit_code == 2
    assert "bot 'broken': it did not say ready: it exited with code 1" in result.stderr
    assert "RuntimeError: no book" in result.stderr


@pytest.mark.slow
def test_the_demo_shows_what_the_readme_does_and_leaves_nothing(public: Path) -> None:
    demo = run_arena("demo", cwd=public)
    screen = (ROOT / "README.md").read_text().partition("$ make demo\n")[2].partition("```")[0]
    _, title, table, _ = (piece.strip() for piece in screen.split("...\n"))
    assert title in demo.stdout
    assert table in demo.stdout, f"{demo.stdout}{demo.stderr}"
    assert "unprotected" not in demo.stderr
    assert "new mine --lang python --game khan for a bot of your own." in demo.stderr
    assert list(public.iterdir()) == []
