"""Who may import whom, as one written list; and who may be called how."""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from fnmatch import fnmatch

import networkx
import pytest

from referee.games import GAMES
from tests.rooms import MODULES, PACKAGES, home_of, imports, nodes, rooms

OF_OURS = {
    "protocol": {"protocol"},
    "referee": {"protocol", "referee"},
    "arena": {"protocol", "referee", "arena"},
    "bots": set[str](),
}
"""What each package may import of the project: downwards only; bots are run, never imported."""

ORDER = {
    "arena": [
        *("streams", "text", "folders", "environment", "stats", "schedule", "league", "store"),
        *("play", "tables", "archive", "author", "organize", "handin", "home", "compare", "watch"),
        *("report", "person", "library", "serve", "cli", "__main__"),
    ],
    "referee": [
        *("lazy", "allowed", "limits", "process", "rules", "door", "sandbox", "turn", "match"),
        *("program", "games", "catalog", "training", "openspiel", "testing"),
    ],
}
"""The rooms of a package, lowest first: each imports only from those before it."""

OF_THE_DOOR = {
    f"referee.door.{name}" for name in ("client", "endpoint", "line_pipes", "open_request")
}
"""Modules that know each other: one circle, the only one."""

HOMES = {
    "click": ["arena.cli.*"],
    "tabulate": ["arena.tables.table"],
    "tomlkit": ["arena.league.edit", "arena.league.league_text"],
    "multiprocess": ["arena.play.spawning"],
    "trueskill": ["arena.stats.*"],
    "caissify_pairings": ["arena.schedule.swiss_dutch"],
    "networkx": ["arena.schedule.matching"],
    "sqlite3": [
        *("arena.handin.database", "arena.store.schema", "arena.store.sqlite_file"),
        "arena.store.under_way",
    ],
    "greenlet": ["arena.play.slow.loop"],
    "msgspec": ["protocol.*", "referee.*", "arena.*"],
    "dask": ["arena.play.cluster.cores"],
    "distributed": [f"arena.play.cluster.{name}" for name in ("connection", "greeting", "host")],
    "gymnasium": ["referee.training.pettingzoo"],
    "jinja2": ["arena.report.templates"],
    "markupsafe": [
        "arena.report.inlined",
        "arena.report.page",
        "arena.report.templates",
        "arena.serve.markdown",
        "arena.serve.pages",
    ],
    "numpy": ["arena.schedule.worth", "arena.stats.*", "referee.training.pettingzoo"],
    "packaging": ["arena.environment.*"],
    "pettingzoo": ["referee.training.pettingzoo"],
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

_WORLD = ["io", "os", "pathlib", "sqlite3", "subprocess", "sys", "time"]
_BOTS = [
    "referee.turn.bot_process",
    "referee.turn.clock",
    "referee.sandbox",
    "referee.turn.starting",
]
FORBIDDEN = {
    "referee.games.*": [
        *(*_BOTS, "referee.match.seat"),
        *("os", "pathlib", "socket", "subprocess", "sys", "threading", "time"),
    ],
    "referee.rules.game": [*_BOTS, "os", "time"],
    "referee.match.match": [
        *_WORLD,
        "referee.turn.bot_process",
        "referee.match.seat",
        "select",
        "threading",
    ],
    "referee.turn.meter": ["io", "os", "select", "time"],
    "referee.turn.turn_clock": ["io", "os", "select", "time"],
    "arena.stats.*": _WORLD,
    "arena.schedule.*": _WORLD,
    "arena.league.seed": [*_WORLD, "secrets"],
}
"""What some modules do without, to stay pure."""


def is_in(name: str, patterns: list[str]) -> bool:
    """Whether a module is one of these or inside one of them."""
    return any(fnmatch(name, pattern) or f"{name}.*" == pattern for pattern in patterns)


@pytest.fixture(scope="module", autouse=True)
def _all_read() -> None:
    """Read the modules once for all tests."""
    for module in MODULES:
        nodes(module)


def test_a_module_imports_only_what_it_may() -> None:
    for module in MODULES:
        package = module.partition(".")[0]
        for name in imports(module):
            top = name.partition(".")[0]
            if top in PACKAGES:
                assert top in OF_OURS[package], f"{module} imports {name}"
            elif top not in sys.stdlib_module_names or top in HOMES:
                assert is_in(module, HOMES.get(top, [])), f"{module} imports {name}"


@pytest.mark.parametrize("package", ORDER)
def test_rooms_import_only_from_those_below(package: str) -> None:
    arrows, order = rooms(package), ORDER[package]
    assert sorted(order) == sorted(arrows)
    for room, others in arrows.items():
        above = {other for other in others if order.index(other) > order.index(room)}
        assert not above, room


def test_no_modules_of_the_referee_import_each_other_in_a_circle() -> None:
    """Not in a function either, nor for types alone."""
    own = {module for module in MODULES if module.startswith("referee.")}
    arrows = ((module, home_of(name)) for module in own for name in imports(module))
    found = networkx.strongly_connected_components(networkx.DiGraph(arrows))
    circles = [circle for circle in found if len(circle) > 1 and not circle <= OF_THE_DOOR]
    assert not circles


def test_pure_modules_do_without_the_world() -> None:
    for pattern, forbidden in FORBIDDEN.items():
        modules = [module for module in MODULES if is_in(module, [pattern])]
        assert modules, pattern
        for module in modules:
            for name in imports(module):
                assert not any(f"{name}.".startswith(f"{word}.") for word in forbidden), module


def test_every_home_is_lived_in() -> None:
    imported = {word.partition(".")[0] for module in MODULES for word in imports(module)}
    assert HOMES.keys() <= imported


def test_every_statement_of_sql_stands_in_the_store() -> None:
    """The store's modules hand out values: nobody else sees a connection.

    What is handed in has a database, and statements, of its own.
    """
    found = {
        module
        for module in MODULES
        for node in nodes(module)
        if isinstance(node, ast.Attribute) and node.attr in ("_db", "execute", "executemany")
    }
    assert found
    assert not [each for each in found if not is_in(each, HOMES["sqlite3"] + ["arena.store.*"])]


def test_no_two_public_classes_of_a_package_have_one_name() -> None:
    """A game's names are for itself, all others for their package; a bot is a program."""
    homes: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for module in MODULES:
        scope = ".".join(module.split(".")[: 3 if fnmatch(module, "referee.games.?*") else 1])
        for node in nodes(module):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[scope, node.name].append(module)
    assert ("arena", "League") in homes
    assert not [(key, found) for key, found in homes.items() if len(found) > 1 and key[0] != "bots"]


EXAMPLES = {"arena.cli.demo"}
"""Where games are named as examples for people, besides docstrings."""


def named_games(found: Iterable[ast.AST]) -> set[str]:
    """Return the games that a module names, in its texts or by an import; docstrings may."""
    found = list(found)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    firsts = [node.body[0] for node in found if isinstance(node, documented) and node.body]
    docstrings = {id(first.value) for first in firsts if isinstance(first, ast.Expr)}
    texts = [node.module or "" for node in found if isinstance(node, ast.ImportFrom)]
    for node in found:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts += [node.value] * (id(node) not in docstrings)
    return {word for text in texts for word in re.findall(r"\w+", text)} & {*GAMES}


def test_no_code_knows_a_game_by_its_name() -> None:
    """Games are named in `referee/games/`, and nothing elsewhere is done for one alone."""
    found = {}
    for module in MODULES:
        is_of_a_game = module.startswith("referee.games.") or module.split(".")[1] in GAMES
        if not is_of_a_game and module not in EXAMPLES and (games := named_games(nodes(module))):
            found[module] = games
    assert found == {}
    naming = '"""Of khan."""\n\nif game == "duel":\n    print("in guerra")\n'
    assert named_games(ast.walk(ast.parse(naming))) == {"duel", "guerra"}
