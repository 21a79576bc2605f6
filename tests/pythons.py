"""Whether each Python plays the same league, with the newest and the lowest dependencies allowed.

    python -m tests.pythons [--here] [PYTHON:DEPENDENCIES ...]

PYTHON is a version such as 3.12, looked for by uv in PATH and in pyenv's folder, or the path of an
interpreter. DEPENDENCIES are the `newest` that pyproject.toml allows, the `lowest`, or those
`beyond`: the newest there are, whatever its upper bounds say. Without words, every Python that
pyproject.toml names is tried with `newest` and `lowest`.

For each, the wheel is installed in an environment of its own, with every extra for which there are
wheels; a selection of tests is run, and a league is played, whose export must have the bytes that
it has under the first in the table; with `--here`, those that it has under the Python that runs
this. A Python that is not here is named, and is a failure if it was asked for.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import Requirement
from tabulate import tabulate

from tests.same_bytes import League, Player, copied_bots, write

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DEPENDENCIES = ("newest", "lowest", "beyond")
TOOLS = ("chess", "hypothesis", "jsonschema", "playwright", "pytest", "pytest-xdist", "trustme")
TESTS = {
    "": [
        "tests/protocol/test_lines.py",
        "tests/protocol/test_messages.py",
        "tests/arena/archive/test_saved.py",
        "tests/arena/cli/test_commands.py",
        "tests/arena/environment/test_requirements.py",
        "tests/arena/league/test_edit.py",
        "tests/arena/report/test_summary.py",
        "tests/arena/stats/test_ratings.py",
        "tests/arena/store/test_store.py",
        "tests/arena/tables/test_table.py",
        "tests/referee/games/test_duel.py",
    ],
    "cluster": ["tests/arena/play/cluster/test_cores.py"],
    "connect": ["tests/arena/home/test_connect.py"],
    "door": ["tests/referee/door/test_endpoint.py"],
    "dutch": ["tests/arena/schedule/test_swiss.py"],
    "openspiel": ["tests/referee/openspiel/test_pgn.py"],
    "pettingzoo": ["tests/referee/training/test_pettingzoo.py"],
    "serve": ["tests/arena/serve/test_sessions.py"],
}
"""For each extra, tests of what is done with its packages; first those of all other packages.

They take a minute: of each package, the calls that a release of it might break.
"""
LEAGUES = (
    *(League("casino_war", 2), League("cold_war", 4), League("duel", 2), League("guerra", 2)),
    *(League("khan", 3), League("steal_war", 2)),
)
"""Of the games whose bots reckon with fractions."""
FIRST_WHEELS = {
    ("numpy", "1.26"): ("1.26; python_version < '3.13'", "2.1; python_version >= '3.13'"),
}
"""Lower bounds that are older than a Python, each with the constraints in its place."""


class TroubleError(Exception):
    """Why a Python cannot be tried, or does not do, in a line."""


class Row(NamedTuple):
    """What became of one Python with one choice of dependencies."""

    python: str
    dependencies: str
    result: str
    seconds: float = 0.0


# --- what pyproject.toml allows


def requirements(extras: Sequence[str] = ()) -> list[Requirement]:
    """Return what the project needs, and these extras."""
    optional: Mapping[str, list[str]] = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in optional[extra])]
    return [Requirement(line) for line in lines]


def extras() -> list[str]:
    """Return the extras that users install, in their order."""
    return [
        name for name in PROJECT["optional-dependencies"] if name not in ("bench", "dev", "docs")
    ]


def tools() -> list[Requirement]:
    """Return what the selected tests need of the extra `dev`."""
    return [each for each in requirements(["dev"]) if each.name in TOOLS]


def lowest(asked: Sequence[Requirement]) -> list[str]:
    """Return a constraint for each that is allowed from a version on: exactly this one.

    Where a Python is newer than that, it is the first that has wheels for it.
    """
    return sorted(
        f"{each.name}=={version}"
        for each in asked
        for bound in each.specifier
        if bound.operator in (">=", "==")
        for version in FIRST_WHEELS.get((each.name, bound.version), (bound.version,))
    )


def beyond(asked: Sequence[Requirement]) -> list[str]:
    """Return requirements without their upper bounds, which stand in place of the true ones."""
    found = []
    for each in asked:
        bounds = [str(bound) for bound in each.specifier if bound.operator not in ("<", "<=")]
        if len(bounds) < len(each.specifier):
            found.append(each.name + ",".join(sorted(bounds)))
    return found


def claimed() -> list[str]:
    """Return the Pythons that the classifiers name, lowest first."""
    found = [re.search(r":: (3\.\d+)$", line) for line in PROJECT["classifiers"]]
    return [each[1] for each in found if each]


# --- one of the table


class Environment:
    """A virtual environment for one Python, with the wheel in it."""

    def __init__(self, python: str, dependencies: str, folder: Path) -> None:
        self._dependencies = dependencies
        self._folder = folder
        folder.mkdir()
        folder.chmod(0o755)
        self.python = folder / "venv" / "bin" / "python"
        self._uv("venv", "--quiet", "--no-project", "--python", python, folder / "venv")

    def _uv(self, *words: object) -> None:
        run([sys.executable, "-m", "uv", *map(str, words)], self._folder)

    def _install(self, *words: object, extras: Sequence[str]) -> None:
        asked = requirements(extras)
        how: list[object] = []
        if self._dependencies == "lowest":
            (self._folder / "lowest.txt").write_text("\n".join(lowest([*asked, *tools()])))
            how = ["--constraints", "lowest.txt"]
        elif self._dependencies == "beyond":
            (self._folder / "beyond.txt").write_text("\n".join(beyond(asked)))
            how = ["--overrides", "beyond.txt"]
        self._uv("pip", "install", "--quiet", "--python", self.python, *how, *words)

    def equip(self, wheel: Path) -> list[str]:
        """Install the wheel with its extras; return those that are left out, each with its reason.

        Raises TroubleError if the rest cannot be installed.
        """
        left_out = {}
        version = run([self.python, "-c", "import platform; print(platform.python_version())"])
        for extra in extras():
            asked = requirements([extra])[len(PROJECT["dependencies"]) :]
            named = {"python_version": ".".join(version.split(".")[:2])}
            misfits = [each for each in asked if each.marker and not each.marker.evaluate(named)]
            if misfits:
                left_out[extra] = f"only for {misfits[0].marker}"
                continue
            lines = map(str, asked)
            try:
                self._install("--dry-run", "--only-binary", ":all:", *lines, extras=[extra])
            except TroubleError as error:
                left_out[extra] = str(error)
        kept = [extra for extra in extras() if extra not in left_out]
        whole = f"bot-arena[{','.join(kept)}] @ {wheel.as_uri()}"
        self._install(whole, *tools(), extras=kept)
        self._extras = kept
        return [f"{extra} ({reason})" for extra, reason in left_out.items()]

    def test(self) -> str:
        """Run the selected tests of this tree; return their last line."""
        files = [file for extra in ("", *self._extras) for file in TESTS[extra]]
        words = ["-m", "pytest", "-q", "-n2", "-p", "no:cacheprovider", "--no-header"]
        words += ["--no-budget"]  # old packages are slower
        told = run([self.python, *words, "-m", "not slow and not soak", *files], ROOT)
        return told.strip().splitlines()[-1].partition(" in ")[0]


def played(python: Path, top: Path) -> str:
    """Play the leagues in a folder; return a hash of all they export, measured values aside."""
    uid = ["--sandbox-uid", "0"] if os.getuid() == 0 else []  # so that bots too run by this
    told = hashlib.sha256()
    bots = copied_bots(ROOT, top)
    player = Player(top, top, python)
    for league in LEAGUES:
        folder = top / "leagues" / league.name
        write(league, folder, bots)
        player.arena("run", folder, "--workers", "2", *uid)
        told.update(json.dumps(player.exported(folder)).encode())
        told.update(player.arena("rank", folder, "--format", "json").encode())
    return told.hexdigest()


def run(words: Sequence[object], folder: Path | None = None) -> str:
    """Return what a program prints; raise TroubleError with what it said last if it fails.

    Of Pythons, uv knows those in PATH; where pyenv is, all of its own are there too.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    found = [os.environ["PATH"], *map(str, pyenv.glob("versions/3.*/bin"))]
    environment = os.environ | {"UV_PYTHON_DOWNLOADS": "never", "COLUMNS": "80"}
    environment["PATH"] = os.pathsep.join(found)
    environment.pop("PYTHONPATH", None)
    how: dict[str, Any] = {"cwd": folder, "env": environment, "stdin": subprocess.DEVNULL}
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, **how)
    if done.returncode:
        print(done.stdout[-6000:], done.stderr[-6000:], sep="\n", file=sys.stderr)
        said = [line.strip(" ×╰─▶") for line in (done.stderr or done.stdout).splitlines()]
        why = " ".join(line for line in said if line)[-300:]
        raise TroubleError(f"{Path(str(words[0])).name} {words[1]} {words[2]}: {why}")
    return done.stdout


# --- the table


def rows(
    asked: Sequence[tuple[str, str]], wheel: Path, top: Path, reference: str = ""
) -> Iterator[Row]:
    """Try each in its order; yield what became of it. `reference` is the league of this Python."""
    first = "this Python" if reference else ""
    for number, (word, dependencies) in enumerate(asked):
        begun = time.monotonic()
        try:
            environment = Environment(word, dependencies, top / str(number))
            left_out = environment.equip(wheel)
            result = environment.test()
            league = played(environment.python, top / str(number))
        except (TroubleError, SystemExit) as error:
            yield Row(word, dependencies, f"FAILED: {error}", time.monotonic() - begun)
            continue
        if not reference:
            first, reference = f"{word}:{dependencies}", league
            result += "; the league is played"
        elif league == reference:
            result += f"; the same league as {first}"
        else:
            result = f"FAILED: another league than {first}"
        if left_out:
            result += f"; without {', '.join(left_out)}"
        yield Row(word, dependencies, result, time.monotonic() - begun)


def table(found: Sequence[Row]) -> str:
    """Return the table, in 80 columns."""
    return tabulate(
        [[*row[:3], round(row.seconds)] for row in found],
        headers=["Python", "Dependencies", "Result", "Seconds"],
        maxcolwidths=[14, None, 42, None],
        disable_numparse=[0],
    )


def choice(word: str) -> tuple[str, str]:
    """Return a Python and its dependencies, from a word such as 3.12:lowest."""
    python, _, dependencies = word.rpartition(":")
    if not python or dependencies not in DEPENDENCIES:
        raise argparse.ArgumentTypeError(
            f"'{word}' is no PYTHON:DEPENDENCIES such as 3.12:newest, 3.11:lowest, 3.13:beyond"
        )
    return python, dependencies


def main(words: Sequence[str] | None = None) -> int:
    """Try what was asked for, print the table; return 1 if any failed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.pythons",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--here", action="store_true", help="compare with this Python's league")
    parser.add_argument("choices", nargs="*", type=choice, metavar="PYTHON:DEPENDENCIES")
    parsed = parser.parse_args(words)
    asked = parsed.choices or [(each, how) for each in claimed() for how in DEPENDENCIES[:2]]
    with tempfile.TemporaryDirectory(prefix="arena-pythons-") as spare:
        top = Path(spare)
        top.chmod(0o755)
        build = [sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--out-dir", top, ROOT]
        run(build)
        found = []
        wheel = next(top.glob("*.whl"))
        (own := top / "here").mkdir()
        reference = played(Path(sys.executable), own) if parsed.here else ""
        for row in rows(asked, wheel, top, reference):
            print(f"{row.python}:{row.dependencies} took {row.seconds:.0f} s", flush=True)
            found.append(row)
    print(table(found))
    return int(any(row.result.startswith("FAILED") for row in found))


if __name__ == "__main__":
    raise SystemExit(main())
