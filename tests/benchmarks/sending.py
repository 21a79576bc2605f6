"""What it takes to send a bot with a large file to a cluster of two machines: time and memory.

    python -m tests.benchmarks.sending [MIB...]     # as root, some minutes

The machines are two Dask workers here that have names, and folders for what is kept, of their own.
A bot with a file of so many MiB of random bytes is sent to both, by default with 6, 60, 600 and
2400. *First* is the time until all matches are played (two rotations of one deal), *again* is that
of a league like it whose bot was sent before. Memory is what each process had at most (VmHWM), in
MiB.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tabulate import tabulate

from tests.arena.play.cluster.dask_cluster import DaskCluster

MEASURES = "arena/play/cluster referee/sandbox/big_files.py referee/sandbox/by_hash.py"
SIZES = (6, 60, 600, 2400)
NAMES = ("hill", "hive")
TOML = """\
game = "guerra"
seed = 1
deals = 1

[[bot]]
name = "one"
shipped = "random"

[[bot]]
name = "large"
folder = "../large"
command = ["{{python}}", "bot.py"]
files = ["."]
files_mb = {most}
"""


def peak(pid: int) -> float:
    """Return the most memory that a process has had, in MiB; none if it has ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return sum(int(kib) for kib in re.findall(r"^VmHWM:\s+(\d+) kB", text, re.MULTILINE)) / 1024


def run(league: Path, cluster: DaskCluster, environment: dict[str, str]) -> tuple[float, float]:
    """Run a league; return the seconds and the most memory of the process."""
    words = [sys.executable, "-m", "arena", "run", str(league), "--cluster", cluster.address]
    began, most = time.monotonic(), 0.0
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(words, stdout=nowhere, stderr=nowhere, env=environment) as process:
        while process.poll() is None:
            most = max(most, peak(process.pid))
            time.sleep(0.05)
    assert process.returncode == 0
    return time.monotonic() - began, most


def make(folder: Path, size: int) -> None:
    """Make a large bot, and two leagues that it plays in."""
    bot = folder / "large"
    bot.mkdir()
    for file in ("templates/python/kit.py", "guerra/guerra_random.py"):
        (bot / Path(file).name).write_bytes(Path("bots", file).read_bytes())
    (bot / "bot.py").write_text("import kit, guerra_random\nkit.run(guerra_random.choose)\n")
    with (bot / "model").open("wb") as model, Path("/dev/urandom").open("rb") as source:
        for _ in range(size):
            model.write(source.read(1 << 20))
    for name in ("first", "again"):
        (folder / name).mkdir()
        (folder / name / "league.toml").write_text(TOML.format(most=size + 1))


def row(size: int) -> Iterator[object]:
    """Yield the columns of one size."""
    yield size
    with tempfile.TemporaryDirectory() as name, DaskCluster(Path(name, "dask")) as cluster:
        folder = Path(name)
        folder.chmod(0o755)
        make(folder, size)
        workers = []
        for host in NAMES:
            words = ("unshare", "--uts", "sh", "-c", f'hostname {host} && exec "$@"', "sh")
            environment = {**os.environ, "XDG_CACHE_HOME": str(folder / host)}
            workers.append(cluster.add_worker(host, words=words, env=environment))
        here = {**os.environ, "XDG_CACHE_HOME": str(folder / "here")}
        time.sleep(3.0)  # or the file may change yet, and what it hashes to is not remembered
        first, client = run(folder / "first", cluster, here)
        again, _ = run(folder / "again", cluster, here)
        assert cluster.scheduler is not None
        yield from (first, again, client, peak(cluster.scheduler.pid))
        yield max(peak(worker.pid) for worker in workers)


def main() -> None:
    """Print the table."""
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    headers = ("MiB", "first, s", "again, s", "run", "scheduler", "Dask worker")
    print(tabulate((list(row(size)) for size in sizes), headers, floatfmt=".1f"))


if __name__ == "__main__":
    main()
