"""What a bot with a model of 2 GB costs: the time of each command, the disk, and the memory.

    python -m tests.benchmarks.big_files [FOLDER]

FOLDER, by default a temporary one, needs three times as much room, and must be on a disk. The model
is of random bytes, all of which the bot maps and reads at its start. *Disk* is what the arena wrote
beside league and bot at most, *memory* what all processes of bots had at most, where what they
share counts once (Pss). Some five minutes.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from tabulate import tabulate

from referee.limits import Limits

MEASURES = (
    "arena/league/bot.py arena/league/files.py referee/sandbox/big_files.py "
    "referee/sandbox/by_hash.py referee/sandbox/kept.py"
)
MODEL = 2 << 30
"""Bytes of the model."""
SETTLED = 2.5
"""Seconds after which a file is no longer taken to be changing, as a user's is not."""
LOADED = """
import mmap
with open(__file__.rpartition("/")[0] + "/model.bin", "rb") as file:
    model = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
assert sum(model[place] for place in range(0, len(model), 4096))
"""
TOUCH = "(after touch big/model.bin)"
COMMANDS = [
    "doctor big",
    "check big --game war",
    "check big --game war",
    "init cup --game war random highest --deals 2",
    "add cup big",
    "run cup --workers 1",
    "rank cup",
    TOUCH,
    "rank cup",
    "rank cup",
    "run four --workers 4",
    "run again --workers 4",
    "rank again",
    "verify again",
    "export again again.jsonl",
]
"""What is measured; *four* and *again* are the same league before it was played."""
LIMITED = ("doctor", "check", "init")
ROOM = f"--limit files_mb={(MODEL >> 20) + 1}"


class Watch(threading.Thread):
    """Looks at what the arena's folders and its bots' processes hold, until it is stopped."""

    def __init__(self, folders: list[Path], bot: str) -> None:
        super().__init__()
        self._folders, self._bot = folders, bot
        self._over = threading.Event()
        self.disk = self.memory = 0

    def run(self) -> None:
        """Look, again and again."""
        while not self._over.wait(0.1):
            self.disk = max(self.disk, on_disk(self._folders))
            self.memory = max(self.memory, sum(shares(self._bot)))

    def stop(self) -> None:
        """End."""
        self._over.set()
        self.join()


def on_disk(folders: list[Path]) -> int:
    """Return the bytes of the files below folders; those with several names count once."""
    sizes = {}
    for folder in folders:
        for here, _, names in os.walk(folder):
            for name in names:
                try:
                    found = os.lstat(f"{here}/{name}")
                except OSError:
                    continue  # it has gone
                sizes[found.st_dev, found.st_ino] = found.st_blocks * 512
    return sum(sizes.values())


def shares(word: str) -> Iterator[int]:
    """Yield the memory of each process that maps a file of this name, as its share of it."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if word not in (process / "maps").read_text():
                continue
            text = (process / "smaps_rollup").read_text()
        except OSError:
            continue  # it has ended, or is another's
        yield int(re.findall(r"^Pss: +(\d+) kB", text, re.MULTILINE)[0]) << 10


def make(folder: Path, environment: dict[str, str]) -> None:
    """Make the bot."""
    arena(folder, environment, "new big --lang python --game war")
    bot, toml = folder / "big" / "bot.py", folder / "big" / "bot.toml"
    bot.write_text(bot.read_text().replace("import kit", f"import kit\n{LOADED}", 1))
    toml.write_text(toml.read_text().replace('"kit.py"', '"kit.py", "model.bin"'))
    random = Path("/dev/urandom")
    with (folder / "big" / "model.bin").open("wb") as model, random.open("rb") as source:
        for _ in range(MODEL >> 20):
            model.write(source.read(1 << 20))


def arena(folder: Path, environment: dict[str, str], words: str) -> str:
    """Run a command; return what it printed."""
    command = [sys.executable, "-m", "arena", *words.split()]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(words, done.stdout[-2000:], done.stderr[-2000:], sep="\n")
    return done.stdout


def rows(folder: Path) -> Iterator[tuple[object, ...]]:
    """Yield the table's rows."""
    folders = [folder / "temporary", folder / "cache"]
    for each in folders:
        each.mkdir(mode=0o755)
    environment = {
        **os.environ,
        "TMPDIR": str(folders[0]),
        "XDG_CACHE_HOME": str(folders[1]),
        "PYTHONPATH": str(Path.cwd()),
    }
    make(folder, environment)
    time.sleep(SETTLED)
    has_limit = "files_mb" in {field.name for field in msgspec.structs.fields(Limits)}
    for words in COMMANDS:
        if words == TOUCH:
            (folder / "big" / "model.bin").touch()
            time.sleep(SETTLED)
            yield (words,)
            continue
        limited = has_limit and words.split()[0] in LIMITED
        watch = Watch(folders, "model.bin")
        watch.start()
        began = time.monotonic()
        arena(folder, environment, f"{words} {ROOM}" if limited else words)
        seconds = time.monotonic() - began
        watch.stop()
        yield words, seconds, watch.disk / 2**30, on_disk(folders) / 2**30, watch.memory / 2**30
        if words.startswith("add"):
            for name in ("four", "again"):
                shutil.copytree(folder / "cup", folder / name)


def main() -> None:
    """Print the table."""
    base = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory(dir=base) as name:
        folder = Path(name)
        folder.chmod(0o755)
        headers = ("command", "seconds", "disk, at most", "disk, after", "memory, GiB")
        print(tabulate(rows(folder), headers, floatfmt=".2f"))


if __name__ == "__main__":
    main()
