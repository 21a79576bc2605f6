"""`make long`: everything, and a record of the commit that it was run on."""

import datetime
import os
from collections import defaultdict
from pathlib import Path

from tests.ci.history import History, RefusedError
from tests.ci.landings import units_at
from tests.ci.packages import WANTED, is_here
from tests.ci.records import PROVEN, SECONDS, seconds_of, seconds_text
from tests.ci.running import Result, Runner
from tests.ci.units import Unit, kind_of, only_long


def figures(result: Result, lacking: list[str]) -> str:
    """Return what was run, in one line: tests, seconds by kind, and what went untried."""
    kinds: dict[str, float] = defaultdict(float)
    for name, seconds in result.took.items():
        kinds[kind_of(name)] += seconds
    by_kind = ", ".join(f"{kind} {seconds:.0f}" for kind, seconds in kinds.items())
    untried = sorted({*lacking, *result.untried})
    without = f"; untried: {', '.join(untried)}" if untried else ""
    return f"{result.passed} passed, {result.skipped} skipped; seconds: {by_kind}{without}"


def prove(root: Path) -> int:
    """Run everything on what is committed; record it, or return 1 after the names of what failed.

    Raises RefusedError for a tree that is not committed, and for an ordinary user.
    """
    history = History(root)
    if os.getuid() != 0:
        raise RefusedError(
            "what root does is half of it, so it takes root. Yours are `make slow builds attacks "
            "soak`."
        )
    if names := history.uncommitted():
        raise RefusedError(f"not everything is committed ({names[0]}): commit it, or remove it.")
    commit = history.git("rev-parse", "HEAD").strip()
    lacking = [package for package, program in WANTED.items() if not is_here(program)]
    runner = Runner(root, goes_on=True)
    runner.run([Unit("lint", ("make", "lint")), Unit("test", ("make", "test"))])
    runner.run([*units_at(history, commit), *only_long(history.files(commit))])
    result = runner.result
    if result.failed:
        print(f"Not proven: {', '.join(result.failed)} failed.", flush=True)
        return 1
    if history.uncommitted() or history.git("rev-parse", "HEAD").strip() != commit:
        raise RefusedError("the tree was changed while its tests ran: do it again.")
    today = datetime.datetime.now(datetime.UTC).date()
    (root / PROVEN).write_text(f"{commit} {today}: {figures(result, lacking)}\n")
    kept = seconds_of((root / SECONDS).read_text()) if (root / SECONDS).exists() else {}
    kept = {name: kept[name] for name in kept if kind_of(name) in ("again", "setup")}
    said = f"Seconds that each unit of CI took when {commit[:8]} was proven, by `make long`."
    (root / SECONDS).write_text(seconds_text(kept | result.took, said))
    print(f"Proven: {figures(result, lacking)}\nCommit {PROVEN} and {SECONDS}.", flush=True)
    return 0
