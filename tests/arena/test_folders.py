"""Who has a folder now: a run, or the server that keeps a league open."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.folders import SERVED, User, holder, locked, player_of
from protocol.errors import ArenaError

LOCKER = """
import sys
from pathlib import Path
from arena.folders import locked
with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


@contextmanager
def other_has(folder: Path) -> Iterator[int]:
    """Let another process, started by this one, have a folder; yield its pid."""
    words = [sys.executable, "-c", LOCKER, folder]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == b"locked\n"
        yield process.pid
        process.stdin.close()


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """The folder of a league that was served once, with its final."""
    (tmp_path / "cup" / SERVED).mkdir(parents=True)
    (tmp_path / "cup" / "final").mkdir()
    return tmp_path / "cup"


def test_nobody_plays_or_a_run(cup: Path) -> None:
    assert player_of(cup) is holder(cup) is None
    with other_has(cup) as run:
        assert player_of(cup) == User(run, is_server=False)
        assert holder(cup) == run  # without a try of its lock
        with pytest.raises(ArenaError, match=rf"by another run or import \(process {run}\); wait"):
            locked(cup).__enter__()
    assert holder(cup) is None


def test_a_server_plays_its_league_and_the_final_whether_a_match_is_played_or_not(
    cup: Path,
) -> None:
    server = User(os.getpid(), is_server=True)
    with locked(cup / SERVED, "server"):
        for folder in (cup, cup / "final"):
            assert player_of(folder) == server
            with other_has(folder):  # as its player has
                assert player_of(folder) == server
                with pytest.raises(ArenaError) as caught:
                    locked(folder).__enter__()
                assert str(caught.value) == (
                    f"`arena serve` plays {folder} (process {os.getpid()}), and what is missing by "
                    f"itself; stop it first."
                )


def test_a_run_that_began_before_the_server_is_a_run(cup: Path) -> None:
    with other_has(cup / SERVED), other_has(cup) as run:
        assert player_of(cup) == User(run, is_server=False)
