"""Who may import whom, as one written list."""

import ast
import sys
from fnmatch import fnmatch

import pytest

from tests.rooms import MODULES, PACKAGES, imports, rooms

OF_OURS = {
    "protocol": {"protocol"},
    "referee": {"protocol", "referee"},
    "arena": {"protocol", "referee", "arena"},
    "bots": set[str](),
}
"""What each package may import of the project: downwards only; bots are run, never imported."""

ORDER = {
    "arena": [
        *(
            "streams",
            "text",
            "folders",
            "environment",
            "stats",
            "schedule",
            "league",
            "store",
            "play",
            "tables",
            "archive",
        ),
        *("author", "organize", "handin", "home", "compare", "watch", "report", "library", "serve"),
        *("cli", "__main__"),
    ],
    "referee": [
        *(
            "lazy",
            "fault",
            "chance",
            "clock",
            "limits",
            "door",
            "words",
            "pattern",
            "field",
            "nested",
            "form",
            "scene",
            "cards",
            "notation",
        ),
        "drawing",
        *("game", "options", "opening"),
        *("meter", "turn_clock", "capture", "printed", "procfs", "signals", "sandbox"),
        "book",
        *("working", "workshop"),
        *("polling", "wire", "pipes", "freezer", "lookout"),
        *("verdict", "scoring", "program"),
        *("folder", "games", "finding", "loading", "identity", "hint"),
        *(
            "bot_process",
            "seat",
            "visiting",
            "kept",
            "starting",
            "judging",
            "replay",
            "evidence",
            "match",
        ),
        *("actions", "local", "pettingzoo", "openspiel", "testing"),
    ],
}
"""The rooms of a package, lowest first: each imports only from those before it."""

HOMES = {
    "click": ["arena.cli.*"],
    "tabulate": ["arena.tables.table"],
    "tomlkit": ["arena.league.edit", "arena.league.league_text"],
    "multiprocess": ["arena.play.spawning"],
    "trueskill": ["arena.stats.*"],
    "caissify_pairings": ["arena.schedule.swiss_dutch"],
    "networkx": ["arena.schedule.matching"],
    "sqlite3": [
        "arena.handin.database",
        "arena.store.database",
        "arena.store.errors",
        "arena.store.flights",
        "arena.store.migrations",
        "arena.store.schema",
    ],
    "msgspec": ["protocol.*", "referee.*", "arena.*"],
    "dask": ["arena.play.cluster.cores"],
    "distributed": [
        "arena.play.cluster.connection",
        "arena.play.cluster.greeting",
        "arena.play.cluster.host",
    ],
    "gymnasium": ["referee.pettingzoo"],
    "jinja2": ["arena.report.templates"],
    "markupsafe": ["arena.report.page", "arena.serve.pages"],
    "numpy": ["referee.pettingzoo"],
    "packaging": ["arena.environment.*"],
    "pettingzoo": ["referee.pettingzoo"],
    "pygal": ["arena.report.plotting"],
    "h11": ["arena.serve.connections", "referee.door.connection", "referee.door.endpoint"],
    "itsdangerous": ["arena.serve.sessions"],
    # their neighbours: they are run as scripts
    "fork_server": ["referee.sandbox.build_server", "referee.sandbox.uid_probe"],
    "bot_cgroup": ["referee.sandbox.fork_server"],
    "own_root": ["referee.sandbox.fork_server", "referee.sandbox.uid_probe"],
    "syscalls": ["referee.sandbox.fork_server", "referee.sandbox.own_root"],
    "kit": ["bots.*"],
    "polite": ["bots.naughty.*"],
    "python_multipart": ["arena.serve.forms"],
    "starlette": ["arena.serve.*"],
    "websockets": ["arena.home.channel", "arena.serve.connections"],
    "uvicorn": ["arena.serve.connections", "arena.serve.server"],
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
    "referee.meter": ["io", "os", "select", "time"],
    "referee.turn_clock": ["io", "os", "select", "time"],
    "arena.stats.*": ["io", "os", "pathlib", "sqlite3", "subprocess", "sys", "time"],
    "arena.schedule.*": ["io", "os", "pathlib", "sqlite3", "subprocess", "sys", "time"],
    "arena.league.seed": ["io", "os", "pathlib", "secrets", "sqlite3", "subprocess", "sys", "time"],
}
"""What some modules do without, to stay pure."""


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


@pytest.mark.parametrize("package", ORDER)
def test_rooms_import_only_from_those_below(package: str) -> None:
    arrows, order = rooms(package), ORDER[package]
    assert sorted(order) == sorted(arrows)
    for room, others in arrows.items():
        above = {other for other in others if order.index(other) > order.index(room)}
        assert not above, room


@pytest.mark.parametrize("pattern", FORBIDDEN)
def test_pure_modules_do_without_the_world(pattern: str) -> None:
    modules = [module for module in MODULES if is_in(module, [pattern])]
    assert modules
    for module in modules:
        for name in imports(module):
            assert not any(f"{name}.".startswith(f"{word}.") for word in FORBIDDEN[pattern]), name


def test_every_home_is_lived_in() -> None:
    imported = {word.partition(".")[0] for module in MODULES for word in imports(module)}
    assert HOMES.keys() <= imported


def test_every_statement_of_sql_stands_in_the_store() -> None:
    """The store's modules hand out values: nobody else sees a connection.

    What is handed in has a database, and statements, of its own.
    """
    found = {
        module
        for module, path in MODULES.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("_db", "execute", "executemany")
    }
    assert found
    assert {
        module for module in found if not is_in(module, HOMES["sqlite3"] + ["arena.store.*"])
    } == set()
