"""What a served league is to its authors and readers, and what it costs the league.

python -m tests.benchmarks.serve first      from `arena submit` to the first match in the table
python -m tests.benchmarks.serve pages      200 open pages, each loaded anew once a minute
python -m tests.benchmarks.serve pace       the pace of a league during 200 hand-ins an hour
"""

import argparse
import http.client
import os
import random
import shutil
import socket
import statistics
import tempfile
import threading
import time
from pathlib import Path

from tests.arena.serve.serving import Serving, add_person, run_arena, serving
from tests.referee import process_watch
from tests.referee.process_watch import until

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
                    until(lambda a=lang, b=token: is_counted(server, a, b), 120)
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
        self.times: list[float] = []
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
            self.times.append(time.monotonic() - began)
            self.ends.wait(self.every)


def memory(pid: int) -> float:
    """Return the MB that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def pages(count: int, seconds: float, every: float) -> None:
    """Measure how fast pages come while many are open and the league plays."""
    with tempfile.TemporaryDirectory() as name:
        folder = league(Path(name), 20_000)
        with serving(folder) as server:
            playing(server)
            opened = [Page(server.port, every) for _ in range(count)]
            samples = []
            for _ in range(10):
                time.sleep(seconds / 10)
                samples.append(memory(server.process.pid))
            for page in opened:
                page.ends.set()
            for page in opened:
                for thread in page.threads:
                    thread.join()
            times = sorted(each for page in opened for each in page.times)
            events = sum(page.events for page in opened)
    p50, p95 = (1000 * times[int(len(times) * part)] for part in (0.5, 0.95))
    print(
        f"{count} pages for {seconds:g} s: {len(times)} loads, p50 {p50:.0f} ms, p95 {p95:.0f} ms, "
        f"at most {1000 * times[-1]:.0f} ms; {events} events; "
        f"memory of the server {samples[0]:.0f} MB at first, {samples[-1]:.0f} MB at last"
    )


def cpu_of(pids: set[int]) -> float:
    """Return the CPU seconds of processes and of their children that have ended."""
    found = 0
    for pid in pids:
        fields = process_watch.fields(pid)
        found += sum(map(int, fields[11:15])) if fields else 0
    return found / os.sysconf("SC_CLK_TCK")


def intake(server: Serving) -> int:
    """Return the process that takes in."""
    family = server.family()
    return next(pid for pid in family if "handin.intake" in process_watch.command_line(pid))


def below(pid: int) -> set[int]:
    """Return a process and all below it."""
    found, new = {pid}, {pid}
    while new:
        new = {child for each in new for child in process_watch.children(each)} - found
        found |= new
    return found


def pace(seconds: float, per_hour: float) -> None:
    """Compare the pace of a league with and without hand-ins; every fourth one is compiled."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        folder = league(home, 20_000)
        sources = [*["python"] * 3, "rust"]
        tokens = [add_person(folder, f"author{number}") for number in range(8)]
        starters = {lang: starter(home, lang) for lang in set(sources)}
        with serving(folder) as server:
            playing(server)
            for _ in range(2):
                rates, used = [], 0.0
                for busy in (False, True):
                    before, began, number = server.played(), time.monotonic(), 0
                    spent = cpu_of(below(intake(server)))
                    while (passed := time.monotonic() - began) < seconds:
                        if busy and passed >= number * 3600 / per_hour:
                            lang = sources[number % len(sources)]
                            author = number % len(tokens)
                            bot = home / f"bot{number}-{time.monotonic_ns()}"
                            shutil.copytree(starters[lang], bot)
                            changed(bot, bot.name)
                            run_arena(
                                *("submit", server.url, bot, "--bot", f"author{author}"),
                                "--no-wait",
                                ARENA_TOKEN=tokens[author],
                            )
                            number += 1
                        time.sleep(0.2)
                    took = time.monotonic() - began
                    rates.append((server.played() - before) / took)
                    used = cpu_of(below(intake(server))) - spent
                    if busy:
                        share = used / took / len(os.sched_getaffinity(0))
                        loss = 1 - rates[1] / rates[0]
                        print(
                            f"{rates[0]:.0f} matches a second alone, {rates[1]:.0f} during "
                            f"{number} hand-ins in {took:.0f} s: {100 * loss:.0f} % less; building "
                            f"and checking used {100 * share:.0f} % of the CPU"
                        )


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["first", "pages", "pace"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--every", type=float, default=60.0)
    parser.add_argument("--per-hour", type=float, default=200.0)
    words = parser.parse_args()
    match words.what:
        case "first":
            first(words.rounds)
        case "pages":
            pages(words.pages, words.seconds, words.every)
        case _:
            pace(words.seconds, words.per_hour)


if __name__ == "__main__":
    main()
