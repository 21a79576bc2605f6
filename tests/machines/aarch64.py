"""Tries the sandbox and the games on an aarch64 kernel: `make aarch64`, on x86_64.

    python -m tests.machines.aarch64 [--steps about,attacks] [--only network] [--game duel] [--skip]

Debian's kernel and programs for arm64 run in a machine that QEMU emulates. Inside, each sandbox
proves itself, all attacks are tried, and a small league of each bundled game is played, whose
export must be the same bytes as here.
"""

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

from tests.machines.debian import UnavailableError
from tests.machines.leagues import Leagues
from tests.machines.machine import AARCH64, told
from tests.machines.report import Report


def main() -> int:
    """Try what is asked for; return 0 if all is as it should be."""
    parser = argparse.ArgumentParser(prog="python -m tests.machines.aarch64", description=__doc__)
    parser.add_argument("--steps", default="about,canaries,attacks,leagues")
    parser.add_argument("--users", default="user", help="root, user or both")
    parser.add_argument("--sandboxes", default="landlock", help="landlock, bwrap or both")
    parser.add_argument("--only", default="", help="attacks whose names this pattern finds")
    parser.add_argument("--game", default="", help="games whose names this pattern finds")
    parser.add_argument("--skip", action="store_true", help="no failure if no machine can be had")
    asked = parser.parse_args()
    try:
        return tried(asked)
    except UnavailableError as error:
        if asked.skip:
            sys.stdout.write(f"AARCH64 IS NOT TESTED HERE: {error}.\n")
            return 0
        sys.stderr.write(f"make aarch64: {error}.\n")
        return 1


def tried(asked: argparse.Namespace) -> int:
    """Boot the machine and return whether something was not as it should be."""
    if os.uname().machine != "x86_64":
        raise UnavailableError(
            f"it emulates a machine on x86_64, and this one is {os.uname().machine}: here `make "
            f"test soak` tries the sandbox as it is"
        )
    with tempfile.TemporaryDirectory(prefix="aarch64-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        leagues = Leagues(folder)
        games = {game: n for game, n in leagues.games().items() if re.search(asked.game, game)}
        wanted = {
            "steps": asked.steps.split(","),
            "users": asked.users.split(","),
            "sandboxes": asked.sandboxes.split(","),
            "only": asked.only,
            "games": games,
            "cgroups": False,
        }
        report = Report("aarch64", lambda game: leagues.export(game, games[game]), games)
        for each in told(AARCH64, wanted):
            report.take(each)
        return report.end(wanted["steps"])


if __name__ == "__main__":
    raise SystemExit(main())
