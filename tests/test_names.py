"""Names: no two public classes are called alike, and no code knows a game by its name."""

import ast
import re
from collections import defaultdict
from fnmatch import fnmatch
from pathlib import Path

from referee.games import GAMES
from tests.rooms import MODULES, ROOT

PACKAGES = ("protocol", "referee", "arena")


def scope_of(module: str) -> str:
    """Return within which names are told apart: a game's are for itself, all others for all."""
    return ".".join(module.split(".")[:3]) if fnmatch(module, "referee.games.?*") else ""


def test_no_two_public_classes_have_one_name() -> None:
    homes: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for module, path in MODULES.items():
        if module.partition(".")[0] not in PACKAGES:
            continue  # a bot is a program of its own
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[scope_of(module), node.name].append(module)
    assert ("", "League") in homes
    assert {name: found for (_, name), found in homes.items() if len(found) > 1} == {}


EXAMPLES = {"arena/cli/demo.py"}
"""Where games are named as examples for people, besides docstrings."""


def named_games(path: Path) -> set[str]:
    """Return the games that a file names, in its texts or by an import; docstrings may."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if id(node) not in docstrings
    ]
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    words = {word for text in [*texts, *modules] for word in re.findall(r"\w+", text)}
    return words & {*GAMES}


def test_no_code_knows_a_game_by_its_name() -> None:
    """Games are named in `referee/games/`, and nothing elsewhere is done for one alone."""
    found = {}
    for top in ("arena", "referee", "bots", "protocol"):
        for path in sorted((ROOT / top).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            is_of_a_game = name.startswith("referee/games/") or name.split("/")[1] in GAMES
            if not is_of_a_game and name not in EXAMPLES and (games := named_games(path)):
                found[name] = games
    assert found == {}


def test_naming_a_game_would_be_noticed(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text('"""Of khan."""\n\nif game == "duel":\n    print("in guerra")\n')
    assert named_games(file) == {"duel", "guerra"}
    assert named_games(ROOT / "arena" / "cli" / "demo.py")
