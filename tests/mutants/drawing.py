"""Which mutants are tried, and by which tests: the same ones for a commit, whoever draws them."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path

from tests.mutants.mutating import Mutant, mutants_of

ROOT = Path(__file__).parents[2]
PACKAGES = ("protocol", "referee", "arena")

PURE = (
    *("referee/match/judging.py", "referee/turn/clock.py"),
    *("referee/turn/turn_clock.py", "referee/turn/meter.py"),
    *("referee/rules/form.py", "referee/rules/field.py"),
    *("referee/rules/nested.py", "referee/rules/pattern.py"),
    *("referee/allowed.py", "referee/door/usage.py"),
    *("referee/door/hiding.py", "referee/door/addresses.py"),
    *("arena/schedule/*.py", "arena/stats/*.py"),
    *("arena/handin/unpack.py", "arena/handin/receiving.py"),
    *("arena/store/rounds.py", "arena/store/tournament.py"),
)
"""Modules whose tests call them, and start few processes or none."""


def _test_of(module: str) -> str:
    """Return the file that tests a module, which is named without `.py`."""
    return os.path.normpath(Path("tests", module).with_name(f"test_{Path(module).name}.py"))


_SHARED = (
    ("referee/match", "judging", "match"),
    ("referee/turn", "meter", "turn_clock fair_clock"),
    ("referee/rules", "field nested form", "form ../training/actions"),
    ("referee/rules", "pattern", "../training/actions ../program/hostile_schemas"),
    ("referee", "allowed", "door/terms door/attacks"),
    ("referee/door", "usage", "turns attacks"),
    ("referee/door", "hiding", "attacks"),
    ("referee/door", "addresses", "addresses attacks"),
    ("arena/store", "rounds tournament", "../play/rounds ../schedule/settled"),
    ("arena/schedule", "bracket elimination", "knockout double_elimination rounds"),
    (
        "arena/schedule",
        "matching swiss swiss_dutch swiss_scores swiss_standings",
        "swiss rounds",
    ),
    ("arena/schedule", "ties", "swiss rounds knockout double_elimination"),
    ("arena/schedule", "asked deal format_kinds plain_formats", "schedule formats rounds"),
    ("arena/schedule", "even", "formats settled"),
    ("arena/schedule", "goal settled_texts worth", "settled"),
    (
        "arena/stats",
        "covariance gaussian likelihood outcomes propagation spreads",
        "gaussian ratings standings combined",
    ),
    ("arena/stats", "margins", "margins lottery cycles"),
    ("arena/stats", "together", "pairs"),
)
"""A folder, modules in it, and the tests of these, as in the folder of tests that mirrors it."""
OWN_TESTS = {
    f"{folder}/{module}.py": tuple(_test_of(f"{folder}/{test}") for test in tests.split())
    for folder, modules, tests in _SHARED
    for module in modules.split()
}
"""The tests of the pure modules that have no file of their own, or not that alone."""


def pure_modules() -> list[str]:
    """Return the files of the pure modules."""
    files = (file for pattern in PURE for file in sorted(ROOT.glob(pattern)))
    return [_named(file) for file in files if file.name != "__init__.py"]


def other_modules() -> list[str]:
    """Return the files of all other modules, of games too, but not of bots."""
    pure = set(pure_modules())
    files = (_named(file) for top in PACKAGES for file in sorted((ROOT / top).rglob("*.py")))
    return [name for name in files if name not in pure]


def draw(modules: Iterable[str], count: int, seed: str) -> list[Mutant]:
    """Return so many mutants: one of each module, and then another one of each that has more."""

    def place(*words: object) -> str:
        return sha256(":".join(map(str, (seed, *words))).encode()).hexdigest()

    piles = []
    for module in sorted(modules, key=place):
        pile = [(place(*mutant.key, number), mutant) for mutant, number in _numbered(module)]
        piles.append([mutant for _, mutant in sorted(pile, key=lambda each: each[0])])
    dealt = (mutant for row in zip_longest(*piles) for mutant in row if mutant is not None)
    found = [mutant for mutant, _ in zip(dealt, range(count), strict=False)]
    return sorted(found, key=lambda mutant: (mutant.module, mutant.number, mutant.becomes))


def _numbered(module: str) -> Iterator[tuple[Mutant, int]]:
    """Yield the mutants of a module, each with how many before it have the same key."""
    seen: Counter[tuple[str, ...]] = Counter()
    for mutant in mutants_of(module, (ROOT / module).read_text(encoding="utf-8")):
        yield mutant, seen[mutant.key]
        seen[mutant.key] += 1


def own_tests(module: str) -> Sequence[str]:
    """Return the files of the tests of a pure module."""
    return OWN_TESTS.get(module) or (_test_of(module.removesuffix(".py")),)


def room_tests(module: str) -> Sequence[str]:
    """Return the tests of the folder that mirrors a module's, those nearest to it first."""
    path = Path(module)
    folder = ROOT / "tests" / path.parent
    while not list(folder.glob("test_*.py")):
        folder = folder.parent
    dotted = re.escape(".".join(path.with_suffix("").parts))
    words = {*path.parent.parts[2:], path.stem}

    def distance(file: Path) -> tuple[bool, bool, bool, str]:
        text = file.read_text(encoding="utf-8")
        return (
            file.stem != f"test_{path.stem}",
            not any(word in file.stem for word in words),
            not re.search(rf"{dotted}\b", text),
            file.name,
        )

    return [_named(file) for file in sorted(folder.glob("test_*.py"), key=distance)]


def _named(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()
