"""The measured figures of the pages: the command and the commit of each, and which are stale.

    python -m tests.docs.figures               # all of them
    python -m tests.docs.figures --stale       # those whose code has changed since
    python -m tests.docs.figures --commands    # what measures those again, the shortest first

A comment that readers do not see stands before what was measured. It holds up to the next one or
the next heading; several that follow one another hold together:

    <!-- measured: python -m tests.benchmarks.decision; at 2cb36b63 -->

The command is a module of the tests, a target of make, or a line with `arena`. `MEASURES` in its
module says which files and folders it measures; if there is none, the comment does: `; at 2cb36b63;
of arena/archive`. Figures are stale if, up to the last commit, a module has come or gone, or one of
its statements, such as a function or a class, has changed or gone. What moved elsewhere, functions
that are new, imports, comments and docstrings do not count.

To measure again, run the command on a machine that does nothing else, and write what it prints into
the page. Then put the commit that was measured (`git rev-parse --short=8 HEAD`) into the comment.

Exits with 1 if figures are stale, or a comment is wrong.
"""

import argparse
import ast
import re
import sys
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePath
from typing import NamedTuple

from tabulate import tabulate

from arena.cli import main as arena
from tests.ci.history import History, RefusedError
from tests.docs.pages import MEASURED, ROOT, PageError, comments, pages_of

_MARK = re.compile(r"(\S.*?); at ([0-9a-f]{7,40})(?:; of (\S.*))?")
_MODULE = re.compile(r"python -m (tests[\w.]*)")
_SECONDS = {"minute": 60, "hour": 3600}
_NUMBERS = {"half": 0.5, "a quarter": 0.25, "a": 1, "two": 2, "three": 3, "some": 4, "four": 4}
_NUMBERS |= {"five": 5, "ten": 10, "twelve": 12, "twenty": 20}
_LASTS = re.compile(
    rf"(?<!games )(?<!once )\b({'|'.join(_NUMBERS)})( of)?( an?)? (minute|hour)s?\b"
)


class Mark(NamedTuple):
    """What is said of the figures that follow it in a page."""

    page: str
    line: int
    command: str
    commit: str
    paths: tuple[str, ...]
    """What the command measures: files and folders of the project."""
    lasts: str
    """How long the command takes, as its module says it; empty if it does not."""


class Aged(NamedTuple):
    """A mark, with its age in days and a file that has changed since, if there is one."""

    mark: Mark
    days: int
    changed: str | None


def marks(root: Path = ROOT) -> Iterator[Mark]:
    """Yield the marks of all pages; PageError for one that is wrong."""
    for page in pages_of(root):
        for line, text in comments((root / page).read_text(encoding="utf-8"), MEASURED):
            try:
                yield _mark(root, page, line, text)
            except ValueError as error:
                raise PageError(page, line, str(error)) from None


def _mark(root: Path, page: str, line: int, text: str) -> Mark:
    if not (found := _MARK.fullmatch(text)):
        raise ValueError(
            f"{text!r} is none of 'COMMAND; at COMMIT' and 'COMMAND; at COMMIT; of PATHS'"
        )
    command, commit, said = found[1], found[2], tuple((found[3] or "").split())
    module = module_of(root, command)
    tree = ast.parse(module.read_text(encoding="utf-8") if module else "")
    measures = [
        ast.literal_eval(node.value).split()
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MEASURES"
    ]
    if bool(measures) == bool(said):
        raise ValueError(f"either MEASURES or the comment has to say what {command!r} measures")
    paths = tuple(measures[0]) if measures else said
    for path in paths:
        if not (root / path).exists():
            raise ValueError(f"{command!r} measures {path}, which does not exist")
    docstring = ast.get_docstring(tree) or ""
    own = re.findall(rf"{re.escape(command)} +#.*", docstring)  # or what it says of another
    lasts = _LASTS.search(" ".join([*own, *docstring.split()]))
    return Mark(page, line, command, commit, paths, lasts[0] if lasts else "")


def module_of(root: Path, command: str) -> Path | None:
    """Return the file of the tests that a command runs, if any; ValueError if there is no such."""
    words = [*command.split(), ""]
    recipe: str | None = command
    if words[0] == "make":
        target = rf"^{re.escape(words[1])}:.*\n((?:\t.*\n)*)"
        found = re.search(target, (root / "Makefile").read_text(), re.MULTILINE)
        recipe = found and found[1]
    elif not (_MODULE.search(command) or (words[0] == "arena" and words[1] in arena.commands)):
        recipe = None
    if recipe is None:
        raise ValueError(f"there is no command {command!r}")
    if not (found := _MODULE.search(recipe)):
        return None
    path = root / found[1].replace(".", "/")
    for file in (path.with_suffix(".py"), path / "__main__.py"):
        if file.is_file():
            return file
    raise ValueError(f"there is no module {found[1]}")


def seconds(lasts: str) -> float:
    """Return how long something takes of which words say it; endless if there are none."""
    found = _LASTS.fullmatch(lasts)
    return _NUMBERS[found[1]] * _SECONDS[found[4]] if found else float("inf")


class Ages:
    """How old marks are, by the commits of a clone up to its last one.

    Raises RefusedError if the folder is no clone, or a shallow one, which lacks old commits.
    """

    def __init__(self, root: Path) -> None:
        self._git = History(root).git
        if not (root / ".git").exists():
            raise RefusedError(f"{root} is no clone: its commits are not known.")
        if self._git("rev-parse", "--is-shallow-repository").strip() == "true":
            raise RefusedError("This clone is shallow and lacks commits: git fetch --unshallow")
        self._times = dict(map(str.split, self._git("log", "--format=%H %ct").splitlines()))

    def commit(self, mark: Mark) -> str:
        """Return the whole name of a mark's commit; PageError if it is none of these."""
        found = [commit for commit in self._times if commit.startswith(mark.commit)]
        if len(found) != 1:
            raise PageError(mark.page, mark.line, f"there is no commit {mark.commit} before HEAD")
        return found[0]

    def aged(self, mark: Mark) -> Aged:
        """Return how old a mark is, and what has changed; PageError if its commit is unknown."""
        commit = self.commit(mark)
        days = int(time.time() - int(self._times[commit])) // 86400
        return Aged(mark, days, self._changed(commit, mark.paths))

    @lru_cache  # noqa: B019 - it lives as long as the command
    def _changed(self, commit: str, paths: tuple[str, ...]) -> str | None:
        diff = self._diff(commit)
        now = frozenset[str]().union(*(self._code(after) for _, after, _ in diff))
        for before, after, name in diff:
            if any(PurePath(name).is_relative_to(path) for path in paths):
                is_new = not before.strip("0")
                if is_new or not after.strip("0") or not self._code(before) <= now:
                    return name
        return None

    @lru_cache  # noqa: B019 - it lives as long as the command
    def _diff(self, commit: str) -> list[tuple[str, str, str]]:
        """Return the modules that changed: what they were, what they are, what they are called.

        A module that moved is no new one, and has both names.
        """
        words = ("diff", "--raw", "-M", "-l0", "--no-abbrev", commit, "HEAD")
        lines = [line.split(maxsplit=4) for line in self._git(*words).splitlines()]
        return [
            (before, after, name)
            for *_, before, after, kind in lines
            for name in kind.split("\t")[1:]
            if name.endswith(".py")
        ]

    @lru_cache  # noqa: B019 - it lives as long as the command
    def _code(self, blob: str) -> frozenset[str]:
        """Return the statements of a stored module, without imports, comments and docstrings."""
        if not blob.strip("0"):
            return frozenset()
        tree = ast.parse(self._git("cat-file", "blob", blob))
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                node.body = [part for part in node.body if not _is_text(part)]
        imports = (ast.Import, ast.ImportFrom)
        return frozenset(ast.dump(part) for part in tree.body if not isinstance(part, imports))


def _is_text(part: ast.stmt) -> bool:
    value = part.value if isinstance(part, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def aged(root: Path = ROOT) -> list[Aged]:
    """Return all marks with their age; PageError for the first that is wrong."""
    ages = Ages(root)
    return [ages.aged(mark) for mark in marks(root)]


def commands(found: list[Aged]) -> list[str]:
    """Return what measures stale figures again, each once, the shortest first."""
    lasts = {each.mark.command: each.mark.lasts for each in found if each.changed}
    ordered = sorted(lasts, key=lambda command: seconds(lasts[command]))
    return [f"{each:70} # {lasts[each] or 'not known how long'}" for each in ordered]


def main() -> int:
    """Print the marks as a table, or commands; return 1 if any is stale."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.docs.figures",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--stale", action="store_true", help="only those that are stale")
    parser.add_argument("--commands", action="store_true", help="what measures those again")
    asked = parser.parse_args()
    try:
        found = aged()
    except (PageError, RefusedError) as error:
        print(error, file=sys.stderr)
        return 1
    if asked.commands:
        print("\n".join(commands(found)))
    else:
        rows = [
            (f"{mark.page}:{mark.line}", mark.command, mark.commit, days, changed)
            for mark, days, changed in found
            if changed or not asked.stale
        ]
        print(
            tabulate(
                rows,
                ("Figures", "Command", "Commit", "Days", "Changed since"),
                disable_numparse=[2],
            )
        )
    return int(any(each.changed for each in found))


if __name__ == "__main__":
    raise SystemExit(main())
