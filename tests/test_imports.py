"""Who may import whom, as one written list."""

import ast
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("protocol", "referee", "bots", "arena")
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}

OF_OURS = {
    "protocol": {"protocol"},
    "referee": {"protocol", "referee"},
    "arena": {"protocol", "referee", "arena"},
    "bots": set[str](),
}
"""What each package may import of the project: downwards only; bots are run, never imported."""

HOMES = {
    "click": ["arena.cli.*"],
    "tabulate": ["arena.tables"],
    "multiprocess": ["arena.spawning"],
    "trueskill": ["arena.stats.*"],
    "sqlite3": ["arena.database", "arena.database_file", "arena.migrations", "arena.schema"],
    "msgspec": ["protocol.*", "referee.*", "arena.*"],
    "dask": ["arena.cluster.cores"],
    "distributed": ["arena.cluster.connection", "arena.cluster.greeting", "arena.cluster.host"],
    "gymnasium": ["referee.pettingzoo"],
    "jinja2": ["arena.report.page"],
    "markupsafe": ["arena.report.page"],
    "numpy": ["referee.pettingzoo"],
    "pettingzoo": ["referee.pettingzoo"],
    "pygal": ["arena.report.plotting"],
    "kit": ["bots.*"],
    "polite": ["bots.naughty.*"],
}
"""Where each third-party package, SQL and the bots' helpers are at home."""

FORBIDDEN = {
    "referee.games.*": [
        *("referee.bot_process", "referee.clock", "referee.sandbox", "referee.seat"),
        "referee.starting",
        *("os", "pathlib", "socket", "subprocess", "sys", "threading", "time"),
    ],
    "referee.game": [
        *("referee.bot_process", "referee.clock", "referee.sandbox", "referee.starting"),
        *("os", "time"),
    ],
    "arena.stats.*": ["io", "os", "pathlib", "sqlite3", "subprocess", "sys", "time"],
    "arena.schedule": ["io", "os", "pathlib", "sqlite3", "subprocess", "sys", "time"],
    "arena.seed": ["io", "os", "pathlib", "secrets", "sqlite3", "subprocess", "sys", "time"],
}
"""What some modules do without, to stay pure."""


def imports(module: str) -> Iterator[str]:
    """Yield the full names of everything that a module imports, wherever it does."""
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute"
            assert node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_in(name: str, patterns: list[str]) -> bool:
    """Whether a module is one of these or inside one of them."""
    return any(fnmatch(name, pattern) or f"{name}.*" == pattern for pattern in patterns)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_it_may(module: str) -> None:
    package = module.partition(".")[0]
    for name in imports(module):
        top = name.partition(".")[0]
        if top in PACKAGES:
            assert top in OF_OURS[package], name
        elif top not in sys.stdlib_module_names or top in HOMES:
            assert is_in(module, HOMES.get(top, [])), name


@pytest.mark.parametrize("pattern", FORBIDDEN)
def test_pure_modules_do_without_the_world(pattern: str) -> None:
    modules = [module for module in MODULES if is_in(module, [pattern])]
    assert modules
    for module in modules:
        for name in imports(module):
            assert not any(f"{name}.".startswith(f"{word}.") for word in FORBIDDEN[pattern]), name


@pytest.mark.parametrize("name", HOMES)
def test_every_home_is_lived_in(name: str) -> None:
    assert any(word.partition(".")[0] == name for module in MODULES for word in imports(module))
