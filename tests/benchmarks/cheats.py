"""Prints what bots win by cards that they have seen before, by where they remember them.

    python -m tests.benchmarks.cheats                # ten minutes on two cores, if run as root

A cheat plays 20 deals of casino_war against a bundled bot, one match after another. All seats see
the same cards there: it stakes all where it knows that it will win, and as little as it may
elsewhere. What it learns of a deal are a few bits, which it leaves for its next process in one of
the ways of `MEMORIES`. Each league is played with mirrored deals and without, as root and as an
ordinary user. In the last rows the notes are of the version before: its author handed both in.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from tabulate import tabulate

from arena.league.finding import BUNDLED
from tests.referee.sandbox.sandboxed import python_of

MEASURES = "arena/schedule/deal.py referee/sandbox referee/door"
DEALS, ROUNDS, SLOTS = 20, 8, 64
STEP = 1 << 16
HEADERS = ("remembers by", "sandbox", "as", "mirrored", "won first", "won later", "named")
ROOT = Path(__file__).parents[2]
USER = 61234

CHEAT = """
import json, mmap, os, resource, time, zlib
import kit

BITS = {rounds} - 2

{memory}

def choose(ask):
    if ask.decision == "tie":
        return {{"action": "surrender"}}
    won = ask.memory.setdefault("won", [])
    if last := ask.view["last"]:
        won.append(last["change"][ask.seat] > 0)
        if len(won) == 1:
            cards = last["player"] + last["house"]
            ask.memory["slot"] = zlib.crc32(cards.encode()) % {slots}
            ask.memory["known"] = recall(ask.memory["slot"])
        if len(won) == BITS + 1 and ask.memory["known"] is None:
            remember(ask.memory["slot"], won[1:])
    known = ask.memory.get("known")
    sure = known is not None and 1 <= len(won) <= BITS and known[len(won) - 1]
    return {{"bet": ask.limits["bet"]["max" if sure else "min"], "tie_bet": 0}}

kit.run(choose)
"""
"""The first round tells which deal it is; of the others, it leaves which were won."""

DISK = """
def remember(slot, bits):
    with open({notes!r} + str(slot), "w") as file:
        json.dump(bits, file)

def recall(slot):
    path = {notes!r} + str(slot)
    return json.load(open(path)) if os.path.exists(path) else None
"""
WRITES = f"{DISK}\nrecall = lambda slot: None\n"
READS = f"{DISK}\nremember = lambda slot, bits: None\n"
PROVIDER = """
def remember(slot, bits):
    kit.fetch({url!r}, {{"slot": slot, "bits": bits}})

def recall(slot):
    return kit.fetch({url!r}, {{"slot": slot}}).json()
"""
MARKS = """
def remember(slot, bits):
    for at, bit in enumerate([True, *bits]):
        if bit:
            was_touched(8 * slot + at)

def recall(slot):
    time.sleep(0.1)
    if was_touched(8 * slot):
        return [was_touched(8 * slot + 1 + at) for at in range(BITS)]
"""
"""Places of which each can be touched once, which the next process sees."""
PAGES = f"""
mapped = mmap.mmap(os.open({{file!r}}, os.O_RDONLY), 0, mmap.MAP_SHARED, mmap.PROT_READ)
mapped.madvise(mmap.MADV_RANDOM)

def was_touched(at):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
    mapped[at * {STEP}]
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt == before
{MARKS}"""
FILES = f"""
def was_touched(at):
    try:
        return os.stat({{paths!r}}[at]).st_ctime_ns < time.time_ns() - 50_000_000
    except OSError:
        return False
{MARKS}"""


class Notes(BaseHTTPRequestHandler):
    """A provider that keeps what it is told, and tells whoever asks with the same key."""

    kept: ClassVar[dict[int, list[bool]]] = {}

    def do_POST(self) -> None:
        """Keep the bits of a slot, or tell them."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "bits" in asked:
            self.kept[asked["slot"]] = asked["bits"]
        body = json.dumps(self.kept.get(asked["slot"])).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def never_read() -> str:
    """Return a large file that all may read, and nobody has in memory any more."""
    size = 8 * SLOTS * STEP
    found = (path for path in Path("/usr/lib").rglob("*") if path.is_file())
    path = next(path for path in found if not path.is_symlink() and path.stat().st_size > size)
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return str(path)


@contextmanager
def files_of_proc() -> Iterator[list[str]]:
    """Yield files below /proc that nobody has looked at: those of processes that sleep."""
    with ExitStack() as stack:
        paths: list[str] = []
        while len(paths) < 8 * SLOTS:
            process = stack.enter_context(subprocess.Popen(["/bin/sleep", "1000"]))
            stack.callback(process.kill)
            names = sorted(os.listdir("/proc/self"))  # noqa: PTH208 - without looking at them
            links = ("cwd", "exe", "root")
            kept = [name for name in names if name not in links]
            paths += [f"/proc/{process.pid}/{name}" for name in kept]
        yield paths


class Place:
    """A folder for a league and its bots, and who plays it."""

    def __init__(self, folder: Path, user: str) -> None:
        self.folder = folder
        self.user = user
        self._counted: set[str] = set()
        folder.chmod(0o777)

    def write(self, memory: str, **words: Any) -> None:
        """Write the cheat with a memory."""
        bot = self.folder / "cheat"
        bot.mkdir(exist_ok=True, mode=0o755)
        shutil.copy(BUNDLED / "templates" / "python" / "kit.py", bot)
        source = CHEAT.format(memory=memory.format(**words), rounds=ROUNDS, slots=SLOTS)
        (bot / "bot.py").write_text(source)

    def league(self, sandbox: str, *, mirrored: bool, more: str = "", own: str = "") -> None:
        """Write a league of it and a bundled bot."""
        league = self.folder / "league"
        league.mkdir(mode=0o777)
        league.chmod(0o777)
        (league / "league.toml").write_text(
            f'game = "casino_war"\nseed = "nobody knows"\ndeals = {DEALS}\n'
            f"mirror = {json.dumps('even remote' if mirrored else False)}\n"
            f"options.rounds = {ROUNDS}\n"
            f'limits = {{ sandbox = "{sandbox}", startup = 30.0{more} }}\n'
            '[[bot]]\nname = "cautious"\nshipped = "cautious"\n'
            '[[bot]]\nname = "cheat"\nfolder = "../cheat"\ncommand = ["{python}", "bot.py"]\n'
            f'files = ["."]\n{own}'
        )
        if self.user != "root" and os.getuid() == 0:
            for path in (league, league / "league.toml"):  # which `arena add --replace` writes
                os.chown(path, USER, USER)

    def arena(self, *words: object) -> bytes:
        """Return what a command of the arena prints, run as its user; raise if it fails."""
        is_other = self.user != "root" and os.getuid() == 0
        python = python_of(USER) if is_other else sys.executable
        options: dict[str, Any] = (
            {"user": USER, "group": USER, "extra_groups": []} if is_other else {}
        )
        path = f"{ROOT}:{Path(msgspec.__file__).parents[1]}"
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONPATH": path}
        done: subprocess.CompletedProcess[bytes] = subprocess.run(
            [python, "-m", "arena", *map(str, words)],
            cwd=self.folder,
            env=environment,
            check=True,
            capture_output=True,
            **options,
        )
        return done.stdout

    def won(self) -> list[str]:
        """Play the league; return how many matches the cheat won, first and later, of each deal."""
        is_slow = "slow" in (self.folder / "league" / "league.toml").read_text()
        self.arena("run", "league", *([] if is_slow else ["--workers", "1"]))
        return self.shares()

    def shares(self) -> list[str]:
        """Return how many new matches it won, first and later of a deal, and if it is named."""
        exported = self.folder / "league.jsonl"
        self.arena("export", "league", exported, "--force")
        rows = [json.loads(line) for line in exported.read_text().splitlines()[1:]]
        found: dict[bool, list[bool]] = {False: [], True: []}
        for row in rows:
            [seat] = [seat for seat, bot in enumerate(row["bots"]) if bot["name"] == "cheat"]
            if row["match"] not in self._counted:
                self._counted.add(row["match"])
                is_later = row["rotation"] != (row["order"] or [0])[0]
                found[is_later].append(row["places"][seat] < row["places"][1 - seat])
        table = json.loads(self.arena("rank", "league", "--format", "json"))
        named = "cheat" in table.get("mirroring", {}).get("remembering", {})
        won = [f"{sum(each)} of {len(each)}" for each in found.values()]
        return [*won, "yes" if named else "no"]


@contextmanager
def place(user: str) -> Iterator[Place]:
    """Yield a folder for one league."""
    with tempfile.TemporaryDirectory() as name:
        yield Place(Path(name), user)


Row = tuple[str, ...]


def played(by: str, sandbox: str, user: str, memory: str, **words: Any) -> Iterator[Row]:
    """Yield the rows of a memory, with mirrored deals and without."""
    for mirrored in (True, False):
        with place(user) as found:
            found.write(memory, **{"notes": f"{found.folder}/note-", **words})
            found.league(sandbox, mirrored=mirrored)
            yield by, sandbox, user, "yes" if mirrored else "no", *found.won()


def by_pages(sandbox: str, user: str) -> Iterator[Row]:
    """Yield the rows of what is in memory."""
    for mirrored in (True, False):
        with place(user) as found:
            found.write(PAGES, file=never_read())
            found.league(sandbox, mirrored=mirrored)
            yield "pages", sandbox, user, "yes" if mirrored else "no", *found.won()


def by_files(sandbox: str, user: str) -> Iterator[Row]:
    """Yield the rows of the times of files below /proc."""
    for mirrored in (True, False):
        with place(user) as found, files_of_proc() as paths:
            found.write(FILES, paths=paths)
            found.league(sandbox, mirrored=mirrored)
            yield "/proc", sandbox, user, "yes" if mirrored else "no", *found.won()


def by_provider(user: str) -> Iterator[Row]:
    """Yield the rows of what a provider keeps for whoever has the key."""
    for mirrored in (True, False):
        Notes.kept.clear()
        with place(user) as found, ThreadingHTTPServer(("127.0.0.1", 0), Notes) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            url = f"http://127.0.0.1:{server.server_port}/v1/files"
            door = f'door = ["POST {url}"]\n'
            found.write(PROVIDER, url=url)
            terms = f'[door]\nallow = ["POST {url}"]\nrequests_per_minute = 100_000\n'
            slow = ', pace = "slow", move_time = 20.0, slots = 1'
            found.league("landlock", mirrored=mirrored, more=slow, own=f"{door}{terms}")
            yield "door", "landlock", user, "yes" if mirrored else "no", *found.won()
            server.shutdown()


def by_versions(user: str) -> Iterator[Row]:
    """Yield the rows of a version, and of the next, whose author knows what that one was dealt."""
    for mirrored in (True, False):
        with place(user) as found:
            notes = f"{found.folder}/note-"
            found.write(WRITES, notes=notes)
            (found.folder / "cheat" / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
            found.league("none", mirrored=mirrored)
            word = "yes" if mirrored else "no"
            yield "version 1", "none", user, word, *found.won()
            found.write(READS, notes=notes)
            found.arena("add", "league", "cheat", "--replace")
            yield "version 2", "none", user, word, *found.won()


def rows() -> Iterator[Row]:
    """Yield all rows."""
    for user in ("root", "user") if os.getuid() == 0 else ("user",):
        yield from played("its disk", "none", user, DISK)
        for sandbox in ("landlock", "bwrap", *(["uid"] if user == "root" else [])):
            yield from by_files(sandbox, user)
            yield from by_pages(sandbox, user)
        yield from by_provider(user)
    yield from by_versions(user)


def main() -> None:
    """Print the table, row by row as it is found, and as a whole."""
    found = []
    for row in rows():
        print(*row, sep="\t", file=sys.stderr, flush=True)
        found.append(row)
    print(tabulate(found, HEADERS, tablefmt="github"))


if __name__ == "__main__":
    main()
