"""What CI runs, which landings are refused, and the proof of a commit by all tests.

    .ci/run [list | plan | UNIT ...]
    python -m tests.ci landing [COMMIT]    make landing ON=COMMIT
    python -m tests.ci long                make long
    python -m tests.ci check               make lint
    python -m tests.ci proven              whether `make long` has proved what is committed

Without words, CI runs the plan of the last commit. UNIT is a name of the list, or its first word
for all that begin so. The module needs nothing but Python: it makes the environment of the tests.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.ci.history import History, RefusedError
from tests.ci.landings import check, check_proven, planned, raised, state_at, units_at
from tests.ci.packages import here, install
from tests.ci.plan import Plan, cost
from tests.ci.proving import prove
from tests.ci.running import Guard, Runner
from tests.ci.units import PYTEST, Unit, kind_of, pythons

ROOT = Path(__file__).parents[2]


def say(text: str) -> None:
    """Print at once, so that what programs print comes after it."""
    print(text, flush=True)


def always(skipped: Path) -> list[Unit]:
    """Return what every landing runs; tests that `make test` skips are in a file, and run last."""
    more = f"MORE=-p tests.ci.skipped --skipped-to {skipped}"
    return [
        Unit("lint", ("make", "lint")),
        Unit("test", ("make", "test", more)),
        Unit("again", (*PYTEST, f"@{skipped}")),
    ]


def told(plan: Plan, seconds: dict[str, float]) -> str:
    """Return a plan in words."""
    lines = [f"Landing {plan.number}: {plan.cost / 60:.0f} minutes, by what was recorded."]
    groups = {
        "Always": plan.always,
        "Attacks on what has changed": plan.own,
        "Deferred to this landing": plan.carried,
        "Touched since the proven commit": plan.touched,
        "The share of this landing": plan.share,
        f"Deferred to landing {plan.number + 1}": plan.deferred,
    }
    for title, names in groups.items():
        if names:
            took = cost(names, seconds)
            lines.append(f"{title}, {took:.0f} s: {', '.join(names)}")
    return "\n".join(lines)


def land(root: Path) -> int:
    """Run the plan of the last commit; return the exit code of what failed first."""
    history = History(root)
    plan = planned(history, "HEAD")
    seconds = dict(state_at(history, "HEAD").seconds)
    say(told(plan, seconds))
    units = {unit.name: unit for unit in (*units_at(history, "HEAD"), *pythons())}
    with tempfile.TemporaryDirectory(prefix="arena-ci-") as spare:
        skipped = Path(spare) / "skipped"
        lint, test, again = always(skipped)
        runner = Runner(root, Guard(seconds), {*plan.always, *plan.own})
        if packages := here():
            say(f"Here already, so that `make test` is not bare: {', '.join(packages)}.")
        if code := subprocess.run(["make", ".venv/.dev"], cwd=root, check=False).returncode:
            return code
        if not runner.run([lint, test]):
            return runner.result.code
        if code := install(plan.run(), say):
            return code
        named = [name for name in (*plan.always, *plan.run()) if name in units]
        if not runner.run([units[name] for name in named]):
            return runner.result.code
        if late := runner.result.late:
            say(f"Not begun, as this machine is slower than recorded: {', '.join(late)}")
            say("Each comes with its share, within six landings, or by `.ci/run NAME`.")
        if plan.deferred:
            say(f"Deferred to landing {plan.number + 1}: {', '.join(plan.deferred)}")
        if skipped.read_text():  # it would run all tests if it had no names
            runner.run([again])
    return runner.result.code


def some(root: Path, words: Sequence[str]) -> int:
    """Run the units that words name; return the exit code of what failed first."""
    units = chosen(root, words)
    named = [unit.name for unit in units]
    runner = Runner(root)
    code = install(named, say) if {*named} - {"lint", "test"} else 0
    if not code:
        runner.run(units)
    return code or runner.result.code


def chosen(root: Path, words: Sequence[str]) -> list[Unit]:
    """Return the units that words name; raise RefusedError for one that names none."""
    always = [Unit(name, ("make", name)) for name in ("lint", "test")]
    known = [*always, *pythons(), *units_at(History(root), "HEAD")]
    found = []
    for word in words:
        named = [unit for unit in known if word in (unit.name, kind_of(unit.name))]
        if not named:
            raise RefusedError(f"there is no unit '{word}': `.ci/run list` names them.")
        found += [unit for unit in named if unit not in found]
    return found


def main(words: Sequence[str]) -> int:
    """Do what is asked; return 2 after a line that says why not."""
    history = History(ROOT)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # and end what runs
    try:
        if not words:
            return land(ROOT)
        if words[0] in ("list", "--list"):
            kinds = ("lint", "test", "python", *(unit.name for unit in units_at(history, "HEAD")))
            say("\n".join(unit.name for unit in chosen(ROOT, kinds)))
        elif words[0] in ("--help", "-h"):
            say(__doc__)
        elif words == ["plan"]:
            say(told(planned(history, "HEAD"), dict(state_at(history, "HEAD").seconds)))
        elif words[0] == "landing":
            landing = raised(history, words[1] if len(words) > 1 else None)
            say(f"Landing {landing.number}, on top of {landing.base[:8]}, is committed.")
        elif words == ["long"]:
            return prove(ROOT)
        elif words == ["check"]:
            if not (ROOT / ".git").exists():
                say("This is no clone: landings are not checked.")
            else:
                say(f"Recorded: {check(history, lands=os.environ.get('CI') == 'true')}.")
        elif words == ["proven"]:
            check_proven(history, "HEAD")
            say("`make long` has proved what is committed.")
        else:
            return some(ROOT, words)
    except RefusedError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
