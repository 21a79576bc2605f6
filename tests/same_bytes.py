"""Whether two commits play the same tournaments, byte for byte; proof for work on the structure.

    python -m tests.same_bytes COMMIT [--keep FOLDER]

plays fixed leagues of all games by this tree and by COMMIT (with few, some and many seats, both
clocks and paces, every sandbox that works here, on this machine and on a cluster of Dask), and
compares all that they print and store, measured values (times, dates, the machine) aside. The bots
are the bundled ones of COMMIT, copied into a folder of their own. It takes a quarter of an hour.
"""

import argparse
import base64
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from tests.ci.history import History

ROOT = Path(__file__).parents[1]
PYTHON = Path(sys.executable)
_LEAGUE = """\
game = "{game}"
seats = {seats}
seed = "a seed that is long enough to be no one's guess"
deals = 1

[limits]
sandbox = "{sandbox}"
clock = "{clock}"
pace = "{pace}"
move_time = 30.0
startup = 60.0
"""
_BOT = """
[[bot]]
name = "{name}"
folder = "../../bots"
command = ["{{python}}", "{file}"]
files = ["{file}", "kit.py"]
"""
_MEASURED = {
    *("clock", "cpu", "wall", "lag", "cpu_us", "wall_us", "lag_us", "longest_us", "longest_at"),
    *("played_at", "machine", "seconds", "charged_us", "charged", "longest", "waited", "trips"),
    "memory_peak",
}
"""Keys under which measured values stand; of the clock's limit, `settings` has a `clock` too."""
_SHOWN = 6  # lines of a file that differ
_AROUND = 60  # characters before the first that differs


class League(NamedTuple):
    """What is played, and where."""

    game: str
    seats: int
    sandbox: str = "landlock"
    clock: str = "cpu"
    pace: str = "fast"
    on_cluster: bool = False

    @property
    def name(self) -> str:
        """Its folder."""
        where = "cluster" if self.on_cluster else "here"
        return f"{self.game}-{self.seats}-{self.sandbox}-{self.clock}-{self.pace}-{where}"


def leagues(seat_counts: Mapping[str, Sequence[int]]) -> Iterator[League]:
    """Yield each game with few, some and many seats, and once in each other way."""
    for game, seats in seat_counts.items():
        for number in dict.fromkeys((seats[0], seats[len(seats) // 2], seats[-1])):
            yield League(game, number)
        yield League(game, seats[0], clock="wall")
        yield League(game, seats[0], clock="wall", pace="slow")
        yield League(game, seats[0], sandbox="bwrap")
        yield League(game, seats[0], sandbox="none")
        yield League(game, seats[0], on_cluster=True)


def write(league: League, folder: Path, bots: Path) -> None:
    """Write a league of the bots of its game, or of as many as it has seats."""
    files = sorted(bots.glob(f"{league.game}_*.py"))
    if league.game == "war":
        files = [file for file in files if not file.name.startswith("world")]
    entrants = [(file.stem.removeprefix(f"{league.game}_"), file.name) for file in files]
    while len(entrants) < league.seats:
        name, file = entrants[len(entrants) - len(files)]
        entrants.append((f"{name} {len(entrants)}", file))
    text = _LEAGUE.format(**league._asdict())
    folder.mkdir(parents=True)
    (folder / "league.toml").write_text(
        text + "".join(_BOT.format(name=name, file=file) for name, file in entrants)
    )


def copied_bots(checkout: Path, folder: Path, pattern: str = "*.py") -> Path:
    """Copy bundled bots of a checkout beside each other into a folder, and return where."""
    bots = folder / "bots"
    bots.mkdir(parents=True)
    for file in (checkout / "bots").rglob(pattern):
        shutil.copyfile(file, bots / file.name)
    return bots


class Player:
    """Plays leagues by the code of a checkout, and keeps what they say in a folder."""

    def __init__(self, checkout: Path, folder: Path, python: Path = PYTHON) -> None:
        self._checkout = checkout
        self._folder = folder
        self._python = python
        self._environment = os.environ | {"PYTHONPATH": str(checkout)}

    def arena(self, *words: object) -> str:
        """Run a command by the code of the checkout; return what it prints."""
        done = subprocess.run(
            [self._python, "-m", "arena", *map(str, words)],
            cwd=self._checkout,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"arena {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def seat_counts(self) -> dict[str, list[int]]:
        """Return by how many seats each game of the checkout can be played, families left out."""
        games = json.loads(self.arena("games", "--format", "json"))["games"]
        return {game["game"]: game["seats"] for game in games if game["seats"]}

    def exported(self, folder: Path) -> list[Any]:
        """Return the lines that a league exports, but for what is measured."""
        return [bare(json.loads(line)) for line in self.arena("export", folder).splitlines()]

    @contextmanager
    def cluster(self) -> Iterator[str]:
        """Start a cluster on this machine whose workers play by the checkout; yield its address."""
        from tests.arena.play.cluster.dask_cluster import DaskCluster

        how: dict[str, Any] = {"cwd": self._checkout, "env": self._environment}
        with DaskCluster(self._folder / "dask", **how) as cluster:
            cluster.add_worker("worker", threads=2, **how)
            yield cluster.address

    def play(self, league: League, bots: Path, address: str) -> None:
        """Play a league and keep all that it says."""
        folder = self._folder / "leagues" / league.name
        said = self._folder / "said" / league.name
        said.mkdir(parents=True)
        write(league, folder, bots)
        workers = ("--workers", "2") if league.pace == "fast" else ()
        how = ("--cluster", address) if league.on_cluster else workers
        (said / "run").write_text(self.arena("run", folder, *how))
        for command in ("rank", "table"):
            for form in ("simple", "json", "csv"):
                text = self.arena(command, folder, "--format", form)
                (said / f"{command}.{form}").write_text(text)
        whole = "--most" if "--most" in self.arena("matches", "--help") else "--limit"
        (said / "matches").write_text(self.arena("matches", folder, whole, "0"))
        exported = self.exported(folder)
        (said / "export").write_text("".join(f"{json.dumps(x)}\n" for x in exported))
        match = next(x["match"] for x in exported if "match" in x)
        wire = self.arena("show", folder, match, "--messages", "--seat", "0")
        (said / "wire").write_text(wire)
        (said / "show").write_text(without_times(self.arena("show", folder, match, "--tables")))
        shown = json.loads(self.arena("show", folder, match, "--format", "json"))
        (said / "show.json").write_text(json.dumps(bare(shown), indent=1))
        page = said / "page.html"
        self.arena("report", folder, "-o", page)
        (said / "report").write_text("\n".join(report_data(page.read_text())))
        page.unlink()


def bare(value: Any, without: Collection[str] = _MEASURED) -> Any:
    """Return a value of JSON without what was measured, or without other keys."""
    if isinstance(value, dict):
        return {
            key: bare(each, without)
            for key, each in value.items()
            if key not in without or each in ("cpu", "wall")
        }
    return [bare(each, without) for each in value] if isinstance(value, list) else value


def without_times(text: str) -> str:
    """Return a match as it is shown, without times and the table of these at its end."""
    told = text.partition("\nEnded: ")[0]
    told = re.sub(r"(?m)^ *it waited .*\n|^[ .\d]*(?=\[)", "", told)  # those above 0.1 s are shown
    return re.sub(r"(?m)^ *Played .*|\d+\.\d+|\b\d+ ms|  +", " ", told)


def report_data(page: str) -> Iterator[str]:
    """Yield the tables of a page, and the data of its replays."""
    yield from re.findall(r'data-value="[^"]*"', page.partition('id="times"')[0])
    found = re.search(
        r'<script type="application/json" id="matches">(.*?)</script>', page, re.DOTALL
    )
    assert found
    told = json.loads(found[1])
    for match in told["matches"]:
        data = json.loads(gzip.decompress(base64.b64decode(match.pop("data"))))
        yield json.dumps(bare(match))
        yield json.dumps(bare(data))


def differences(one: Path, two: Path) -> Iterator[str]:
    """Yield what differs between two folders of what was said, file by file."""
    files = {
        path.relative_to(top) for top in (one, two) for path in top.rglob("*") if path.is_file()
    }
    for name in sorted(files):
        both = (top / name for top in (one, two))
        lines = [path.read_text().splitlines() if path.exists() else [] for path in both]
        changed = [pair for pair in zip_longest(*lines, fillvalue="") if pair[0] != pair[1]]
        if changed:
            yield f"{name}: {len(changed)} lines differ"
        for pair in changed[:_SHOWN]:
            before, after = around(*pair)
            yield from (f"  before: {before}", f"  after:  {after}")


def around(one: str, two: str) -> tuple[str, str]:
    """Return two texts where they begin to differ."""
    same = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), 0)
    here = slice(max(0, same - _AROUND), same + 3 * _AROUND)
    return one[here], two[here]


def main() -> int:
    """Play by both and say what differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.same_bytes", description=__doc__)
    parser.add_argument("commit")
    parser.add_argument("--keep", type=Path, help="a folder that is not there yet")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as spare:
        top = asked.keep or Path(spare) / "kept"
        top.mkdir(mode=0o755)
        before = top / "before"
        History(ROOT).unpack(asked.commit, before)
        seat_counts = Player(before, top).seat_counts()
        sides = {"old": before, "new": ROOT}

        def play(name: str) -> None:
            folder = top / name
            bots = copied_bots(before, folder)
            player = Player(sides[name], folder)
            with player.cluster() as address:
                for league in leagues(seat_counts):
                    print(f"{name}: {league.name}", flush=True)
                    player.play(league, bots, address)

        with ThreadPoolExecutor() as both:  # they mostly wait for what they start
            for done in [both.submit(play, name) for name in sides]:
                done.result()
        found = list(differences(top / "old" / "said", top / "new" / "said"))
    print("\n".join(found) or "All is the same.")
    return bool(found)


if __name__ == "__main__":
    raise SystemExit(main())
