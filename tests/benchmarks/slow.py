"""What it takes to wait for many slow matches at once.

    python -m tests.benchmarks.slow                       # 1,000 matches: four minutes
    python -m tests.benchmarks.slow --matches 200 --sandbox bwrap

Two programs in C play casino_war and sleep before each answer. While all matches are on their way,
it is measured what the processes of ours use, bots and what holds them aside: CPU time, as a share
of one core, and memory, beyond what a single match needs.
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
from typing import NamedTuple

from tabulate import tabulate

from tests.benchmarks.c_programs import compiled

MEASURES = (
    "arena/play/slow referee/turn/bot_process.py referee/match/kept.py referee/process/polling.py "
    "referee/match/seat.py"
)
SLEEPER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* sleeper SECONDS: sleeps before each answer, which is the sample that it was shown. */
static char line[1 << 16];
int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 0;
    setvbuf(stdout, 0, _IONBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"hello\"")) puts("{\"type\":\"ready\",\"samples\":1}");
        char *moves = strstr(line, "\"samples\":[");
        if (!moves) moves = strstr(line, "\"legal\":[");
        if (!strstr(line, "\"type\":\"ask\"") || !moves) continue;
        char *first = strchr(moves, '[') + 1, *end = first;
        int depth = 0;
        do depth += (*end == '{' || *end == '[') - (*end == '}' || *end == ']');
        while (end++, depth);
        usleep(seconds * 1e6);
        printf("{\"id\":%ld,\"move\":%.*s}\n", atol(strstr(line, "\"id\":") + 5),
               (int)(end - first), first);
    }
}
"""
"""A bot that thinks without CPU."""
NAMES = ("sleeper-ada", "sleeper-bob")
TICKS = os.sysconf("SC_CLK_TCK")


class Ours(NamedTuple):
    """The processes of a run that are ours: what each has used."""

    cpu: float
    memory: int
    """Bytes, with its part of what it shares with others."""


def league(folder: Path, matches: int, seconds: float, rounds: int, sandbox: str) -> Path:
    """Make a league of so many matches between two sleepers."""
    folder.chmod(0o755)
    (folder / "bots").mkdir()
    for name in NAMES:
        compiled(folder / "bots", name, SLEEPER)
    entries = "".join(
        f'[[bot]]\nname = "{name}"\nfolder = "../bots"\ncommand = ["./{name}", "{seconds:g}"]\n'
        f'files = ["{name}"]\n'
        for name in NAMES
    )
    made = folder / "cup"
    made.mkdir()
    (made / "league.toml").write_text(
        f'game = "casino_war"\ndeals = {matches}\nrotations = "one"\nseed = 1\n'
        f"[options]\nrounds = {rounds}\n"
        f'[limits]\nsandbox = "{sandbox}"\npace = "slow"\nslots = {matches}\n'
        f"move_time = {max(2 * seconds, seconds + 1):g}\nmemory_mb = 64\nscratch_mb = 1\n{entries}"
    )
    return made


def children(pid: int) -> list[int]:
    """Return the children of a process."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(word) for word in (task / "children").read_text().split()]
    return found


def ours(run: int) -> dict[int, Ours]:
    """Return the processes of a run that are ours, by pid: those of Python."""
    found = {}
    left = [run]
    while left:
        pid = left.pop()
        try:
            if b"python" not in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]:
                continue
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            left += children(pid)
        except OSError:
            continue
        memory = re.search(r"^Pss: +(\d+)", rollup, re.MULTILINE)
        assert memory is not None
        used = (int(fields[11]) + int(fields[12])) / TICKS
        found[pid] = Ours(used, int(memory[1]) << 10)
    return found


def bots() -> int:
    """Return how many of the bots run."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/comm"):
        try:
            found += path.read_text().strip() in NAMES
        except OSError:
            continue
    return found


def measured(matches: int, seconds: float, rounds: int, sandbox: str) -> dict[str, float]:
    """Play so many matches at once; return what that took."""
    with tempfile.TemporaryDirectory(prefix="slow-") as name:
        cup = league(Path(name), matches, seconds, rounds, sandbox)
        arena = [sys.executable, "-m", "arena"]
        began = time.monotonic()
        with subprocess.Popen([*arena, "run", str(cup)], stderr=subprocess.PIPE, text=True) as run:
            while bots() < 2 * matches and run.poll() is None:
                time.sleep(0.2)
            started = time.monotonic() - began
            time.sleep(seconds)
            before, at = ours(run.pid), time.monotonic()
            time.sleep(4 * seconds)  # whole periods: matches that began together answer together
            after, passed = ours(run.pid), time.monotonic() - at
            said = run.communicate()[1]
        whole = time.monotonic() - began
        export = subprocess.run(
            [*arena, "export", str(cup)], capture_output=True, text=True, check=True
        ).stdout
        rows = [json.loads(line) for line in export.splitlines()[1:]]
        faults = sum(sum(kinds.values()) for row in rows for kinds in row["faults"])
        if len(rows) != matches or faults:
            print(said, file=sys.stderr)
        cpu = sum(used.cpu - before[pid].cpu for pid, used in after.items() if pid in before)
        answers = sum(spent[0] for row in rows for spent in row["clock"])
        waited = sum(spent[3] for row in rows for spent in row["clock"]) * 1e-6
        return {
            "matches": len(rows),
            "started": started,
            "share": 100 * cpu / passed,
            "memory": sum(used.memory for used in after.values()),
            "faults": faults,
            "late_ms": 1000 * (waited / answers - seconds) if answers else 0.0,
            "seconds": whole,
        }


def main() -> None:
    """Measure as the arguments say, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=10.0, help="that a bot sleeps")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--sandbox", default="landlock")
    given = parser.parse_args()
    one = measured(1, given.seconds, given.rounds, given.sandbox)
    many = measured(given.matches, given.seconds, given.rounds, given.sandbox)
    each = (many["memory"] - one["memory"]) / max(given.matches - 1, 1)
    rows = [
        ["matches at once", f"{many['matches']:,.0f}"],
        ["faults", f"{many['faults']:.0f}"],
        ["all were under way after", f"{many['started']:.0f} s"],
        ["of a core", f"{many['share']:.1f} %"],
        ["memory of ours for one match", f"{one['memory'] / 1e6:.0f} MB"],
        ["for each more", f"{each / 1e6:.2f} MB"],
        ["an answer counts beyond the sleep", f"{many['late_ms']:.1f} ms"],
        ["the whole run took", f"{many['seconds']:.0f} s"],
    ]
    print(tabulate(rows, tablefmt="github", headers=["", f"{given.sandbox}, uid {os.getuid()}"]))


if __name__ == "__main__":
    main()
