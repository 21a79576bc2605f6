"""The rooms of a package: the modules and packages directly in it, and who imports whom.

`python -m tests.rooms` counts for each package its rooms, its floors (the longest chain of imports
between rooms) and its arrows (pairs of rooms of which one imports the other), and prints the
pictures and tables of docs/dev/architecture.md, which are to be copied there.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx

ROOT = Path(__file__).parents[1]
PACKAGES = ("protocol", "referee", "bots", "arena")
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}


@cache
def nodes(module: str) -> tuple[ast.AST, ...]:
    """Return all nodes of a module's tree."""
    return (*ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))),)


def imports(module: str) -> Iterator[str]:
    """Yield the full names of everything that a module imports, wherever it does."""
    for node in nodes(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute"
            assert node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def home_of(name: str) -> str:
    """Return the module that an imported name is, or is of; nothing if it is none of ours."""
    while name:
        for module in (name, f"{name}.__init__"):
            if module in MODULES:
                return module
        name = name.rpartition(".")[0]
    return ""


def room_of(name: str) -> str:
    """Return the room of its package that a module, or what is imported from it, is in."""
    return name.split(".")[1]


def rooms(package: str) -> dict[str, set[str]]:
    """Return the rooms of a package, each with those that it imports; its face is none."""
    own = [module for module in MODULES if module.startswith(f"{package}.")]
    found: dict[str, set[str]] = {room_of(module): set() for module in own}
    del found["__init__"]
    for module in own:
        if (room := room_of(module)) in found:
            others = {room_of(name) for name in imports(module) if name.startswith(f"{package}.")}
            found[room] |= (others & found.keys()) - {room}
    return found


def graph(package: str) -> "networkx.DiGraph[str]":
    """Return the rooms of a package, each with an arrow to those that it imports."""
    return networkx.DiGraph(rooms(package))


def picture(package: str) -> str:
    """Return a package as a picture for Mermaid: each room points to those that it builds on."""
    arrows = networkx.transitive_reduction(graph(package)).edges  # a longer way says the others
    lines = [f"    {room} --> {other}" for room, other in sorted(arrows)]
    return "\n".join(["```mermaid", "graph TD", *lines, "```"])


def purposes(package: str) -> str:
    """Return the rooms of a package as a table: what each is for, by its own first words."""
    lines = []
    for room in sorted(rooms(package)):
        module = MODULES.get(f"{package}.{room}.__init__") or MODULES[f"{package}.{room}"]
        said = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
        first = " ".join(said.partition("\n\n")[0].split())
        lines.append(f"| `{package}/{room}` | {first} |")
    return "\n".join(["| room | what it is for |", "|---|---|", *lines])


if __name__ == "__main__":
    for package in ("arena", "referee"):
        found = graph(package)
        floors = networkx.dag_longest_path_length(found) + 1
        print(f"{package}: {len(found)} rooms, {floors} floors, {found.size()} arrows")
        print(f"\n{picture(package)}\n\n{purposes(package)}\n")
