"""Bots at home that do what bots should not: what the league is told, and that nothing is left."""

import json
import signal
import time

import pytest

from tests.arena.home.conftest import HELLO, Homes, ask, move, start
from tests.arena.home.league_side import Served
from tests.referee.process_watch import gone, until
from tests.referee.sandbox.sandboxed import need

READY = 'import os, sys\nprint(\'{"type": "ready"}\', flush=True)\nsys.stdin.readline()\n'
"""Says ready, and waits for what follows the hello."""
ENDS = {
    "exits": ("sys.exit('no \\x1b[2J book')", "exited with code 1"),
    "is killed": ("os.kill(os.getpid(), 9)", "was killed by SIGKILL"),
    "closes its output": ("os.close(1)\nsys.stdin.read()", "closed its standard output"),
    "answers and exits": ("print('{}', flush=True)\nsys.exit(3)", "exited with code 3"),
    "writes no newline": (
        "print('x' * 70_000, end='', flush=True)\nsys.stdin.read()",
        "wrote a line of more than 65536 bytes",
    ),
    "writes no UTF-8": (
        "os.write(1, b'\\xff\\xfe\\n')\nsys.stdin.read()",
        "wrote a line that is not UTF-8",
    ),
}
"""What a copy does once it has read an ask, and how it is said to have ended."""


@pytest.mark.quick(3)
@pytest.mark.parametrize("how", ENDS)
def test_a_copy_that_ends_is_told_with_its_words(homes: Homes, league: Served, how: str) -> None:
    source, words = ENDS[how]
    homes.write(f"{READY}sys.stdin.readline()\n{source}\n")
    home, side = homes.playing(), league.side
    [pid] = home.bots()
    side.say(1, start("3f2a-1"))
    side.say(1, ask(1))
    told = side.gone(1)
    assert told.how == words
    assert how != "exits" or "no \x1b[2J book" in told.stderr
    assert "arena-stage" not in told.stderr
    assert gone(pid)
    home.until(f"match 3f2a-1: it {words}")
    assert "\x1b" not in home.said
    side.begin(2)
    side.asked(2, HELLO)
    assert len(side.lines(1)) == (2 if how == "answers and exits" else 1)


def test_the_end_of_a_standard_error_is_bounded(homes: Homes, league: Served) -> None:
    source = "sys.stdin.readline()\nsys.stderr.write('ü\\n' * 1_000_000)\nsys.exit(2)\n"
    homes.write(READY + source)
    home = homes.playing()
    league.side.say(1, start("m" * 2000))
    league.side.say(1, ask(1))
    assert len(league.side.gone(1).stderr) <= 4000
    home.until("it exited with code 2")
    assert len(home.said) < 3000


def test_a_bot_that_floods_is_read_as_far_as_it_was_asked(homes: Homes, league: Served) -> None:
    homes.write(READY + "while True:\n    print('{}', flush=True)\n")
    home, side = homes.playing("--slots", 2), league.side
    for number in range(1, 6):
        assert side.asked(1, ask(number)) == "{}"
    time.sleep(0.3)
    assert len(side.lines(1)) == 6
    [pid] = home.bots()
    side.over(1)
    until(lambda: gone(pid))


@pytest.mark.slow
def test_a_bot_that_floods_its_standard_error_holds_nobody_up(homes: Homes, league: Served) -> None:
    source = "while line := sys.stdin.readline():\n    if 'flood' in line:\n        break\n"
    source += "    print('{}', flush=True)\nwhile True:\n    os.write(2, b'x' * 65536)\n"
    homes.write(READY + source)
    home = homes.connected("--slots", 2)
    side = league.side
    for copy in (1, 2):
        side.begin(copy)
        side.asked(copy, HELLO)
    side.say(1, "flood")
    for number in range(20):
        assert side.asked(2, ask(number)) == "{}"
    side.over(1)
    side.over(2)
    until(lambda: not home.bots())


def test_a_bot_that_ignores_all_signals_ends_with_its_match(homes: Homes, league: Served) -> None:
    source = "import signal, time\nfor each in (1, 2, 3, 13, 15):\n"
    source += "    signal.signal(each, signal.SIG_IGN)\nwhile True:\n    time.sleep(1)\n"
    homes.write(READY + source)
    home, side = homes.playing(), league.side
    side.say(1, ask(1))  # how long it may think is for the league to judge
    [pid] = home.bots()
    side.over(1)
    until(lambda: gone(pid))
    assert len(side.lines(1)) == 1
    side.begin(2)
    assert json.loads(side.asked(2, HELLO)) == {"type": "ready"}


@pytest.mark.slow
def test_more_matches_than_slots_wait_for_nothing(homes: Homes, league: Served) -> None:
    home = homes.connected("--slots", 4)
    side = league.side
    for copy in range(1, 9):
        side.begin(copy)
    pids = set()
    for copy in range(1, 9):
        side.asked(copy, HELLO)
        pids.add(move(side.asked(copy, ask(copy)))["pid"])
    assert pids == set(home.bots())
    assert len(pids) == 8
    for copy in range(1, 9):
        side.over(copy)
        side.begin(copy + 8)  # those that are ending make room
    for copy in range(9, 17):
        side.asked(copy, HELLO)
    until(lambda: len(home.bots()) == 8)


@pytest.mark.slow
def test_a_bot_that_never_gets_ready_is_not_sent(homes: Homes, league: Served) -> None:
    homes.write("import sys\nprint('lines', file=sys.stderr)\nsys.exit('no book')\n")
    said = homes.start().end(1)
    assert "bot 'sage' cannot play: it did not say ready: it exited with code 1" in said
    assert "Nothing was sent to the league." in said
    assert "no book" in said
    homes.write("import time\ntime.sleep(60)\n")
    (homes.folder / "bot.toml").write_text(
        'command = ["{python}", "bot.py"]\n[needs]\nstartup = 0.5\n'
    )
    assert "it did not say ready: no answer after" in homes.start().end(1)
    assert not league.side.headers


def test_a_bot_is_built_and_may_use_what_it_needs(homes: Homes, league: Served) -> None:
    need("landlock")
    (homes.folder / "bot.toml").write_text(
        'command = ["{python}", "made.py"]\nfiles = ["made.py"]\n'
        'build = ["cp", "bot.py", "made.py"]\n[needs]\nopen_files = 33\n'
    )
    limits = "import resource\nopen_files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]\n"
    source = "sys.stdin.readline()\nprint('{\"move\": %d}' % open_files, flush=True)\n"
    (homes.folder / "bot.py").write_text(limits + READY + source + "sys.stdin.readline()\n")
    home = homes.connected(sandbox="landlock")
    assert "building sage" in home.said
    league.side.begin(1)
    league.side.asked(1, HELLO)
    assert json.loads(league.side.asked(1, ask(1)))["move"] == 33


ASKED = "POST https://api.example.org/v1/chat/completions"


@pytest.mark.slow
def test_mistakes_in_a_bot_are_said(homes: Homes, league: Served) -> None:
    toml = homes.folder / "bot.toml"
    runs = '["{python}", "bot.py"]\n'
    for text, said, code in (
        ('["{remote}", "%s"]' % ("a" * 64), "this is what a league has of a remote bot", 2),
        (f'{runs}needs = {{ door = ["{ASKED}"] }}', f"needs a door for {ASKED}", 2),
        (f'{runs}build = ["false"]\nfiles = ["x"]', "cannot be built", 1),
        ('["./absent"]', "absent", 2),
    ):
        toml.write_text(f"command = {text}\n")
        assert said in homes.start().end(code)
    toml.unlink()
    assert "has no bot.toml" in homes.start().end(2)
    assert not league.side.headers


def test_nothing_is_left_when_it_is_killed(homes: Homes, league: Served) -> None:
    home = homes.playing()
    [pid] = home.bots()
    home.process.send_signal(signal.SIGKILL)
    until(lambda: gone(pid))
