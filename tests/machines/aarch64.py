"""Tries the sandbox and the games on an aarch64 kernel: `make aarch64`, on x86_64.

    python -m tests.machines.aarch64 [--steps about,attacks] [--only network] [--game duel] [--skip]

Debian's kernel and programs for arm64 run in a machine that QEMU emulates. Inside, each sandbox
proves itself, all attacks are tried, and a small league of each bundled game is played, whose
export must be the same bytes as here.
"""

import re
import tempfile
from pathlib import Path
from typing import Any

from tests.machines.leagues import Leagues
from tests.machines.machine import AARCH64, command, told
from tests.machines.report import Report


def tried(asked: dict[str, Any]) -> int:
    """Boot the machine and return whether something was not as it should be."""
    with tempfile.TemporaryDirectory(prefix="aarch64-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        leagues = Leagues(folder)
        games = {game: n for game, n in leagues.games().items() if re.search(asked["game"], game)}
        report = Report("aarch64", lambda game: leagues.export(game, games[game]), games)
        for each in told(AARCH64, {**asked, "games": games, "cgroups": False}):
            report.take(each)
        return report.end(asked["steps"])


def main() -> int:
    """Try what is asked for; return 0 if all is as it should be."""
    steps = "about,canaries,attacks,leagues"
    usual = {"steps": steps, "users": "user", "sandboxes": "landlock", "only": "", "game": ""}
    return command("aarch64", __doc__, "AARCH64 IS", usual, tried)


if __name__ == "__main__":
    raise SystemExit(main())
