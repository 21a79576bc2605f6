"""The messages of a match sent once more: byte for byte, and to bots that answer again."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import Result

from arena.league.finding import BUNDLED
from arena.store.rows import StoredMatch
from arena.store.store import Store
from referee.games import GAMES as RULES
from referee.match.replay import Replay
from tests.arena.conftest import TWO_BOTS, Arena, League, lazy_bot
from tests.arena.inline import inline_runs
from tests.arena.play.sandboxed_leagues import refused

pytestmark = pytest.mark.usefixtures("inline")

FILE = """\
game = "guerra"
seed = 1
deals = 2
options.max_turns = 20
limits = { sandbox = "none" }
"""
DIARIST = """
import os, sys
class Diary:
    def __init__(self):
        self.buffer = self
        self.theirs = sys.stdin.buffer
        self.pages = open(os.path.join({home!r}, f"diary-{{os.getpid()}}"), "wb", buffering=0)
    def __iter__(self):
        for line in self.theirs:
            self.pages.write(line)
            yield line
sys.stdin = Diary()
import kit
from {game}_random import choose
kit.run(choose, samples=0)
"""
"""A bot that plays a game at random and writes down what it reads."""

FRAGILE = """
import sys
import kit, guerra_random
def choose(ask):
    if ask.view["turn"] == {turn} and {broken}:
        raise RuntimeError("no plan for this turn")
    return guerra_random.choose(ask)
kit.run(choose)
"""
"""A bot that plays at random, but has no plan for one of the turns."""

GAMES = {
    "cold_war": "options = { talk = true, max_rounds = 6 }",
    "guerra": "options.max_turns = 20",
    "casino_war": "seats = 3",
    "khan": "seats = 3",
}


def feed(arena: Arena, league: League, match: StoredMatch, *words: object) -> Result:
    return arena("show", league.folder, match.id, *words)


def diarist(league: League, game: str, source: str = DIARIST) -> str:
    entry = league.bot("diarist", source.format(home=str(league.home), game=game))
    shutil.copy(BUNDLED / game / f"{game}_random.py", league.home / "diarist")
    with (league.home / "diarist" / "kit.py").open("a") as kit:
        kit.write("# of a process, which has a standard input\n")
    return entry


def diaries(home: Path) -> Iterator[list[bytes]]:
    """Yield what was read of every match in the diaries, beginning with the process's hello."""
    for file in home.glob("diary-*"):
        hello, *lines = file.read_bytes().splitlines(keepends=True)
        read: list[bytes] = []
        for line in lines:
            if line.startswith(b'{"type":"start"'):
                read = [hello]
            read.append(line)
            if line.startswith(b'{"type":"end"'):
                yield read


SAMPLED = DIARIST.replace(
    "from {game}_random import choose",
    "choose = lambda ask: ask.rng.choice(ask.legal or ask.samples)",
).replace(", samples=0", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "source"), [*((game, DIARIST) for game in GAMES), ("guerra", SAMPLED)]
)
def test_the_messages_are_byte_for_byte_those_of_the_match_and_answered_as_then(
    arena: Arena, league: League, game: str, source: str
) -> None:
    entry = diarist(league, game, source)
    others = "".join(f'\n[[bot]]\nname = "r{n}"\nshipped = "random"\n' for n in range(3))
    league.write(
        f'game = "{game}"\nseed = 5\ndeals = 1\n{GAMES[game]}\n'
        'limits = { sandbox = "none", bank = 3.0, increment = 0.25 }\n' + entry + others
    )
    league.call("run")
    read = list(diaries(league.home))
    assert len(read) == sum(
        "diarist" in [bot.name for bot in match.bots] for match, _ in league.stored()
    )
    samples = [line for lines in read for line in lines if b'"samples":[' in line]
    assert bool(samples) == (source == SAMPLED)
    for lines in read:
        start = json.loads(lines[1])
        words = ("show", league.folder, start["match"], "--seat", start["seat"])
        assert arena(*words, "--messages").stdout_bytes == b"".join(lines)
        if source == SAMPLED:
            assert "differently" not in arena(*words, "--feed", "diarist").stdout
            assert "differently" in arena(*words, "--feed", "r0").stdout


@pytest.mark.slow
def test_what_was_left_in_a_bank_is_right_to_the_millisecond(arena: Arena, league: League) -> None:
    source = DIARIST.replace("from {game}_random import choose", "import {game}_random").replace(
        "kit.run(choose, samples=0)",
        "def choose(ask):\n"
        "    sum(range(10**5 * (1 + len(ask.memory))))\n"
        "    ask.memory[len(ask.memory)] = 0\n"
        "    return {game}_random.choose(ask)\n"
        "kit.run(choose)",
    )
    limits = '{ sandbox = "none", move_time = 0.001, bank = 30.0, increment = 0.002 }'
    league.write(
        FILE.replace('{ sandbox = "none" }', limits) + diarist(league, "guerra", source) + TWO_BOTS
    )
    league.call("run")
    banks = []
    for lines in diaries(league.home):
        start = json.loads(lines[1])
        words = ("--messages", "--seat", start["seat"])
        sent = arena("show", league.folder, start["match"], *words).stdout.splitlines()
        for then, now in zip(lines, sent, strict=True):
            told, again = json.loads(then), json.loads(now)
            if told["type"] == "ask":
                bank = told["clock"].pop("bank")
                banks.append(bank)
                assert again["clock"].pop("bank") == pytest.approx(bank, abs=0.0011)
            assert again == told
    assert min(banks) < 29.99


@pytest.fixture(scope="module")
def fragile(tmp_path_factory: pytest.TempPathFactory) -> League:
    """A played league whose bot `mine` crashes in the fifth turn; its file may be changed."""
    league = League(tmp_path_factory.mktemp("fragile"))
    mine = league.bot("mine", FRAGILE.format(turn=5, broken=True))
    league.is_inline = True
    league.write(FILE + TWO_BOTS + mine)
    with inline_runs():
        league.call("run")
    return league


class Crash(NamedTuple):
    """A match in which the program `file` of `mine` crashed, and how it is shown."""

    match: StoredMatch
    replay: Replay
    seat: int
    file: Path
    show: Callable[..., Result]


@pytest.fixture
def crash(arena: Arena, fragile: League) -> Crash:
    file = fragile.home / "mine" / "bot.py"
    file.write_text(FRAGILE.format(turn=5, broken=True))
    match, replay = next(each for each in fragile.stored() if any(e.fault for e in each[1].entries))
    seat = [bot.name for bot in match.bots].index("mine")
    return Crash(match, replay, seat, file, partial(arena, "show", fragile.folder, match.id))


def test_a_bot_that_faults_in_one_position_does_so_again(crash: Crash) -> None:
    entries = crash.replay.entries
    at = next(n for n, entry in enumerate(entries, 1) if entry.fault is not None)
    asked = sum(entry.seat == crash.seat for entry in entries[:at])
    result = crash.show("--feed", "mine")
    assert result.exit_code == 1
    assert "then and now: FAULT: crash: orders: it exited with code 1" in result.stdout
    assert "RuntimeError: no plan for this turn" in result.stdout
    assert (
        f"{asked} decisions: {asked - 1} answered as recorded, 1 crash (decision {at}, "
        "as in the match: orders: it exited with code 1)"
    ) in result.stdout.replace("\n  ", " ")
    assert " * " not in result.stdout
    # a log holds both directions and nothing else
    sent = crash.show("--messages", "--seat", crash.seat).stdout.splitlines()
    result = crash.show("--feed", "mine", "--log")
    lines = [(line[:3], line[2:]) for line in result.stdout.splitlines()]
    assert {start for start, _ in lines} == {"→ {", "← {"}
    assert [line for start, line in lines if start == "→ {"] == sent[:-1]  # gone by the end
    answers = [json.loads(line).get("id") for start, line in lines if start == "← {"]
    assert answers == [None, *range(1, len(sent) - 3)]
    assert "RuntimeError: no plan for this turn" in result.stderr


def test_another_bot_is_told_from_the_one_that_played(crash: Crash) -> None:
    crash.file.write_text(FRAGILE.format(turn=5, broken=False))
    mended = crash.show("--feed", "mine")
    assert mended.exit_code == 0
    assert "mine now has version " in mended.stdout
    assert "then: FAULT: crash: orders: it exited with code 1" in mended.stdout
    assert "       now: " in mended.stdout
    assert "answered as recorded, 1 differently" in mended.stdout
    crash.file.write_text(FRAGILE.format(turn=0, broken=True))
    broken = crash.show("--feed", "mine")
    assert broken.exit_code == 1
    assert "0 answered as recorded, 1 crash (decision " in broken.stdout
    assert "not asked any more" in broken.stdout
    for seat, bot in enumerate(crash.match.bots):
        result = crash.show("--feed", "turtle", "--seat", seat)
        assert result.exit_code == 0
        assert f"seat {seat}, as {bot.name} was asked\nturtle answers now.\n" in result.stdout
        assert " differently" in result.stdout


def test_the_match_goes_on_after_an_illegal_answer(crash: Crash, tmp_path: Path) -> None:
    program = tmp_path / "fool"
    program.write_text(
        '#!/bin/sh\nread hello\necho \'{"type":"ready"}\'\nread start\nn=0\n'
        'while read ask; do n=$((n+1)); echo "{\\"id\\":$n,\\"move\\":{}}"; done\n'
    )
    program.chmod(0o755)
    seat = 1 - crash.seat
    result = crash.show("--feed", program, "--seat", seat)
    asked = sum(entry.seat == seat for entry in crash.replay.entries)
    assert result.exit_code == 1
    assert result.stdout.count("now: FAULT: illegal: ") == asked > 1
    assert result.stdout.count(" * ") == result.stdout.count('its line: {"id":') == asked
    verdict = f"{asked} decisions: 0 answered as recorded, {asked} illegal (first decision "
    assert verdict in result.stdout.replace("\n  ", " ")


def test_a_renamed_bot_gets_the_dice_of_its_first_name(arena: Arena, league: League) -> None:
    league.write(FILE + TWO_BOTS)
    league.call("run")
    match, _ = league.stored()[0]
    league.write(FILE + TWO_BOTS.replace('"one"', '"zero"\nkey = "one"'))
    result = feed(arena, league, match, "--feed", "zero")
    assert result.exit_code == 0
    assert " answered as recorded\n" in result.stdout
    assert " differently" not in result.stdout


@pytest.mark.slow
def test_a_seat_that_was_never_asked_is_told_and_fed(arena: Arena, league: League) -> None:
    league.write(FILE.replace('"none"', '"none", fresh = true') + lazy_bot(league) + TWO_BOTS)
    league.call("run")
    match = next(match for match, _ in league.stored() if match.forfeits)
    seat = [bot.name for bot in match.bots].index("lazy")
    shown = feed(arena, league, match).stdout
    assert "FAULT of lazy: startup: it did not say ready: it exited with code 1" in shown
    assert f"Standard error of lazy (seat {seat}):\n  no book" in shown
    assert "startup, forfeits" in shown
    result = feed(arena, league, match, "--feed", "lazy")
    assert result.exit_code == 1
    assert "bot 'lazy': it did not say ready: it exited with code 1" in result.stderr
    assert "no book" in result.stderr
    (league.home / "gone").unlink()  # it starts again
    result = feed(arena, league, match, "--feed", "lazy")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "The seat was not asked in this match."


def test_mistakes_are_told_in_a_line_and_rules_of_another_version_cannot_be_fed(
    crash: Crash, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(crash.show("--feed", "nobody"), "there is no bot 'nobody'")
    refused(crash.show("--feed", "turtle"), "say which --seat: 'turtle' did not")
    refused(crash.show("--feed", "mine", "--seat", 7), "has no seat 7")
    monkeypatch.setattr(RULES["guerra"], "rules_version", 99)
    refused(crash.show("--feed", "mine"), "played by version 1 of the rules")
    refused(crash.show("--messages", "--seat", 0), "Use the release that played")
    told = crash.show().stdout
    assert told.count("Moves as they were recorded: this replay was played by version 1") == 1
    assert told.count('] {"') == len(crash.replay.entries) - 1
    assert "FAULT of mine: crash: " in told


def test_a_sandbox_that_is_not_there_is_not_done_without(arena: Arena, copy: Path) -> None:
    with closing(sqlite3.connect(copy / "league.db")) as db, db:
        db.execute("UPDATE setting SET value = replace(value, '\"none\"', '\"bwrap\"')")
    with Store(copy / "league.db") as store:
        first = next(store.matches()).id
    words = ("show", copy, first, "--feed", "random", "--seat", 0)
    refused(arena(*words, env={"PATH": "/nowhere"}), "sandbox: bwrap not found. ")
