"""Games as OpenSpiel writes them, with their parameters in brackets."""

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, NamedTuple, TypeAlias, Union

from referee.openspiel.library import kind_of


class Written(NamedTuple):
    """A game of OpenSpiel as somebody wrote it."""

    base: str
    parameters: Mapping[str, "Value"]
    """Text, or another game, by name."""

    def typed(self) -> dict[str, Any]:
        """Return the parameters as OpenSpiel takes them.

        Raises ValueError for one that its game does not have, or that has no such value.
        """
        try:
            usual: Mapping[str, Any] = kind_of(self.base).parameter_specification
        except KeyError:
            raise ValueError(f"there is no game {self.base!r}") from None
        if strange := self.parameters.keys() - usual.keys():
            has = ", ".join(sorted(usual)) or "none"
            raise ValueError(f"{self.base} has no parameter {min(strange)!r}; it has: {has}")
        found: dict[str, Any] = {}
        for name, value in self.parameters.items():
            default = usual[name]
            if isinstance(value, Written):
                found[name] = {"name": value.base, **value.typed()}
            else:
                found[name] = _typed(name, value, type(default))
        return found


Value: TypeAlias = Union[str, Written]  # noqa: UP007 - a name that is defined above


def read(text: str) -> Written:
    """Read a game such as "go(board_size=9)"; blanks around names and values mean nothing.

    Raises ValueError for brackets that do not fit.
    """
    base, bracket, rest = text.partition("(")
    if not bracket:
        return Written(base.strip(), {})
    inner, end = rest[:-1], rest[-1:]
    if end != ")":
        raise ValueError("its last character is to be the bracket that ends its parameters")
    parameters: dict[str, Value] = {}
    for part in _parts(inner):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not (name and equals) or name in parameters:
            raise ValueError(f"parameters are written name=value, each once, and not {part!r}")
        parameters[name] = read(value) if "(" in value else value
    return Written(base.strip(), parameters)


def _parts(inner: str) -> Iterator[str]:
    """Yield what commas separate, but for those within brackets; raise ValueError as `read`."""
    depth, part = 0, ""
    for each in inner:
        depth += (each == "(") - (each == ")")
        if depth < 0:
            break
        if each == "," and not depth:
            yield part
            part = ""
        else:
            part += each
    if depth:
        raise ValueError("its brackets do not fit")
    if part.strip():
        yield part


def _typed(name: str, value: str, kind: type) -> Any:
    if kind is bool and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if kind is str:
        return value
    try:
        if kind in (int, float) and isfinite(found := kind(value)):
            return found
    except ValueError:
        pass
    kinds = {bool: "true or false", int: "a whole number", float: "a number"}
    what = kinds.get(kind, "a game, such as matrix_rps()")
    raise ValueError(f"{name} is {value!r}, and is to be {what}")
