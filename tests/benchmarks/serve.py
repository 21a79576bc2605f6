"""How long the authors and the readers of a served league wait.

python -m tests.benchmarks.serve first      from `arena submit` to the first match in the table
python -m tests.benchmarks.serve pages      200 open pages, each loaded anew once a minute
"""

import argparse
import http.client
import os
import random
import socket
import sqlite3
import statistics
import tempfile
import threading
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Self

from arena.league.plan import DATABASE
from tests.arena.serve.serving import Serving, add_person, run_arena, serving
from tests.benchmarks.scale import Size, make
from tests.referee.process_watch import until

MEASURES = "arena/handin arena/serve"
BOTS = ("sensible", "random", "quiet", "warlord")
HAND_IN = "\n[hand_in]\nper_hour = 10000\nper_day = 10000\n"
HERE = "127.0.0.1"


def league(home: Path, deals: int) -> Path:
    """Make a league of khan that is played for long."""
    folder = home / "cup"
    made = run_arena("init", folder, "--game", "khan", *BOTS, "--deals", str(deals))
    assert made.returncode == 0, made
    with (folder / "league.toml").open("a") as file:
        file.write(HAND_IN)
    return folder


def grown(folder: Path, stored: int, deals: int) -> None:
    """Store so many made-up matches of a new league of the same game, which is then played on."""
    made = make(folder, Size("khan", 2, len(BOTS), stored))
    file = folder / "league.toml"
    now = f"deals = {made.settings.deals}"
    file.write_text(file.read_text().replace(now, f"deals = {deals}", 1) + HAND_IN)


def starter(home: Path, language: str) -> Path:
    """Return the folder of a new bot in a language."""
    made = run_arena("new", home / language, "--lang", language, "--game", "khan")
    assert made.returncode == 0, made
    return home / language


def is_counted(server: Serving, bot: str, token: str) -> bool:
    """Return whether a match of the newest version of a bot counts in the table."""
    newest = server.api("/submissions", token=token).json["submissions"][0]
    rows = server.api("/table").json["table"]["rows"]
    return any(
        row["bot"] == bot and row["matches"] and newest["version"].startswith(row["version"])
        for row in rows
    )


def stored(server: Serving) -> int:
    """Return how many matches are stored; the table of the server is some seconds old."""
    file = server.folders[0] / DATABASE
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as db:
        return int(db.execute("SELECT count(*) FROM match").fetchone()[0])


def changed(bot: Path, note: str) -> None:
    """Make another version of a bot."""
    source = next(path for path in bot.glob("bot.*") if path.suffix != ".toml")
    sign = "#" if source.suffix == ".py" else "//"
    source.write_text(f"{source.read_text()}\n{sign} {note}\n")


def playing(server: Serving) -> None:
    """Wait until matches are being played."""
    until(lambda: server.played() > 100, 120)


def first(rounds: int) -> None:
    """Measure how long an author waits for a place in the table, on a busy server."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        folder = league(home, 20_000)
        tokens = {lang: add_person(folder, lang) for lang in ("python", "rust")}
        with serving(folder) as server:
            playing(server)
            for lang, token in tokens.items():
                times = []
                bot = starter(home, lang)
                for number in range(rounds):
                    changed(bot, f"{number}")
                    began = time.monotonic()
                    done = run_arena("submit", server.url, bot, "--bot", lang, ARENA_TOKEN=token)
                    assert done.returncode == 0, done
                    verdict = time.monotonic() - began
                    until(partial(is_counted, server, lang, token), 120)
                    times.append((verdict, time.monotonic() - began))
                verdicts, counts = zip(*times, strict=True)
                print(
                    f"{lang}: verdict after {statistics.median(verdicts):.1f} s, "
                    f"first counted match after {statistics.median(counts):.1f} s "
                    f"(at most {max(counts):.1f} s, {rounds} times)"
                )


class Page:
    """A page that is open: it listens, and loads itself anew once a minute."""

    def __init__(self, port: int, every: float) -> None:
        self.port = port
        self.every = every
        self.loads: list[tuple[float, float]] = []
        """When each began, and how long it took, in seconds."""
        self.events = 0
        self.ends = threading.Event()
        self.threads = [threading.Thread(target=each) for each in (self.listen, self.load)]
        for thread in self.threads:
            thread.start()

    def listen(self) -> None:
        """Read events until the end."""
        with socket.create_connection((HERE, self.port), timeout=1) as connection:
            connection.sendall(b"GET /api/leagues/cup/events HTTP/1.1\r\nHost: x\r\n\r\n")
            while not self.ends.is_set():
                try:
                    self.events += connection.recv(4096).count(b"event:")
                except TimeoutError:
                    continue

    def load(self) -> None:
        """Load the page now and then."""
        self.ends.wait(random.random() * self.every)
        while not self.ends.is_set():
            began = time.monotonic()
            connection = http.client.HTTPConnection(HERE, self.port, timeout=30)
            connection.request("GET", "/cup/")
            answer = connection.getresponse()
            answer.read()
            connection.close()
            assert answer.status == 200
            self.loads.append((began, time.monotonic() - began))
            self.ends.wait(self.every)


def memory(pid: int) -> float:
    """Return the MB that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Readers:
    """Many open pages of one server, and what the server holds meanwhile; a context manager.

    At its end it prints how long pages took, and how the server's memory grew.
    """

    def __init__(self, server: Serving, count: int, every: float) -> None:
        self._server = server
        self._count = count
        self._every = every
        self._pages: list[Page] = []
        self._memory: list[float] = []
        self._began = 0.0

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        self._pages = [Page(self._server.port, self._every) for _ in range(self._count)]
        return self

    def note_memory(self) -> None:
        """Take note of how much the server holds now."""
        self._memory.append(memory(self._server.process.pid))

    def __exit__(self, *error: object) -> None:
        for page in self._pages:
            page.ends.set()
        for page in self._pages:
            for thread in page.threads:
                thread.join()
        seconds = time.monotonic() - self._began
        events = sum(page.events for page in self._pages)
        print(f"{self._count} pages for {seconds:.0f} s: {events} events")
        loads = [each for page in self._pages for each in page.loads]
        for what, since in (("in all", 0.0), ("in the last tenth", 0.9 * seconds)):
            times = sorted(each for began, each in loads if began >= self._began + since)
            if times:
                p50, p95 = (1000 * times[int(len(times) * part)] for part in (0.5, 0.95))
                print(
                    f"{what}: {len(times)} loads, p50 {p50:.0f} ms, p95 {p95:.0f} ms, "
                    f"at most {1000 * times[-1]:.0f} ms"
                )
        print("memory of the server, MB:", *(f"{each:.0f}" for each in self._memory))


def pages(count: int, seconds: float, every: float, deals: int, before: int) -> None:
    """Measure how fast pages come while many are open and the league plays.

    So many matches are stored `before`.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "cup"
        if before:
            grown(folder, before, deals)
        else:
            league(Path(name), deals)
        with serving(folder) as server:
            playing(server)
            with Readers(server, count, every) as readers:
                for _ in range(10):
                    time.sleep(seconds / 10)
                    readers.note_memory()
            print(f"{stored(server)} matches at the end")


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["first", "pages"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--every", type=float, default=60.0)
    parser.add_argument("--deals", type=int, default=20_000)
    parser.add_argument("--stored", type=int, default=0, help="matches of `pages` from before")
    words = parser.parse_args()
    if words.what == "first":
        first(words.rounds)
    else:
        pages(words.pages, words.seconds, words.every, words.deals, words.stored)


if __name__ == "__main__":
    main()
