"""What it takes to ask a bot on its author's machine: the same bot, here and by `arena connect`.

    python -m tests.benchmarks.remote
    python -m tests.benchmarks.remote --matches 40 --slots 20

Two copies of one program play a slow league of casino_war: one is handed in to the server, the
other one is connected to it, from the same machine. What a decision takes on the wall is compared.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tabulate import tabulate

MEASURES = "arena/home arena/serve/remote"
ARENA = [sys.executable, "-m", "arena"]
PROGRAM = "import kit\nkit.run(lambda ask: (ask.legal or ask.samples)[0])\n"
LIMIT = 300.0  # seconds


def arena(*words: object, cwd: Path) -> str:
    """Run a command; return what it printed."""
    return subprocess.run(
        [*ARENA, *map(str, words)], cwd=cwd, capture_output=True, text=True, check=True
    ).stdout


def prepared(home: Path, matches: int) -> str:
    """Make a league that is open to remote bots, and its one bot twice; return a token."""
    kit = Path(__file__).parents[2] / "bots" / "templates" / "python" / "kit.py"
    for name in ("here", "there"):
        folder = home / name
        folder.mkdir()
        (folder / "kit.py").write_text(kit.read_text())
        (folder / "bot.py").write_text(PROGRAM)
        (folder / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
    words = ("--deals", (matches + 1) // 2, "--limit", "pace=slow", "--limit", "move_time=30")
    arena("init", "cup", "--game", "casino_war", "./here", *words, cwd=home)
    with (home / "cup" / "league.toml").open("a") as file:
        file.write("\n[hand_in]\ngrants = { remote = true }\n")
    said = arena("author", "add", "cup", "ada", cwd=home)
    found = re.search(r"arena_\S+", said)
    assert found is not None
    return found[0]


def played(home: Path, token: str, slots: int, matches: int) -> float:
    """Serve the league, connect the bot, and wait until all is played; return the seconds."""
    log = (home / "said").open("w")
    server = subprocess.Popen(
        [*ARENA, "serve", "cup", "--port", "0"], cwd=home, stdout=log, stderr=log
    )
    with log, server:
        address = None
        while address is None:
            address = re.search(r"http://\S+/cup/", (home / "said").read_text())
            time.sleep(0.05)
        words = [*ARENA, "connect", address[0], "./there", "--slots", str(slots)]
        began = time.monotonic()
        with subprocess.Popen(
            words, cwd=home, stdout=log, stderr=log, env={**os.environ, "ARENA_TOKEN": token}
        ) as author:
            while count(home) < matches and time.monotonic() - began < LIMIT:
                time.sleep(0.2)
            took = time.monotonic() - began
            author.terminate()
        server.terminate()
    return took


def count(home: Path) -> int:
    """Return how many matches are stored."""
    try:
        return len(arena("matches", "cup", "--most", 0, "--format", "csv", cwd=home).split()) - 1
    except subprocess.CalledProcessError:
        return 0


def measured(home: Path) -> dict[str, tuple[float, int]]:
    """Return for each bot the milliseconds of a decision on the wall, and how many there were."""
    lines = arena("export", "cup", cwd=home).splitlines()
    spent: dict[str, list[int]] = {}
    for row in map(json.loads, lines[1:]):
        for bot, clock in zip(row["bots"], row["clock"], strict=True):
            its = spent.setdefault(bot["name"], [0, 0])
            its[0] += clock[0]
            its[1] += clock[3]
    return {name: (wall / asked / 1000, asked) for name, (asked, wall) in spent.items()}


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--slots", type=int, default=2)
    given = parser.parse_args()
    matches = given.matches + given.matches % 2
    with tempfile.TemporaryDirectory(prefix="remote-") as name:
        home = Path(name)
        home.chmod(0o755)
        took = played(home, prepared(home, matches), given.slots, matches)
        found = measured(home)
        table = json.loads(arena("rank", "cup", "--times", "--format", "json", cwd=home))
        trips = [row.get("round_trip") for row in table["standings"] if row["bot"] == "there"]
    rows = [[bot, asked, f"{wall:.2f}"] for bot, (wall, asked) in sorted(found.items())]
    print(tabulate(rows, headers=["bot", "decisions", "ms on the wall, each"], tablefmt="github"))
    print(f"\nround trip as measured: {1000 * (trips[0] or 0):.2f} ms; {took:.0f} s in all")


if __name__ == "__main__":
    main()
