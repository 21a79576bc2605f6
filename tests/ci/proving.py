"""`make long`: everything, and a record of the commit that it was run on."""

import datetime
import json
import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.ci.history import History, RefusedError
from tests.ci.landings import units_at
from tests.ci.packages import WANTED, is_here
from tests.ci.records import OLDER, PROVEN, SECONDS, seconds_of, seconds_text
from tests.ci.running import Ran, Result, Runner
from tests.ci.units import Unit, kind_of, only_long, owned_by, touched_by

PASSED = "build/proof.json"
"""What has passed of a commit that is not proven; git ignores it."""
_OF_ALL = ("bare", "ratios")
"""Kinds of units that any change of the code touches."""


class Kept(NamedTuple):
    """What has passed already, by the names of units; some of it at an older commit."""

    ran: dict[str, Ran]
    older: list[str]


def figures(result: Result, lacking: list[str], older: Sequence[str] = ()) -> str:
    """Return what was run, in one line: tests, seconds by kind, and what went untried."""
    kinds: dict[str, float] = defaultdict(float)
    for name, ran in result.ran.items():
        kinds[kind_of(name)] += ran.seconds
    by_kind = ", ".join(f"{kind} {seconds:.0f}" for kind, seconds in kinds.items())
    passed, skipped = (sum(each[at] for each in result.ran.values()) for at in (1, 2))
    untried = sorted({*lacking, *(each for ran in result.ran.values() for each in ran.untried)})
    without = f"; untried: {', '.join(untried)}" if untried else ""
    before = f"; {OLDER} {len(older)} of {len(result.ran)} units" if older else ""
    return f"{passed} passed, {skipped} skipped; seconds: {by_kind}{without}{before}"


def passed_before(history: History, commit: str) -> Kept:
    """Return what has passed already of a commit.

    That is also what passed of an older one, if nothing has changed since that touches it: where
    few tests have failed, what mends them need not run everything again. It is not all at the very
    commit, which the record says, and a release asks for.
    """
    try:
        kept = json.loads((history.root / PASSED).read_text())
    except FileNotFoundError:
        return Kept({}, [])
    ran = {name: Ran(*each) for name, each in kept["ran"].items()}
    if kept["of"] == commit:
        return Kept(ran, kept["older"])
    if not history.is_ancestor(kept["of"], commit):
        return Kept({}, [])
    units = units_at(history, commit)
    changed = history.changed(kept["of"], commit)
    touched = {name for path in changed for name in touched_by(path, units) | owned_by(path, units)}
    stays = [unit.name for unit in units if unit.name in ran and unit.name not in touched]
    stays = [name for name in stays if kind_of(name) not in _OF_ALL]
    return Kept({name: ran[name] for name in stays}, stays)


def prove(root: Path) -> int:
    """Run everything on what is committed; record it, or return 1 after the names of what failed.

    What has passed is kept as it passes, so that the next call goes on with the rest.
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
    before, older = passed_before(history, commit)
    kept = root / PASSED

    def keep(result: Result) -> None:
        passed = {name: ran for name, ran in result.ran.items() if name not in result.failed}
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps({"of": commit, "ran": before | passed, "older": older}))

    runner = Runner(root, goes_on=True, after=keep)
    first = [Unit("lint", ("make", "lint")), Unit("test", ("make", "test"))]
    for units in (first, [*units_at(history, commit), *only_long(history.files(commit))]):
        runner.run([unit for unit in units if unit.name not in before])
    result = runner.result
    if history.uncommitted() or history.git("rev-parse", "HEAD").strip() != commit:
        raise RefusedError("the tree was changed while its tests ran: do it again.")
    result.ran = before | result.ran
    if result.failed:
        print(
            f"Not proven: {', '.join(result.failed)} failed. `make long` tries these again, and "
            f"with them what you touch to mend them.",
            flush=True,
        )
        return 1
    kept.unlink(missing_ok=True)
    today = datetime.datetime.now(datetime.UTC).date()
    (root / PROVEN).write_text(f"{commit} {today}: {figures(result, lacking, older)}\n")
    known = seconds_of((root / SECONDS).read_text()) if (root / SECONDS).exists() else {}
    known = {name: known[name] for name in known if kind_of(name) in ("again", "setup")}
    took = {name: ran.seconds for name, ran in result.ran.items()}
    said = f"Seconds that each unit of CI took when {commit[:8]} was proven, by `make long`."
    (root / SECONDS).write_text(seconds_text(known | took, said))
    print(f"Proven: {figures(result, lacking, older)}\nCommit {PROVEN} and {SECONDS}.", flush=True)
    return 0
