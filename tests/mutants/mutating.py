"""The mutants of a module: small changes of its text, each of which some test should notice.

They are found in the syntax tree and made in the text, so that all else stays as it was written.
Docstrings, annotations, texts for people, decorators and `__repr__` have none.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

_COMPARED = dict(
    each.split(" to ")
    for each in (
        *("< to <=", "<= to <", "> to >=", ">= to >", "== to !=", "!= to =="),
        *("in to not in", "not in to in", "is to is not", "is not to is"),
    )
)
_COMPARISON = re.compile(rb"<=|>=|==|!=|<|>|not\s+in|is\s+not|\bin\b|\bis\b")
_RECKONED = dict(
    each.split(" to ")
    for each in (
        *("+ to -", "- to +", "* to /", "/ to *", "// to *", "% to //", "** to *"),
        *("<< to >>", ">> to <<", "& to |", "| to &", "^ to |"),
    )
)
_OPERATOR = re.compile(rb"\*\*|//|<<|>>|[-+*/%&|^]")
_SWAPPED = {"min": "max", "any": "all", "floor": "ceil"}
_SWAPPED |= {after: before for before, after in _SWAPPED.items()}
_LEAVES = (ast.Raise, ast.Return, ast.Continue, ast.Break)
_ROWS = (ast.JoinedStr, ast.List, ast.ListComp, ast.Tuple)
_TYPING = ("Annotated", "Literal", "TypeVar", "TypeAlias")
_LONGEST_LIST = 8
"""Elements of a list outside of functions that is code; a longer one is data."""

_LEFT_ALONE: dict[type[ast.AST], tuple[str, ...]] = {
    ast.FunctionDef: ("decorator_list", "returns"),
    ast.AsyncFunctionDef: ("decorator_list", "returns"),
    ast.ClassDef: ("decorator_list", "bases", "keywords"),
    ast.arguments: ("posonlyargs", "args", "vararg", "kwonlyargs", "kwarg"),
    ast.AnnAssign: ("annotation",),
    ast.Raise: ("exc", "cause"),
    ast.Assert: ("test", "msg"),
    ast.JoinedStr: ("values",),
}
"""Fields of the syntax that have no mutants."""


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    module: str
    """Its file, from the root of the repository."""
    function: str
    """The function or class that holds the change; empty outside of all."""
    number: int
    """The line."""
    line: str
    """The line as it is, without its indent."""
    becomes: str
    """The line as it is after the change."""
    original: str
    """The whole module as it is."""
    text: str
    """The whole module after the change."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it is known by, wherever the line stands."""
        return self.module, self.function, self.line, self.becomes

    def diff(self) -> str:
        """Return what it changes, with the lines around it."""
        before, after = self.original.splitlines(), self.text.splitlines()
        return "\n".join([*unified_diff(before, after, n=1, lineterm="")][3:])


class _Change(NamedTuple):
    start: int
    end: int
    becomes: str
    function: str


def mutants_of(module: str, text: str) -> Iterator[Mutant]:
    """Yield all mutants of a module, given its file and text, in the order of the text."""
    source = _Source(text.encode())
    for change in sorted(source.changes(), key=lambda each: (each.start, each.end)):
        before, after = source.text[: change.start], source.text[change.end :]
        mutated = (before + change.becomes.encode() + after).decode()
        number = before.count(b"\n")
        yield Mutant(
            module,
            change.function,
            number + 1,
            text.split("\n")[number].strip(),
            mutated.split("\n")[number].strip(),
            text,
            mutated,
        )


class _Source:
    """The text of a module, and where in it the parts of its syntax are."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._tree = ast.parse(text)

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer(b"\n", self.text))]

    def _start(self, node: Any) -> int:
        return self._lines[node.lineno - 1] + int(node.col_offset)

    def _end(self, node: Any) -> int:
        return self._lines[node.end_lineno - 1] + int(node.end_col_offset)

    def _of(self, node: ast.AST) -> str:
        return self.text[self._start(node) : self._end(node)].decode()

    def changes(self) -> Iterator[_Change]:
        """Yield what may be changed."""
        yield from self._below(self._tree, ())

    def _below(self, node: ast.AST, scope: tuple[str, ...]) -> Iterator[_Change]:
        for start, end, becomes in self._here(node, scope):
            yield _Change(start, end, becomes, ".".join(scope))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name == "__repr__":
                return
            scope = (*scope, node.name)
        for child in self._children(node):
            if not self._is_data(child, scope):
                yield from self._below(child, scope)

    def _children(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the parts of a node that may be changed."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _TYPING:
                return
            if node.func.id == "isinstance":
                yield node.args[0]
                return
        if isinstance(node, ast.Subscript) and self._of(node.value) in _TYPING:
            return
        if isinstance(node, ast.AnnAssign) and self._of(node.annotation) in _TYPING:
            return
        if isinstance(node, ast.keyword) and node.arg == "strict":
            return  # of zip: it states what holds, as an assertion does
        for name, value in ast.iter_fields(node):
            if name in _LEFT_ALONE.get(type(node), ()):
                continue
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST):
                    yield each

    def _is_data(self, node: ast.AST, scope: tuple[str, ...]) -> bool:
        if not isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
            return False
        elements = node.values if isinstance(node, ast.Dict) else node.elts
        return len(elements) > _LONGEST_LIST and not any(name[:1].islower() for name in scope)

    def _here(self, node: ast.AST, scope: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
        """Yield changes of a node itself: where they begin and end, and what stands there then."""
        match node:
            case ast.Compare():
                for left, right in pairwise([node.left, *node.comparators]):
                    yield from self._between(left, right, _COMPARISON, _COMPARED)
            case ast.BoolOp():
                words = {"and": "or", "or": "and"}
                for left, right in pairwise(node.values):
                    yield from self._between(left, right, re.compile(rb"\b(and|or)\b"), words)
            case ast.BinOp() if not (self._is_of_texts(node) or isinstance(node.op, ast.MatMult)):
                yield from self._between(node.left, node.right, _OPERATOR, _RECKONED)
            case ast.AugAssign():
                yield from self._between(node.target, node.value, _OPERATOR, _RECKONED)
            case ast.UnaryOp(op=ast.Not()):
                yield self._start(node), self._end(node), f"({self._of(node.operand)})"
            case ast.Constant():
                for value in self._other_values(node.value):
                    yield self._start(node), self._end(node), value
            case ast.arguments():
                for default in [*node.defaults, *filter(None, node.kw_defaults)]:
                    yield from self._other_text(default)
            case ast.AnnAssign() if scope and node.value is not None:
                yield from self._other_text(node.value)
            case ast.Call():
                yield from self._swapped(node.func)
            case ast.Return() if node.value is not None:
                yield from self._returns(node.value)
            case ast.If() | ast.While() | ast.IfExp():
                yield from self._negated(node.test)
            case ast.comprehension():
                for test in node.ifs:
                    yield from self._negated(test)
        if isinstance(node, ast.stmt) and self._can_go(node, scope):
            yield self._start(node), self._end(node), "pass"

    def _between(
        self, left: ast.AST, right: ast.AST, pattern: re.Pattern[bytes], others: dict[str, str]
    ) -> Iterator[tuple[int, int, str]]:
        found = pattern.search(self.text, self._end(left), self._start(right))
        assert found
        word = " ".join(found[0].decode().split())
        yield found.start(), found.end(), others[word]

    def _is_of_texts(self, node: ast.BinOp) -> bool:
        """Return whether texts or lists are put together, or types."""
        for each in (node.left, node.right):
            if isinstance(each, _ROWS):
                return True
            if isinstance(each, ast.Constant) and not isinstance(each.value, int | float):
                return True
            is_type = isinstance(each, ast.Name | ast.Attribute) and self._of(each)[:1].isupper()
            if isinstance(node.op, ast.BitOr) and is_type and not self._of(each).isupper():
                return True
        return False

    def _other_values(self, value: object) -> list[str]:
        if isinstance(value, bool):
            return [str(not value)]
        if isinstance(value, int):
            return [str(each) for each in {value + 1, 0} - {value}]
        if isinstance(value, float):
            return ["0.0", repr(2 * value)] if value else ["1.0"]
        return []

    def _other_text(self, node: ast.expr) -> Iterator[tuple[int, int, str]]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield self._start(node), self._end(node), '""' if node.value else '"another"'

    def _swapped(self, called: ast.expr) -> Iterator[tuple[int, int, str]]:
        name = self._of(called).rpartition(".")[2]
        if name in _SWAPPED and isinstance(called, ast.Name | ast.Attribute):
            end = self._end(called)
            yield end - len(name), end, _SWAPPED[name]

    def _returns(self, value: ast.expr) -> Iterator[tuple[int, int, str]]:
        if isinstance(value, ast.Compare | ast.BoolOp):
            yield self._start(value), self._end(value), f"not ({self._of(value)})"
        elif not isinstance(value, ast.Constant | ast.UnaryOp):
            yield self._start(value), self._end(value), "None"

    def _negated(self, test: ast.expr) -> Iterator[tuple[int, int, str]]:
        is_told = isinstance(test, ast.Compare | ast.BoolOp | ast.Constant)
        if not is_told and not isinstance(test, ast.UnaryOp):
            yield self._start(test), self._end(test), f"not ({self._of(test)})"

    def _can_go(self, node: ast.stmt, scope: tuple[str, ...]) -> bool:
        """Return whether a statement may be left out: a guard, a step of a sum, a call."""
        match node:
            case ast.If(orelse=[]):
                is_elif = self.text[self._start(node) :].startswith(b"elif")
                return isinstance(node.body[-1], _LEAVES) and not is_elif
            case ast.Raise() | ast.Continue() | ast.Break() | ast.AugAssign() | ast.Delete():
                return True
            case ast.Expr(value=ast.Call() | ast.Await()):
                return True
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                return scope[-1:] != ("__init__",)
            case ast.Assign(targets=[ast.Name(id=name)]):
                used = {each.id for each in ast.walk(node.value) if isinstance(each, ast.Name)}
                return name in used
        return False
