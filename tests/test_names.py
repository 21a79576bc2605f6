"""One name, one thing: no two public classes are called alike."""

import ast
from collections import defaultdict
from fnmatch import fnmatch

from tests.rooms import MODULES

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
