"""What packages cost: to make an environment, and from a bot's start to its first reply.

    python -m tests.benchmarks.packages [REQUIREMENT...]

Wheels are fetched. For each requirement it prints how long its environment takes to be made, how
large it is, and how long a look takes whether all its files are as they were; then the seconds from
the start to `ready`: of the environment's interpreter by itself, and of a bot in each sandbox, the
first time and the median of five later ones.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from arena.author.new import write_bot
from arena.environment.manifest import what_changed
from arena.environment.settings import EnvironmentSettings
from arena.league.bot import Bot
from arena.league.finding import bot_folder
from arena.play.building import Builder
from referee.games import GAMES
from referee.limits import Limits, WorkLimits
from referee.sandbox import Launcher
from referee.sandbox.kept import size_of
from referee.starting import start_bot

MEASURES = (
    "arena/environment referee/sandbox/bwrap.py referee/sandbox/fork_server.py "
    "referee/sandbox/landlock.py referee/sandbox/launcher.py referee/sandbox/mounts.py "
    "referee/sandbox/stage.py referee/sandbox/starter.py referee/sandbox/uid.py"
)
USUAL = ("numpy", "onnxruntime", "torch")
HELLO = b'{"type":"hello","protocol":1,"name":"mine"}\n'
LIMITS = {"memory_mb": 4096, "startup": 120.0, "open_files": 256}
LATER = 5


def seconds(act: Callable[[], object]) -> float:
    """Return how long something takes."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def plain(bot: Bot) -> None:
    """Start a bot's command without any sandbox, and wait until it is ready."""
    environment = {"PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        bot.program.argv,
        cwd=bot.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(HELLO)
        process.stdin.flush()
        assert b"ready" in process.stdout.readline()
        process.stdin.close()
        process.kill()


def measured(requirement: str, base: Path) -> str:
    """Return the row of one requirement."""
    folder = base / requirement.partition("=")[0]
    write_bot(folder, "python", GAMES["duel"], packages=[requirement])
    with Builder(WorkLimits(), None, EnvironmentSettings(fetch=True)).open() as builder:
        locking = seconds(lambda: builder.environments.locked(folder))
        began = time.perf_counter()
        built = builder.built(bot_folder(folder))
        making = time.perf_counter() - began
    bot = built.bot
    environment = Path(bot.environment)
    look = median(seconds(lambda: what_changed(environment)) for _ in range(LATER))
    figures = [locking, making, size_of(environment) / 1e6, look]
    figures += [
        seconds(lambda: plain(bot)),
        median(seconds(lambda: plain(bot)) for _ in range(LATER)),
    ]
    for sandbox in ("landlock", "bwrap"):
        limits = Limits(sandbox=sandbox, **LIMITS)  # type: ignore[arg-type]
        with Launcher(sandbox) as launcher:
            start = partial(start_bot, launcher, bot.program, limits, "mine")
            took = [seconds(lambda: start().stop()) for _ in range(1 + LATER)]  # noqa: B023
        figures += [took[0], median(took[1:])]
    return f"| {requirement} | " + " | ".join(f"{figure:.2f}" for figure in figures) + " |"


def main(requirements: list[str]) -> None:
    """Print the table."""
    print(
        "| | locked (s) | made (s) | MB | look | plain, first | later "
        "| landlock | later | bwrap | later |"
    )
    print("|---|" + "--:|" * 10)
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as base:
        os.environ.setdefault("XDG_CACHE_HOME", f"{base}/cache")
        Path(base).chmod(0o755)
        for requirement in requirements:
            print(measured(requirement, Path(base)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(USUAL))
