"""The units of CI: what is run whole or not at all, each by a name, and which files touch it."""

from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import NamedTuple

PYTHON = ".venv/bin/python"
PYTEST = (PYTHON, "-m", "pytest", "-q")
_MANY = ("--maxprocesses", "4", "--dist", "worksteal", "-n")
ALONE = ("referee/turn",)
"""Rooms whose slow tests keep cores busy and measure time, so that they run one after another."""
ROOT_ROOM = "repository"
"""What the room of tests of the repository itself is called, whose folder is `tests/`."""

PYTHONS = ("3.12:newest", "3.13:newest", "3.11:lowest")
"""The other Pythons, of which each landing tries the next."""
MORE_PYTHONS = ("3.11:newest", "3.12:lowest", "3.13:lowest")
"""Those that `make long` tries besides."""
ATTACKS = {
    "sandboxes": ("test_attack",),
    "door": ("test_attack_by_a_bot_with_a_door", "test_a_door_opens_nothing_else"),
    "granted": ("test_a_gpu_opens_nothing_else", "test_a_cgroup_closes_gaps_and_opens_none"),
}
"""The tests of `tests/attacks/test_attacks.py` that are a unit; `attacks:others` has the rest."""

ALL = ("*",)
_OF_SANDBOX = ("attacks:*", "builds", "slow:referee/sandbox")
OWN: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("referee/sandbox/*", _OF_SANDBOX),  # the fork server lies there too
    ("referee/door/*", ("attacks:door", "slow:referee/door")),
    ("arena/handin/unpack*", ("builds", "slow:arena/handin")),
    ("arena/environment/unpack*", ("builds", "slow:arena/environment")),
)
"""Which units are attacks on a file, and are run whenever it has changed: never deferred."""
TOUCHED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("pyproject.toml", ALL),
    ("tests/conftest.py", ALL),
    ("Makefile", ("bare",)),
    ("tests/machines/bare.py", ("bare",)),
    ("tests/machines/*", ("aarch64",)),
    ("tests/vectors/*", ("slow:arena/*",)),
    ("*.md", ("slow:docs",)),
    ("referee/sandbox/*", ("aarch64", "slow:places", "slow:arena/languages")),
    ("referee/sandbox/workshop.py", ("builds",)),
    ("arena/environment/*", ("builds",)),
    ("referee/turn/bot_process.py", ("attacks:*",)),
    ("referee/turn/freezer.py", ("attacks:*",)),
    ("arena/play/*", ("soak:faults",)),
    ("arena/store/*", ("soak:faults",)),
    ("arena/handin/*", ("soak:faults",)),
)
"""Which units a file touches besides those of its own room."""
_PROGRAMS = ("pythons", "release", "rooms", "same_bytes")
"""Modules in `tests/` that are run by themselves, and help no tests of rooms."""


class Unit(NamedTuple):
    """What is run by `words`; it tests the files of `room`, a folder as below `tests/`."""

    name: str
    words: tuple[str, ...]
    room: str | None = None


def kind_of(name: str) -> str:
    """Return the kind of a unit: the first word of its name."""
    return name.partition(":")[0]


def catalogue(files: Collection[str], soaking: Collection[str], makefile: str) -> list[Unit]:
    """Return the units of which each landing runs a share, in the order of their names.

    They are those of a tree with these files, of which some have tests that soak.
    """
    found = [
        *_by_room(files, soaking),
        *_attacks(),
        Unit("aarch64", (PYTHON, "-m", "tests.machines.aarch64", "--skip")),
        Unit("bare", (PYTHON, "-m", "tests.machines.bare", "--skip")),
    ]
    if "\nratios:" in makefile:
        found.append(Unit("ratios", ("make", "ratios")))
    return sorted(found)


def pythons(choices: Iterable[str] = PYTHONS) -> list[Unit]:
    """Return the unit of each other Python: its league is compared with one of this Python."""
    words = (PYTHON, "-m", "tests.pythons", "--here")
    return [Unit(f"python:{each}", (*words, each)) for each in choices]


def only_long(files: Collection[str]) -> list[Unit]:
    """Return the units that `make long` alone runs."""
    cgroup = Unit("cgroup", (PYTHON, "-m", "tests.machines.cgroup", "--skip"))
    user = Unit("bare:user", (PYTHON, "-m", "tests.machines.bare", "--skip", "--user"))
    found = [*pythons((*PYTHONS, *MORE_PYTHONS)), cgroup, user]
    if any(file.startswith(("tests/mutants.py", "tests/mutants/")) for file in files):
        found.append(Unit("mutants", (PYTHON, "-m", "tests.mutants")))
    return found


def _by_room(files: Iterable[str], soaking: Collection[str]) -> Iterator[Unit]:
    """Yield the slow tests of each folder, and those that soak, attacks aside."""
    rooms: dict[str, list[str]] = {}
    for path in map(PurePosixPath, files):
        if path.parts[0] == "tests" and path.match("test_*.py"):
            rooms.setdefault(_room(str(path)), []).append(str(path))
    for room, tests in sorted(rooms.items()):
        many = () if room in ALONE else (*_MANY, "logical")
        words = (*PYTEST, "-m", "slow and not soak", *many, *sorted(tests))
        yield Unit(f"slow:{room}", words, room)
        folder = PurePosixPath(tests[0]).parent
        if PurePosixPath("tests/attacks") in (folder, *folder.parents):
            continue
        if any(PurePosixPath(path).parent == folder for path in soaking):
            words = (*PYTEST, "-m", "soak", *_MANY, "auto", *sorted(tests))
            yield Unit(f"soak:{room}", words, room)


def _attacks() -> Iterator[Unit]:
    file = "tests/attacks/test_attacks.py"
    for name, tests in ATTACKS.items():
        yield Unit(f"attacks:{name}", (*PYTEST, *(f"{file}::{test}" for test in tests)), "attacks")
    known = [test for tests in ATTACKS.values() for test in tests]
    left_out = [word for test in known for word in ("--deselect", f"{file}::{test}")]
    for folder in ("builds", "collusion"):
        left_out += ["--ignore", f"tests/attacks/{folder}"]
    yield Unit("attacks:others", (*PYTEST, "-m", "soak", "tests/attacks", *left_out), "attacks")
    collusion = "attacks/collusion"
    yield Unit("attacks:collusion", (*PYTEST, "-m", "soak", f"tests/{collusion}"), collusion)
    builds = "attacks/builds"
    yield Unit("builds", (*PYTEST, "-m", "soak", f"tests/{builds}"), builds)


def _room(path: str) -> str:
    """Return the room of a file: its folder, that of tests without `tests/`."""
    folder = PurePosixPath(path).parent
    parts = folder.parts[1:] if folder.parts[:1] == ("tests",) else folder.parts
    return "/".join(parts) or ROOT_ROOM


def _above(room: str) -> Iterator[str]:
    """Yield a room and those around it, to that of the repository."""
    yield room
    while "/" in room:
        room = room.rpartition("/")[0]
        yield room
    if room != ROOT_ROOM:
        yield ROOT_ROOM


def touched_by(path: str, units: Collection[Unit]) -> set[str]:
    """Return the names of the units that a change of a file touches."""
    rooms = {unit.room for unit in units}
    own = next(room for room in (*_above(_room(path)), None) if room in rooms or room is None)
    found = {unit.name for unit in units if own is not None and unit.room == own}
    file = PurePosixPath(path)
    if file.parts[0] == "tests" and not file.match("test_*.py"):  # it helps those below it as well
        room = _room(path)
        if room != ROOT_ROOM:
            found |= {unit.name for unit in units if f"{unit.room}/".startswith(f"{room}/")}
        elif file.suffix == ".py" and file.stem not in _PROGRAMS:
            found |= {unit.name for unit in units if unit.room is not None}
    return found | matched(path, TOUCHED, units)


def owned_by(path: str, units: Collection[Unit]) -> set[str]:
    """Return the names of the units that attack what a file holds."""
    return matched(path, OWN, units)


def matched(
    path: str, table: Iterable[tuple[str, tuple[str, ...]]], units: Collection[Unit]
) -> set[str]:
    """Return the names of the units that a table has for a file."""
    patterns = [name for file, names in table if fnmatchcase(path, file) for name in names]
    return {unit.name for unit in units for each in patterns if fnmatchcase(unit.name, each)}
