"""The runners that are compared, each as a function that plays matches and returns its seconds."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from arena.league.finding import KIT
from arena.league.settings import Settings
from arena.league.writing import make_league
from arena.store.store import Store
from tests.benchmarks.peers.play_game import OPTIONS

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
NAMES = ("one", "other")
SEATS = ("%DIR%/%P1%.exe", "%DIR%/%P2%.exe")  # as psyleague names the programs of a match
LIST = 20  # games of one call, where psyleague is given lists


class Contest(NamedTuple):
    """A game, and the shipped bot that plays it against itself; none: two programs in C."""

    game: str
    shipped: str | None = None


@dataclass
class Bench:
    """The folder all is played in, and the command of psyleague, if there is one."""

    folder: Path
    psyleague: str | None

    def environment(self) -> dict[str, str]:
        """Return one in which modules are compiled once, and outside of this tree."""
        kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        return kept | {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(self.folder / "cache")}

    def run(self, words: Sequence[str | Path], folder: Path) -> str:
        """Run a command in a folder; return what it printed."""
        done = subprocess.run(
            words, cwd=folder, env=self.environment(), capture_output=True, text=True
        )
        assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout

    def programs(self, contest: Contest) -> Path:
        """Return the folder of the two programs, made if it is not there."""
        folder = self.folder / f"{contest.game} {contest.shipped}"
        if folder.exists():
            return folder
        folder.mkdir()
        for salt, name in enumerate(NAMES, 1):
            program = folder / f"{name}.exe"
            if contest.shipped:
                source = ROOT / "bots" / contest.game / f"{contest.game}_{contest.shipped}.py"
                program.write_text(f"#!{sys.executable}\n{source.read_text()}")
                program.chmod(0o755)
                shutil.copy(KIT, folder)
            else:
                words = ["cc", "-O2", f"-DSALT={salt}", "-o", program, HERE / "bot.c"]
                subprocess.run(words, check=True)
        return folder


def call(contest: Contest, programs: Sequence[str], games: int | None = None) -> list[str]:
    """Return the words that start `play_game.py`."""
    words = [sys.executable, str(HERE / "play_game.py"), contest.game, *programs]
    return words if games is None else [*words, str(games)]


def arena_run(bench: Bench, folder: Path, contest: Contest, workers: int, matches: int) -> float:
    """Play a league of ours."""
    programs = bench.programs(contest)
    entries: list[dict[str, Any]] = [
        {"name": name, "shipped": contest.shipped}
        if contest.shipped
        else {"name": name, "folder": str(programs), "command": [f"./{name}.exe"]}
        for name in NAMES
    ]
    settings = Settings(game=contest.game, seats=2, seed=1, deals=matches // 2)
    league = make_league(folder / "league", settings, OPTIONS[contest.game], {}, entries)
    words = [sys.executable, "-m", "arena", "run", league.folder, "--workers", str(workers)]
    began = time.perf_counter()
    bench.run(words, folder)
    seconds = time.perf_counter() - began
    with Store(league.database) as store:
        assert store.count() == matches
    return seconds


def script(bench: Bench, folder: Path, contest: Contest, workers: int, matches: int) -> float:
    """Run as many loops in `play_game.py` as there are workers."""
    programs = [str(bench.programs(contest) / f"{name}.exe") for name in NAMES]
    words = call(contest, programs, matches // workers)
    began = time.perf_counter()
    loops = [
        subprocess.Popen(words, cwd=folder, env=bench.environment(), stdout=subprocess.PIPE)
        for _ in range(workers)
    ]
    said = [loop.communicate()[0] for loop in loops]
    seconds = time.perf_counter() - began
    assert sum(len(json.loads(each)) for each in said) == matches
    return seconds


def psyleague(bench: Bench, folder: Path, contest: Contest, workers: int, matches: int) -> float:
    """Play a league of psyleague's, a match for each call."""
    line = " ".join(call(contest, SEATS))
    return _league(bench, folder, contest, workers, matches, line)


def psyleague_lists(
    bench: Bench, folder: Path, contest: Contest, workers: int, matches: int
) -> float:
    """Play a league of psyleague's, many matches for each call."""
    line = " ".join(call(contest, SEATS, LIST))
    return _league(bench, folder, contest, workers, matches, line)


def psyleague_alone(
    bench: Bench, folder: Path, contest: Contest, workers: int, matches: int
) -> float:
    """Run psyleague with a call that takes no time: it prints a result at once."""
    told = {"ranks": [1, 2], "errors": [0, 0], "test_data": {}, "player_data": [{}, {}]}
    (folder / "told").write_text(json.dumps(told))
    return _league(bench, folder, contest, workers, matches, "cat told")


def _league(
    bench: Bench, folder: Path, contest: Contest, workers: int, matches: int, line: str
) -> float:
    assert bench.psyleague
    programs = bench.programs(contest)
    bench.run([bench.psyleague, "config"], folder)
    config = folder / "psyleague.cfg"
    text = config.read_text()
    for key, value in {
        "n_workers": str(workers),
        "cmd_bot_setup": json.dumps("cp '%SRC%' %DIR%/%NAME%.exe"),
        "cmd_play_game": json.dumps(line),
    }.items():
        text = re.sub(rf"(?m)^{key} = .*$", lambda _, entry=f"{key} = {value}": entry, text)
    config.write_text(text)
    for name in NAMES:
        bench.run([bench.psyleague, "bot", "add", name, "-s", programs / f"{name}.exe"], folder)
    if contest.shipped:
        shutil.copy(programs / "kit.py", folder / "bots")
    began = time.perf_counter()
    bench.run([bench.psyleague, "run", "--silent", "--games", str(matches)], folder)
    seconds = time.perf_counter() - began
    games = [json.loads(game) for game in (folder / "psyleague.games").read_text().splitlines()]
    assert len(games) >= matches
    assert not any(sum(game["errors"]) for game in games)
    return seconds


class Took(NamedTuple):
    """Seconds on the wall, and of CPU time by all processes that have ended."""

    wall: float
    cpu: float


class Runner(NamedTuple):
    """A way to play, and how many matches a short and a long run have for each worker."""

    play: Callable[[Bench, Path, Contest, int, int], float]
    short: int
    long_in_c: int
    long_in_python: int

    def long(self, contest: Contest) -> int:
        """Return the matches of a long run; bots in Python start slowly."""
        return self.long_in_python if contest.shipped else self.long_in_c

    def run(self, bench: Bench, contest: Contest, workers: int, matches: int) -> Took:
        """Play so many matches for each worker, in a folder of their own."""
        with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
            Path(folder).chmod(0o755)
            before = os.times()
            wall = self.play(bench, Path(folder), contest, workers, matches * workers)
            after = os.times()
        cpu = after.children_user + after.children_system
        return Took(wall, cpu - before.children_user - before.children_system)

    def pace(self, contest: Contest, workers: int, short: Took, long: Took) -> tuple[float, float]:
        """Return matches a second, and CPU milliseconds a match, of a short and a long run."""
        matches = (self.long(contest) - self.short) * workers
        return matches / (long.wall - short.wall), 1e3 * (long.cpu - short.cpu) / matches
