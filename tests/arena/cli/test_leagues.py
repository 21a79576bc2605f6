"""The command line at work: leagues made, played and read, on pipes and on a terminal."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest

from arena.cli.options import seconds_of
from arena.store.opening import read_league
from tests.arena.conftest import ARENA, ROOT, STEADY, TWO_BOTS, Arena, League
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
# --- init and run


def test_init_tells_the_plan_and_what_comes_next(
    arena: Arena, tmp_path: Path, golden: Golden
) -> None:
    cup = tmp_path / "new" / "cup"
    result = arena("init", cup, "random", "mine=rusher", "sensible", *GUERRA, "--deals", "20")
    assert result.exit_code == 0
    assert result.stdout == f"{cup / 'league.toml'} is written.\nNext: arena run {cup}\n"
    [plan] = result.stderr.splitlines()
    assert plan.startswith("120 matches to play, with ")
    few = arena("init", tmp_path / "few", "random", "rusher", *GUERRA, "--deals", "2")
    golden(few.stderr.splitlines()[1])
    league = read_league(cup)
    assert [bot.name for bot in league.bots] == ["mine", "random", "sensible"]
    assert league.limits.sandbox == "none"


def test_any_word_is_a_seed_and_who_names_none_gets_another_each_time(
    arena: Arena, tmp_path: Path
) -> None:
    seeds, found = [["--seed", word] for word in ("7", "-7", "9" * 5000)], []
    for number, words in enumerate([*seeds, [], []]):
        arena("init", tmp_path / str(number), "random", "rusher", *GUERRA, *words)
        found.append(str(read_league(tmp_path / str(number)).settings.seed))
    *named, drawn, again = found
    assert named == [word for _, word in seeds]
    assert drawn != again


def test_a_time_has_hours_minutes_and_seconds() -> None:
    for word, seconds in (("90s", 90), ("30m", 1800), ("2h", 7200), ("1h1m1s", 3661)):
        assert seconds_of(word) == seconds
    for word in ("", "90", "0s", "0h0m", "1m1h", "-1s", "1.5h", "1234567s"):
        with pytest.raises(click.BadParameter, match="is no time such as 90s"):
            seconds_of(word)


def test_a_run_tells_the_plan_first_and_prints_nothing_but_the_table(league: League) -> None:
    league.write(FILE + TWO_BOTS)
    run = league.call("run", "--workers", "1", "--format", "json")
    plan, warning, progress = run.stderr.splitlines()
    assert plan == "4 matches to play, with 1 worker."
    assert "unprotected" in warning
    assert re.fullmatch(r"4 of 4 matches, .*\d+/s.*, 0 faults", progress)
    assert run.stdout == league.rank()


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
    bots = [league.bot(name, STEADY.format(pause=0.5)) for name in ("ada", "bob")]
    league.write(FILE.replace("deals = 2", "deals = 8") + "".join(bots))
    with at_terminal("run", league.folder, "--workers", "1", TERM="xterm") as terminal:
        assert terminal.end() == 0
    shown = re.split(r"[\r\n]+", re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", terminal.shown))
    bars = [line for line in shown if "/16" in line]
    assert any("16/16" in line for line in bars)
    under_way = [line for line in bars if re.search(r"\b(?!16/)[1-9]\d*/16", line)]
    assert any(re.search(r"about \d+ s left", line) for line in under_way)
    assert all(re.search(r"\d+/(s|min)", line) for line in under_way)
    assert all("0 faults" in line for line in under_way)
    assert all(len(line) <= 80 for line in bars)


def test_matches_may_be_narrowed_to_a_bot_and_to_those_in_which_it_was_at_fault(
    arena: Arena, played: Path
) -> None:
    def found(*words: object) -> list[dict[str, Any]]:
        shown = arena("matches", played, *words, "--format", "json").stdout
        return list(json.loads(shown)["matches"])

    own = found("--bot", "illegal", "--faulty")
    assert own == found("--bot", "illegal")
    assert {"illegal" in {seat["bot"] for seat in row["seats"]} for row in own} == {True}
    assert (len(found()), len(own), len(found("--bot", "one"))) == (12, 8, 8)
    none = arena("matches", played, "--bot", "one", "--faulty").stdout
    assert none.endswith("\none has played no match in which it had a fault.\n")
    limited = arena("matches", played, "--bot", "illegal", "--faulty", "--most", 1).stdout
    assert f"The first 1 of {len(own)} matches; --most 0 lists all." in limited
    assert own[0]["match"] in limited


def assert_harmless(text: str) -> None:
    """Fail if a terminal would obey any of the text, or a reader take it for our own words."""
    assert "pwned" in text
    assert not [char for char in text if not char.isprintable() and char != "\n"]
    assert "\nEnded: pwned" not in text
    assert "\n  1. forged" not in text


# --- what bots write


EVIL = "\\x1b]0;pwned\\x07\\x1b[2J\\x9b31m\\u202e\\nEnded: pwned\\r\\u2028  1. forged (seat 0)"
HOSTILE = f"""
import sys, kit, guerra_random as own
asks = []
def choose(ask):
    asks.append(1)
    if ask.decision == "talk":
        return {{"say": "{EVIL}"}}
    sys.stderr.write("{EVIL}")
    ask.note = "{EVIL}"
    return {{"{EVIL}": 1}} if len(asks) == 2 else own.choose(ask)
kit.run(choose)
"""
NEVER_READY = f"""
import json
input()
print(json.dumps({{"type": "ready", "{EVIL}": 1}}), flush=True)
input()
"""


@pytest.fixture
def hostile(league: League) -> League:
    """A league with bots that write to the terminal of whoever looks."""
    bots = league.bot("evil", HOSTILE) + league.bot("late", NEVER_READY)
    league.write(FILE.replace("deals = 2", "deals = 1") + TWO_BOTS + bots)
    for name in ("evil", "late"):
        (league.home / name / "bot.toml").write_text('command = ["{python}", "bot.py"]')
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


@pytest.mark.quick(1)
@pytest.mark.parametrize("game", ["cold_war", "guerra"])
def test_nor_of_play_nor_does_what_it_says_at_the_table(
    hostile: League, arena: Arena, game: str
) -> None:
    words = [game, "random", "--sandbox", "none", "--seed", 1, "--option"]
    if game == "cold_war":
        source = (ROOT / "bots" / "cold_war" / "cold_war_random.py").read_text()
        (hostile.home / "evil" / "guerra_random.py").write_text(source)
        words += ["talk=true", "--option", "max_rounds=1", "random", "random"]
        assert_harmless(arena("play", *words, hostile.home / "evil").stdout)
        return
    played = arena("play", *words, "max_turns=20", hostile.home / "evil")
    failed = arena("play", *words, "max_turns=20", hostile.home / "late")
    assert (played.exit_code, failed.exit_code) == (0, 2)
    for text in (played.stdout, played.stderr, failed.stderr):
        assert_harmless(text)


# --- play and demo


def test_a_run_says_beforehand_what_memory_its_bots_need(
    arena: Arena, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = league.bot("one", RANDOM) + league.bot("two", RANDOM)
    for name in ("one", "two"):
        as_process(league.home / name)
    league.write(FILE.replace("deals = 2", "deals = 1") + bots)
    monkeypatch.setattr("arena.cli.run.available", lambda: 40_000_000)
    said = arena("run", league.folder, "--workers", "1").stderr
    needed = r"^The bots' processes need about \d\d MB: 1 worker with up to 4 each. 40 MB are free;"
    assert re.search(needed, said, re.MULTILINE)
    monkeypatch.setattr("arena.cli.run.available", lambda: 4_000_000_000)
    league.write(FILE + bots)
    assert "need about" not in arena("run", league.folder, "--workers", "1").stderr


@pytest.mark.slow
def test_the_demo_shows_what_the_readme_does_and_leaves_nothing(public: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(public)}
    demo = subprocess.run(
        [*ARENA, "demo"], cwd=public, env=environment, capture_output=True, text=True, check=True
    )
    screen = (ROOT / "README.md").read_text().partition("$ make demo\n")[2].partition("```")[0]
    _, title, table, _ = (piece.strip() for piece in screen.split("...\n"))
    assert title in demo.stdout
    assert table in demo.stdout, f"{demo.stdout}{demo.stderr}"
    assert "unprotected" not in demo.stderr
    assert "new mine --lang python --game khan for a bot of your own." in demo.stderr
    assert list(public.iterdir()) == []
