"""Whether Swiss pairs keep the absolute criteria, and how long they take.

    python -m tests.benchmarks.swiss                         # 5,000 tournaments, by both pairings
    python -m tests.benchmarks.swiss --tournaments 100       # in a minute
    python -m tests.benchmarks.swiss --against bbpPairings   # and compare with that program's

Random tournaments of 5 to 20 bots, with results by chance, bots that are out and bots that come
late, on all cores. The breaches are those of `tests.arena.schedule.swiss_breaches`; none are to be
found. The last table is the time that one round of large fields takes, the longest of each.

`--against` is the path of bbpPairings, FIDE's reference for the Dutch system
(https://github.com/BieremaBoyzProgramming/bbpPairings): its pairs of every round are compared with
ours, in tournaments without bots out or late. It is told the results so far in a TRF file, and
the colours that ours would have had. Where no legal pairs are left, it says so, and that is
counted by itself, as ours then pairs by other means.

The run fails if there is a breach or, with `--against`, if more than 10 of 5,000 tournaments
differ: FIDE's measure (C.04.A, A.7).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

from arena.schedule.rounds import Over, drawn
from arena.schedule.swiss import Swiss, SwissOptions
from arena.schedule.swiss_dutch import colours_given
from arena.schedule.swiss_scores import SwissScores
from tests.arena.schedule.swiss_breaches import breaches
from tests.arena.schedule.tournaments import CHANCE, Luck, Played, begun

MEASURES = (
    "arena/schedule/matching.py arena/schedule/swiss.py arena/schedule/swiss_dutch.py "
    "arena/schedule/swiss_scores.py"
)
FEWEST, MOST = 5, 20
SIZES: list[tuple[str, SwissOptions, int, int]] = [
    ("matching", SwissOptions(), 2, 100),
    ("matching", SwissOptions(), 2, 101),
    ("matching, points = share", SwissOptions(points="share"), 2, 100),
    ("tables of four", SwissOptions(), 4, 100),
    ("dutch", SwissOptions(pairing="dutch"), 2, 20),
    ("dutch", SwissOptions(pairing="dutch"), 2, 40),
    ("dutch", SwissOptions(pairing="dutch"), 2, 60),
]
DIFFERENT = 10 / 5000


class Found(NamedTuple):
    """What one tournament showed."""

    rounds: int
    seconds: float
    breaches: list[str]


def checked(pairing: Any, seed: int) -> Found:
    """Play one tournament and look for breaches."""
    bots = FEWEST + seed % (MOST - FEWEST + 1)
    luck = Luck(seed, out=0.02 * (seed % 3), late=0.1 * (seed % 2))
    start = time.process_time()
    played = luck.whole(begun(Swiss, SwissOptions(pairing=pairing), bots))
    seconds = time.process_time() - start
    wrong = [f"{pairing} {seed}: {words}" for words in breaches(played.past)]
    return Found(len(played.past), seconds, wrong)


def timed(options: SwissOptions, seats: int, bots: int) -> list[float]:
    """Return how long each round of a tournament took to pair."""
    luck, played = Luck(1), begun(Swiss, options, bots, seats)
    seconds: list[float] = []
    while True:
        start = time.process_time()
        asked = played.next()
        if isinstance(asked, Over):
            return seconds
        seconds.append(time.process_time() - start)
        played = luck.round(played)


def compared(program: str, seed: int) -> Counter[str]:
    """Return how many rounds of one tournament were paired as by bbpPairings."""
    bots = FEWEST + seed % (MOST - FEWEST + 1)
    luck, counts = Luck(seed), Counter[str]()
    played = begun(Swiss, SwissOptions(pairing="dutch"), bots)
    rounds = len(luck.whole(played).past)
    luck = Luck(seed)
    for _ in range(rounds):
        numbered = drawn(CHANCE, (bot.key for bot in played.field), "swiss", "number")
        theirs = reference_pairs(program, trf(played, numbered, rounds))
        place = {key: at + 1 for at, key in enumerate(numbered)}
        lineups = played.keyed()
        ours = {frozenset(place[key] for key in lineup) for lineup in lineups}
        counts["none legal" if theirs is None else "same" if ours == theirs else "other"] += 1
        played = luck.round(played)
    return counts


def reference_pairs(program: str, tournament: str) -> set[frozenset[int]] | None:
    """Return the pairs that bbpPairings finds; None if it finds none to be legal."""
    with tempfile.TemporaryDirectory() as folder:
        file, answer = Path(folder) / "tournament.trf", Path(folder) / "pairs"
        file.write_text(tournament, encoding="utf-8")
        done = subprocess.run(
            [program, "--dutch", str(file), "-p", str(answer)], capture_output=True, text=True
        )
        if done.returncode == 1:
            return None
        if done.returncode:
            raise SystemExit(f"{program} failed: {done.stderr or done.stdout}\n{tournament}")
        lines = answer.read_text(encoding="utf-8").split("\n")[1:]  # the first is their number
    pairs = [tuple(map(int, line.split())) for line in lines if line.strip()]
    return {frozenset(pair) for pair in pairs if 0 not in pair}


def trf(played: Played, numbered: Sequence[str], rounds: int) -> str:
    """Return a tournament of Dutch pairs so far as a TRF file of FIDE's (C.04.A, Annex 2)."""
    field = [bot for each in played.past for bot in each.field] or list(played.field)
    scores = SwissScores(played.past, field, seats=2, win=True)
    colours = colours_given(played.past, scores, CHANCE)
    number = {key: at + 1 for at, key in enumerate(numbered)}
    lines = ["012 Bot Arena", f"XXR {rounds}", "XXC white1"]
    for key in numbered:
        cells, had, blocks = scores.by_bot[key].cells, iter(colours[key]), []
        for cell in cells:
            if cell.kind == "played":
                result = {0.0: "0", 0.5: "=", 1.0: "1"}[float(cell.gained)]
                blocks.append(f"{number[cell.others[0]]:>4} {next(had)[0]} {result}  ")
            else:
                blocks.append("0000 - U  ")
        points = float(scores.by_bot[key].points)
        head = f"001 {number[key]:>4}      {key:<33} {2500 - number[key]:>4}"
        lines.append(f"{head:<80}{points:>4.1f} {number[key]:>4}  {''.join(blocks)}")
    return "\n".join(lines) + "\n"


def on_all_cores(work: Callable[[int], Any], count: int) -> Iterator[Any]:
    """Yield what work gives for each seed."""
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as go:
        yield from go.map(work, range(count), chunksize=10)


def main() -> int:
    """Check, time and perhaps compare; return whether something is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tournaments", type=int, default=5000)
    parser.add_argument("--pairing", choices=["matching", "dutch"], action="append")
    parser.add_argument("--against", metavar="PATH_TO_BBPPAIRINGS")
    asked = parser.parse_args()
    wrong: list[str] = []
    rows = []
    for pairing in asked.pairing or ["matching", "dutch"]:
        found: list[Found] = []
        for each in on_all_cores(partial(checked, pairing), asked.tournaments):
            found.append(each)
            if len(found) % 500 == 0:
                broken_ones = sum(bool(one.breaches) for one in found)
                print(f"{pairing}: {len(found)}, {broken_ones} with breaches", file=sys.stderr)
        rounds = sum(each.rounds for each in found)
        broken = [words for each in found for words in each.breaches]
        seconds = sum(each.seconds for each in found)
        rows.append((pairing, len(found), rounds, len(broken), 1000 * seconds / rounds))
        wrong += broken
    print(tabulate(rows, ("pairing", "tournaments", "rounds", "breaches", "ms a round")))
    print()
    sizes = [(name, bots, max(timed(options, seats, bots))) for name, options, seats, bots in SIZES]
    print(tabulate(sizes, ("pairing", "bots", "longest round, s"), floatfmt=".2f"))
    if asked.against:
        counts, others = Counter[str](), 0
        for each in on_all_cores(partial(compared, asked.against), asked.tournaments):
            counts += each
            others += bool(each["other"])
        print()
        kinds = [(word, counts[word]) for word in ("same", "other", "none legal")]
        print(tabulate(kinds, ("against bbpPairings", "rounds")))
        if others > DIFFERENT * asked.tournaments:
            wrong.append(f"{others} tournaments differ from those of bbpPairings")
    for words in wrong[:20]:
        print(words, file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
