"""Change the code in small ways, one at a time, and name the changes that no test notices.

Three sets of mutants are tried: of the `pure` modules, by their own tests; of all `others`, by the
tests of their room; and those `planted` by hand. It fails if one in twenty of the pure ones
survives, or a planted one. The same commit and seed make the same mutants.
"""

import argparse
import json
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from textwrap import indent
from time import monotonic
from typing import Any, NamedTuple

from tabulate import tabulate

from tests.ci.history import History
from tests.mutants import drawing
from tests.mutants.drawing import ROOT, draw
from tests.mutants.equivalents import read_equivalents
from tests.mutants.planted import PLANTED
from tests.mutants.trying import Copy, Trial, Verdict, alone

SETS = ("pure", "others", "planted")
_ROOM_SECONDS = 60.0
"""How long the tests of a room have for a mutant, on the wall: use a quiet machine."""
_MOST_SURVIVORS = 0.05
_KEPT = ("module", "function", "number", "line", "becomes")


class Tried(NamedTuple):
    """A mutant that was tried, and what became of it."""

    set: str
    trial: Trial
    verdict: Verdict
    why: str
    """Why it is equivalent; empty if it is not."""

    @property
    def outcome(self) -> str:
        """In a word."""
        if self.verdict.is_killed:
            return "killed"
        return "equivalent" if self.why else "survived"

    @property
    def place(self) -> str:
        """Where it is."""
        return f"{self.trial.mutant.module}:{self.trial.mutant.number}"

    def diff(self) -> str:
        """Return what it changes."""
        return indent(self.trial.mutant.diff(), "    ", lambda _: True)

    def as_json(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        mutant = {name: getattr(self.trial.mutant, name) for name in _KEPT}
        said = {"set": self.set, "outcome": self.outcome, "why": self.why}
        return {**said, **mutant, **self.verdict._asdict()}


def trials(arguments: argparse.Namespace) -> list[tuple[str, Trial]]:
    """Return what is to be tried."""

    def wanted(modules: Sequence[str]) -> list[str]:
        return [each for each in modules if not arguments.only or each in arguments.only]

    found: list[tuple[str, Trial]] = []
    if "pure" in arguments.sets:
        drawn = draw(wanted(drawing.pure_modules()), arguments.count, arguments.seed)
        found += [("pure", Trial(mutant, drawing.own_tests(mutant.module))) for mutant in drawn]
    if "others" in arguments.sets:
        found += [
            ("others", Trial(mutant, drawing.room_tests(mutant.module), _ROOM_SECONDS))
            for mutant in draw(wanted(drawing.other_modules()), arguments.others, arguments.seed)
        ]
    if "planted" in arguments.sets:
        modules = wanted([each.module for each in PLANTED])
        planted = [each for each in PLANTED if each.module in modules]
        found += [("planted", Trial(each.mutant, each.tests)) for each in planted]
    if arguments.again:
        kept = json.loads(arguments.again.read_text(encoding="utf-8"))["mutants"]
        left = [each for each in kept if each["outcome"] == "survived"]
        keys = {tuple(each[key] for key in ("set", *_KEPT) if key != "number") for each in left}
        found = [(kind, trial) for kind, trial in found if (kind, *trial.mutant.key) in keys]
    return found


def try_all(asked: Sequence[tuple[str, Trial]], jobs: int, found: list[Tried]) -> None:
    """Find what became of each, and say so meanwhile."""
    known = read_equivalents()
    sound: dict[str, bool] = {}
    free: SimpleQueue[Copy] = SimpleQueue()

    def judge(kind: str, trial: Trial) -> None:
        copy = free.get()
        try:
            verdict = copy.judge(trial)
        finally:
            free.put(copy)
        tried = Tried(kind, trial, verdict, known.get(trial.mutant.key, ""))
        words = f"{tried.outcome} {verdict.seconds:.1f} s {verdict.test}"
        sys.stderr.write(f"{tried.place} {words}\n")
        found.append(tried)

    if not alone():
        sys.stderr.write("Only root's mutants are kept from ending other processes of theirs.\n")
    with ExitStack() as stack, ThreadPoolExecutor(jobs) as pool:
        for _ in range(jobs):
            free.put(stack.enter_context(Copy(sound)))
        try:
            list(pool.map(judge, *zip(*asked, strict=True)))
        finally:
            pool.shutdown(cancel_futures=True)
    failing = sorted(test for test, is_sound in sound.items() if not is_sound)
    if failing:
        sys.stderr.write("These tests fail without any mutant: " + ", ".join(failing) + "\n")


def report(found: Sequence[Tried]) -> Iterator[str]:
    """Yield the lines of the report."""
    for kind in SETS:
        tried = [each for each in found if each.set == kind]
        if not tried:
            continue
        outcomes = ("killed", "equivalent", "survived")
        rows = []
        for module in dict.fromkeys(each.trial.mutant.module for each in tried):
            own = [each.outcome for each in tried if each.trial.mutant.module == module]
            rows.append([module, len(own), *map(own.count, outcomes)])
        sums = [sum(column) for column in list(zip(*rows, strict=True))[1:]]
        headers = [f"Module ({kind})", "Mutants", "Killed", "Equivalent", "Survived"]
        yield tabulate([*rows, ["all", *sums]], headers)
        yield f"\n{share(tried):.1%} of those that are not equivalent survived.\n"
        for outcome in ("survived", "equivalent"):
            for each in tried:
                if each.outcome == outcome:
                    reason = f": {each.why}" if each.why else ""
                    late = ", not all tests in time" if each.verdict.how == "late" else ""
                    yield f"{each.place} {outcome}{late}{reason}\n{each.diff()}\n"
        for each in tried:
            if each.why and each.verdict.is_killed:
                yield f"{each.place} is not equivalent: {each.verdict.test} fails\n{each.diff()}\n"


def share(tried: Sequence[Tried]) -> float:
    """Return which share of the mutants that are not equivalent survived."""
    outcomes = [each.outcome for each in tried if each.outcome != "equivalent"]
    return outcomes.count("survived") / max(1, len(outcomes))


def is_good(found: Sequence[Tried]) -> bool:
    """Return whether few of the pure mutants survived, and none of the planted."""
    pure = [each for each in found if each.set == "pure"]
    planted = [each for each in found if each.set == "planted"]
    return share(pure) < _MOST_SURVIVORS and not share(planted)


def main() -> None:
    """Try them, and print what survived."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"which [{' '.join(SETS)}]")
    parser.add_argument("--only", metavar="MODULE", action="append", help="a file; repeatable")
    parser.add_argument("--count", type=int, default=360, help="of pure mutants [%(default)s]")
    parser.add_argument("--others", type=int, default=100, help="of the others [%(default)s]")
    parser.add_argument("--seed", default="1", help="of the draw [%(default)s]")
    parser.add_argument("--jobs", type=int, default=1, help="how many at once [%(default)s]")
    parser.add_argument("--again", type=Path, metavar="FILE", help="what survived in such results")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the results there")
    arguments = parser.parse_args()
    if strange := {*arguments.sets} - {*SETS}:
        parser.error(f"no set is called {' or '.join(sorted(strange))}; there are {SETS}")
    arguments.sets = arguments.sets or SETS
    asked = trials(arguments)
    commit = History(ROOT).git("describe", "--always", "--dirty").strip()
    sys.stdout.write(f"commit {commit}, seed {arguments.seed}, {len(asked)} mutants\n\n")
    began = monotonic()
    found: list[Tried] = []
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was found so far is kept
    try:
        try_all(asked, arguments.jobs, found)
    finally:
        found.sort(key=lambda each: (SETS.index(each.set), each.place))
        for line in report(found):
            sys.stdout.write(f"{line}\n")
        if arguments.json:
            kept = {"commit": commit, "seed": arguments.seed, "seconds": monotonic() - began}
            kept["mutants"] = [each.as_json() for each in found]
            arguments.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    sys.exit(not is_good(found))


if __name__ == "__main__":
    main()
