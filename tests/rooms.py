"""The rooms of a package: the modules and packages directly in it, and who imports whom.

`python -m tests.rooms` counts for each package its rooms, its floors (the longest chain of imports
between rooms) and its arrows (pairs of rooms of which one imports the other), and prints the
pictures and tables of docs/architecture.md, which are to be copied there.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

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


def floors(arrows: dict[str, set[str]]) -> int:
    """Return how many rooms the longest chain of imports goes through; there is no circle."""

    @cache
    def floor(room: str) -> int:
        return 1 + max(map(floor, arrows[room]), default=0)

    return max(map(floor, arrows))


def told(arrows: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the arrows that say something: those that a longer way does not say already."""

    @cache
    def below(room: str) -> frozenset[str]:
        return frozenset(arrows[room]).union(*map(below, arrows[room]))

    return {
        room: {each for each in others if not any(each in below(other) for other in others)}
        for room, others in arrows.items()
    }


def picture(package: str) -> str:
    """Return a package as a picture for Mermaid: each room points to those that it builds on."""
    lines = [
        f"    {room} --> {other}"
        for room, others in sorted(told(rooms(package)).items())
        for other in sorted(others)
    ]
    return "\n".join(["```mermaid", "graph TD", *lines, "```"])


def purposes(package: str) -> str:
    """Return the rooms of a package as a table: what each is for, by its own first words."""
    lines = []
    for room in sorted(rooms(package)):
        module = MODULES.get(f"{package}.{room}.__init__") or MODULES[f"{package}.{room}"]
        words = (ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or "").split(
            "\n\n"
        )
        lines.append(f"| `{package}/{room}` | {' '.join(words[0].split())} |")
    return "\n".join(["| room | what it is for |", "|---|---|", *lines])


if __name__ == "__main__":
    for package in ("arena", "referee"):
        found = rooms(package)
        arrows = sum(map(len, found.values()))
        print(f"{package}: {len(found)} rooms, {floors(found)} floors, {arrows} arrows")
        print(f"\n{picture(package)}\n\n{purposes(package)}\n")
