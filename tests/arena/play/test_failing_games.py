"""Leagues whose game goes wrong, a program or code: that costs its match, and nothing else."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from arena.league.finding import BUNDLED
from tests.arena.conftest import ROOT, League
from tests.referee import process_watch
from tests.referee.process_watch import until

NIM = ROOT / "tests" / "referee" / "program" / "nim.py"

SLOW = """
import time, kit
def choose(ask):
    time.sleep({pause})
    return ask.legal[0]
kit.run(choose)
"""


def stones(league: League, wrong: str, *, pause: float = 0.0) -> Path:
    """Write a league of a game that is a program; return the folder of the game."""
    folder = league.home / "stones"
    folder.mkdir()
    shutil.copy(NIM, folder / "game.py")
    (folder / "game.toml").write_text(f'command = ["{{python}}", "game.py", "{wrong}"]\n')
    one = league.bot("one", (BUNDLED / "any" / "any_random.py").read_text())
    two = league.bot("two", SLOW.format(pause=pause))
    league.write(f'game = "../stones"\nseed = 1\ndeals = 12\n\n[limits]\n{one}{two}')
    return folder


def results(league: League) -> list[object]:
    return [(match.id, match.places, replay.entries) for match, replay in league.stored()]


@pytest.mark.slow
def test_what_was_played_before_a_failure_is_kept(league: League) -> None:
    """Of each deal, the first match ends well and the second goes wrong, before both are told."""
    stones(league, "second")
    ended = league.call("run", "--workers", "2", code=1)
    assert "one match is enough" in ended.stderr
    assert ended.stderr.count("was stopped by an error") == 1
    assert "has stopped 11 more matches." in ended.stderr
    assert "Traceback" not in ended.stderr
    assert league.count() == 12


@pytest.mark.slow
def test_a_killed_game_is_played_again_by_any_number_of_workers(league: League) -> None:
    mark = f"no fault of {league.home.name}"  # which no other test's program has
    stones(league, mark, pause=0.02)
    league.call("run", "--workers", "1")
    league.call("verify")
    whole = results(league)
    assert len(whole) == 24
    (league.folder / "league.db").unlink()
    running = league.start("run", "--workers", "2")
    until(lambda: league.count() >= 2, 20)
    games = [pid for pid in process_watch.processes() if mark in process_watch.command_line(pid)]
    assert games
    for pid in games:
        os.kill(pid, signal.SIGKILL)
    ended = league.finish(running, code=1)
    assert "is gone: it was killed by SIGKILL" in " ".join(ended.stderr.split())
    league.call("run")
    assert results(league) == whole
    assert league.is_left_clean()
