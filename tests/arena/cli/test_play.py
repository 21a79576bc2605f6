"""A match in the terminal: step by step, through a seat's eyes, or as the lines of the wire."""

import json
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.archive.saved import read_match
from arena.cli.stepping import Pauses
from arena.league.finding import BUNDLED
from referee.games import GAMES
from referee.match.evidence import Evidence
from tests.arena.conftest import Arena
from tests.arena.terminal import at_terminal, bots_of
from tests.golden import Golden
from tests.referee.process_watch import until

NaughtyBot = Callable[..., Path]

UNSANDBOXED = ("--sandbox", "none")
PROMPT = "q: stop > "
MATCH = ("play", "guerra", "sensible", "random", "--seed", "4")
TABLE = re.compile(r"^(?:Opening|Turn \d+ of \d+), ", re.MULTILINE)
MOVE = re.compile(r"^\[\w+\] ", re.MULTILINE)


@pytest.fixture
def naughty_bot(public: Path) -> NaughtyBot:
    """Make the folder of a bot that misbehaves."""

    def make(name: str, *arguments: object) -> Path:
        folder = public / name
        shutil.copytree(BUNDLED / "naughty", folder, ignore=shutil.ignore_patterns("__pycache__"))
        command = json.dumps(["{python}", f"{name}.py", *map(str, arguments)])
        (folder / "bot.toml").write_text(f'name = "{name}"\ncommand = {command}\n')
        return folder

    return make


# --- step by step


@pytest.mark.slow
def test_each_step_shows_the_table_and_then_one_decision_and_a_number_so_many(
    arena: Arena, tmp_path: Path
) -> None:
    match = (*MATCH, "--option", "max_turns=10")
    with at_terminal(*match, "--step", "--save", tmp_path / "left.json") as left:
        shown = left.until(PROMPT)
        for word in ("next", "0", "-3", "²"):
            left.type(f"{word}\n")
            said = f"{word!r} does nothing here: press Enter, or type a number, f, g or q."
            assert said in left.until(PROMPT)
        left.type("q\n")
        assert left.end() == 1
    assert left.shown.endswith("arena: the match was stopped before its end.\n")
    assert list(tmp_path.iterdir()) == []
    assert all(len(line) <= 80 for line in left.shown.splitlines())
    with at_terminal(*match, "--step") as terminal:
        for _ in range(3):
            shown = terminal.until(PROMPT)
            assert len(TABLE.findall(shown)) == len(MOVE.findall(shown)) == 1
            assert TABLE.search(shown).start() < shown.index("] ")  # type: ignore[union-attr]
            terminal.type("\n")
        terminal.until(PROMPT)
        terminal.type("5\n")
        assert len(MOVE.findall(terminal.until(PROMPT))) == 5
        terminal.type("g\n")
        assert terminal.end() == 0
    by_itself = arena(*match, "--pause", "0").stdout
    prompts = re.compile(r"^Enter: .*\n|\rwaiting for [^\r]*|\r\x1b\[K", re.MULTILINE)
    assert prompts.sub("", terminal.shown) == by_itself


def test_f_goes_on_to_the_next_fault_and_the_result_says_how_many_there_were(
    naughty_bot: NaughtyBot,
) -> None:
    bot = naughty_bot("malformed", 3)
    with at_terminal("play", "guerra", "random", bot, *UNSANDBOXED, "--step") as terminal:
        for _ in range(3):
            terminal.until(PROMPT)
            terminal.type("f\n")
        shown = terminal.until(PROMPT)
        assert "[malformed] by default: " in shown
        assert "\n  FAULT: malformed: " in shown
        assert "FAULT" not in terminal.shown[: terminal.shown.index("[malformed] by default")]
        terminal.type("g\n")
        assert terminal.end() == 0
    assert "\n  2. malformed (seat 1): 3 malformed, forfeits\n" in terminal.shown


@pytest.mark.slow
def test_while_a_match_waits_the_bots_are_frozen_and_the_end_of_input_ends_the_waiting() -> None:
    with at_terminal(*MATCH, "--step") as terminal:
        for keys in ("\n", "\n", "\x04"):
            terminal.until(PROMPT)
            until(lambda: set(bots_of(terminal).values()) == {"T"})
            terminal.type(keys)
        assert terminal.end() == 0
    assert terminal.shown.count(PROMPT) == 3
    assert "Ended: breakthrough\n  1. sensible (seat 0)" in terminal.shown
    assert "FAULT" not in terminal.shown


def test_pauses_are_taken_from_the_time_before_the_next_answer() -> None:
    pauses = Pauses([], lambda _: time.sleep(0.02))
    asked = [True, True, False, True]  # the third decision is made for a seat that forfeited
    for is_asked, count in zip(asked, (0, 2, 1, 0), strict=True):
        if is_asked:
            pauses.over()
        for _ in range(count):
            pauses(None)
    lags, none = [7, 10**6, 0, 10**7], {"stderr": [], "conversations": [], "burners": []}
    lag = pauses.taken_from(Evidence(cpu=[0] * 4, wall=[*map(int, asked)], lag=lags, **none)).lag
    assert lag[:3] == [7, 10**6, 0]
    assert lag[3] <= 10**7 - 3 * 20_000
    assert pauses.seconds >= 3 * 0.02


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--step"], ["--pause", "60"]], ids=lambda words: words[0])
def test_ctrl_c_ends_in_peace_and_leaves_no_process(words: list[str]) -> None:
    with at_terminal(*MATCH, *words) as terminal:
        terminal.until("[sensible] ")
        until(lambda: set(bots_of(terminal).values()) == {"T"})
        bots = bots_of(terminal)
        terminal.type("\x03")
        assert terminal.end() == 1
    assert len(bots) == 2
    assert terminal.shown.endswith("arena: interrupted.\n")
    assert not [pid for pid in bots if Path(f"/proc/{pid}").exists()]


# --- through the eyes of a seat


@pytest.mark.quick(1)
@pytest.mark.parametrize("game", ["cold_war", "guerra", "khan", "duel", "casino_war"])
def test_a_view_tells_the_moves_of_that_seat_alone(arena: Arena, game: str) -> None:
    bots = ["random"] * GAMES[game].seat_counts[0]
    result = arena("play", game, *bots, "--seed", "2", *UNSANDBOXED, "--view", "1")
    before, _, _ = result.stdout.partition("Ended: ")
    assert "[random#1] " in before
    assert "[random#0] " not in before


@pytest.mark.slow
def test_faults_of_others_are_told_after_the_end_of_a_view(
    arena: Arena, naughty_bot: NaughtyBot
) -> None:
    words = ("play", "guerra", naughty_bot("illegal"), "random", *UNSANDBOXED, "--seed", "1")
    own = arena(*words, "--view", "0").stdout
    assert own.index("FAULT: illegal") < [found.start() for found in TABLE.finditer(own)][-1]
    after = arena(*words, "--view", "1").stdout
    assert not any("FAULT" in table for table in TABLE.split(after)[:-2])
    assert after.count("FAULT: illegal") == 3


# --- the wire


def test_a_log_holds_the_lines_of_both_directions_as_they_were(
    arena: Arena, tmp_path: Path
) -> None:
    file = tmp_path / "match.json"
    result = arena(*MATCH, "--log", "--save", file)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    for seat in (0, 1):
        sent = arena("show", file, "--messages", "--seat", seat).stdout.splitlines()
        assert [line[4:] for line in lines if line.startswith(f"{seat} → ")] == sent
        heard = [json.loads(line[4:]) for line in lines if line.startswith(f"{seat} ← ")]
        entries = [entry for entry in read_match(file).replay.entries if entry.seat == seat]
        assert heard[0] == {"type": "ready"}
        for entry, reply in zip(entries, heard[1:], strict=True):
            assert entry.move is not None
            assert entry.move.items() >= reply["move"].items()
    assert all(re.match(r"[01] [→←] \{", line) for line in lines)
    assert "Ended: breakthrough" in result.stderr


def test_a_log_shows_what_is_wrong_and_harms_no_terminal(arena: Arena, public: Path) -> None:
    bot = public / "rude.sh"
    bot.write_text(
        '#!/bin/sh\nread -r hello\necho \'{"type":"ready"}\'\nread -r start\n'
        "read -r ask\nprintf '\\033[2J\\377 hm\\n'\nread -r ask\nprintf 'half'\n"
    )
    bot.chmod(0o755)
    result = arena("play", "guerra", bot, "random", *UNSANDBOXED, "--log")
    heard = [line for line in result.stdout.splitlines() if line.startswith("0 ← ")]
    assert heard == ['0 ← {"type":"ready"}', r"0 ← \x1b[2J\xff hm", "0 ← half"]
    assert "FAULT: malformed: " in result.stderr
    assert "FAULT: crash: " in result.stderr


def test_what_does_not_go_together_is_told(arena: Arena, golden: Golden) -> None:
    human = ("play", "guerra", "human", "random")
    for match, lines in (
        (MATCH, ("--step", "--step --pause 1", "--quiet --step", "--quiet --log", "--force")),
        (MATCH, ("--log --view 0", "--view 2", "--view -1", "--pause -1", "--pause nan")),
        (human, ("--step", "--pause 1", "--view 0")),
    ):
        for line in lines:
            result = arena(*match, *line.split())
            assert (result.exit_code, result.stdout) == (2, "")
            golden(result.stderr.rpartition("Error: ")[2].partition("-1.0 is")[0])
