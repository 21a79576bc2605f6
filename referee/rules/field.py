"""Fields of a form: each kind says its schema, reads a value, and counts the values it may have."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Meta

from referee.rules.pattern import texts_of

Schema = dict[str, Any]
Quick = Callable[[Any], bool]
"""Says at once that a value may be recorded as it is; where not, reading it shows more."""

UNIQUE = Meta(extra_json_schema={"uniqueItems": True})
"""Beside the type of a list of texts or of numbers: none may come twice."""

_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number with a point",
    str: "a string",
    list: "a list",
    dict: "an object",
}
_HUGE = 10**15
"""Numbers beyond this are not written out."""
_REMEMBERED = 256
"""So many texts that fit a pattern are known again."""
LONG = 30
"""Characters of a text that are quoted."""


def json_kind(value: Any) -> str:
    """Return what kind of JSON value this is."""
    return _KINDS[type(value)]


def shown(number: int) -> str:
    """Return a number as it is quoted in a sentence."""
    return str(number) if abs(number) < _HUGE else "far out of range"


def written(values: Sequence[Any]) -> str:
    """Return values as JSON, with "or" before the last; true comes before false."""
    if all(type(value) is bool for value in values):
        values = sorted(values, reverse=True)
    *others, last = (json.dumps(value, ensure_ascii=False) for value in values)
    return f"{', '.join(others)} or {last}" if others else last


class Wrong(Exception):  # noqa: N818 - it says what is wrong with a reply, which is no error of ours
    """What is wrong with a value, in words; where it stands comes in the middle, or not at all."""

    def __init__(self, before: str, after: str | None = None) -> None:
        self._before = before
        self._after = after
        self._where: list[str] = []

    def at(self, where: str) -> "Wrong":
        """Return it with the place that the value has in something larger."""
        self._where.append(where)
        return self

    def __str__(self) -> str:
        if self._after is None:
            return self._before
        return f"{self._before}{' of '.join(self._where) or 'this reply'}{self._after}"


def name_of(value: Any, given: dict[str, Any]) -> str:
    """Return a name, made up here, by which a condition speaks of a value; it is added to these."""
    name = f"given{len(given)}"
    given[name] = value
    return name


def compiled(condition: str, given: dict[str, Any]) -> Quick:
    """Return a condition of `value` as one function: one of its own for each field takes longer.

    A condition speaks of whatever a form says only by name, so that no text of a form is compiled.
    """
    is_right: Quick = eval(f"lambda value: {condition}", given)  # noqa: S307 - see above
    return is_right


class Kind:
    """How values of one type are described and read."""

    metas: tuple[Meta, ...] = ()
    """What the field's annotation says about them."""

    def schema(self) -> Schema:
        """Return the JSON Schema of what is read."""
        raise NotImplementedError

    def described(self) -> Schema:
        """Return the JSON Schema with the description, and what else the annotations say."""
        about: Schema = {}
        further: Schema = {}
        for meta in self.metas:
            if meta.description is not None:
                about["description"] = meta.description
            further |= meta.extra_json_schema or {}
        return {**about, **self.schema(), **further}

    def read(self, value: Any) -> Any:
        """Return the value as it is recorded; raise Wrong if it is not of this kind."""
        raise NotImplementedError

    def quick(self) -> Quick:
        """Return a function that is True for values that are recorded as they are.

        Nearly all replies are right, and this is all that is done to them. Each kind has this or
        `condition`, and the other follows from it.
        """
        given: dict[str, Any] = {}
        return compiled(self.condition("value", given), given)

    def condition(self, value: str, given: dict[str, Any]) -> str:
        """Return the condition, as Python, in which a value is recorded as it is.

        `value` is the source of an expression for it. What the condition needs is added to `given`,
        with `name_of`.
        """
        return f"{name_of(self.quick(), given)}({value})"

    def like(self) -> str:
        """Return, after the word for several of this kind, what they are or look like."""
        return ""

    def sizes(self) -> list[int]:
        """Return how many numbers, from 0 on, stand in each place of a row that is a value.

        Rows are for programs that learn: all of one length, and each gives a value of the kind.
        Raises Wrong if the values have no end.
        """
        return [len(self._values())]

    def made(self, numbers: Iterator[int]) -> Any:
        """Return the value of the next numbers, of which it takes as many as there are sizes."""
        return self._values()[next(numbers)]

    def numbers(self, value: Any) -> list[int]:
        """Return the numbers of a value that was read."""
        return [self._values().index(value)]

    def _values(self) -> Sequence[Any]:
        """Return all values, where one number is enough for them."""
        raise NotImplementedError

    def _stated(self, bound: str, least_or_most: int | None) -> int | None:
        """Return a bound of the type, or else the one that only the schema states."""
        for meta in self.metas:
            if least_or_most is None:
                least_or_most = (meta.extra_json_schema or {}).get(bound)
        return least_or_most


class Truth(Kind):
    """True or false."""

    def schema(self) -> Schema:
        """Return the boolean."""
        return {"type": "boolean"}

    def read(self, value: Any) -> Any:
        """Return true or false, which 1 and 0 are not."""
        if value is True or value is False:
            return value
        raise Wrong("", f" must be true or false, not {json_kind(value)}")

    def condition(self, value: str, given: dict[str, Any]) -> str:
        """Return that it is a boolean."""
        return f"type({value}) is bool"

    def _values(self) -> Sequence[Any]:
        return (False, True)


class Choice(Kind):
    """One of a few values."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = tuple(values)

    def schema(self) -> Schema:
        """Return the values."""
        if self.values == (None,):
            return {"type": "null"}
        if len(self.values) == 1:
            return {"const": self.values[0]}
        return {"enum": [*self.values]}

    def read(self, value: Any) -> Any:
        """Return the value if it is one of these, and of the same type."""
        for each in self.values:
            if type(each) is type(value) and each == value:
                return value
        raise Wrong("", f" must be {written(self.values)}")

    def condition(self, value: str, given: dict[str, Any]) -> str:
        """Return that it is of the type of some of these, and one of them."""
        ways = []
        for kind in {type(each): None for each in self.values}:
            alike = frozenset(each for each in self.values if type(each) is kind)
            ways.append(
                f"type({value}) is {name_of(kind, given)} and {value} in {name_of(alike, given)}"
            )
        return " or ".join(ways)

    def numbers(self, value: Any) -> list[int]:
        """Return the place of the value, of which 1 and true are two."""
        like = [type(each) is type(value) and each == value for each in self.values]
        return [like.index(True)]

    def _values(self) -> Sequence[Any]:
        return self.values


class Whole(Kind):
    """A whole number."""

    def __init__(self, metas: Sequence[Meta]) -> None:
        self._least: int | None = None
        self._most: int | None = None
        self._step: int | None = None
        for meta in metas:
            if meta.ge is not None or meta.gt is not None:
                self._least = int(meta.ge) if meta.ge is not None else int(meta.gt or 0) + 1
            if meta.le is not None or meta.lt is not None:
                self._most = int(meta.le) if meta.le is not None else int(meta.lt or 0) - 1
            self._step = self._step if meta.multiple_of is None else int(meta.multiple_of)

    def schema(self) -> Schema:
        """Return the integer with its bounds."""
        bounds = {"minimum": self._least, "maximum": self._most, "multipleOf": self._step}
        given = {key: bound for key, bound in bounds.items() if bound is not None}
        return {"type": "integer", **given}

    def read(self, value: Any) -> Any:
        """Return the number, which neither true nor 1.0 is."""
        if type(value) is not int:
            raise Wrong("", f" must be a whole number, not {json_kind(value)}")
        least, most = self._least, self._most
        if (least is not None and value < least) or (most is not None and value > most):
            raise Wrong("", f" must be {self._bounds()}, not {shown(value)}")
        if self._step is not None and value % self._step:
            rule = "even" if self._step == 2 else f"a multiple of {self._step}"
            raise Wrong("", f" must be {rule}, not {shown(value)}")
        return value

    def condition(self, value: str, given: dict[str, Any]) -> str:
        """Return that it is a whole number within the bounds."""
        found = f"type({value}) is int"
        if self._least is not None:
            found += f" and {value} >= {name_of(self._least, given)}"
        if self._most is not None:
            found += f" and {value} <= {name_of(self._most, given)}"
        if self._step is not None:
            found += f" and not {value} % {name_of(self._step, given)}"
        return found

    def like(self) -> str:
        """Return what several are."""
        return " of whole numbers"

    def _values(self) -> Sequence[int]:
        least, most = self._stated("minimum", self._least), self._stated("maximum", self._most)
        if least is None or most is None:
            reach = "" if least is None else f" from {least} on"
            raise Wrong("", f" may be any number{reach if most is None else f' up to {most}'}")
        step = self._step or 1
        return range(-(-least // step) * step, most + 1, step)

    def _bounds(self) -> str:
        if self._least is None or self._most is None:
            return f"at most {self._most}" if self._least is None else f"at least {self._least}"
        if self._least == self._most:
            return str(self._least)
        return f"from {self._least} to {self._most}"


class String(Kind):
    """A text, of any words or of those that a pattern allows."""

    def __init__(self, metas: Sequence[Meta]) -> None:
        self._least, self._most = 0, None
        self._title = ""
        self._examples: Sequence[str] = ()
        pattern = None
        for meta in metas:
            pattern = meta.pattern or pattern
            self._title = meta.title or self._title
            self._examples = meta.examples or self._examples
            self._least = meta.min_length or self._least
            self._most = self._most if meta.max_length is None else meta.max_length
        self._pattern = pattern
        self._searched = re.compile(pattern or "").search
        self.known: set[str] = set()
        """Texts that have been found to fit."""
        self._texts: Sequence[str] | None = None
        """All texts that fit, once they have been asked for."""

    def schema(self) -> Schema:
        """Return the string with its pattern and its bounds."""
        bounds: Schema = {} if self._pattern is None else {"pattern": self._pattern}
        if self._least:
            bounds["minLength"] = self._least
        if self._most is not None:
            bounds["maxLength"] = self._most
        return {"type": "string", **bounds}

    def read(self, value: Any) -> Any:
        """Return the text."""
        if type(value) is str and self._fits(value):
            return value
        raise self._explained(value)

    def condition(self, value: str, given: dict[str, Any]) -> str:
        """Return that it is a text that fits; those met before are known."""
        known, fits = name_of(self.known, given), name_of(self._fits, given)
        return f"type({value}) is str and ({value} in {known} or {fits}({value}))"

    def _fits(self, text: str) -> bool:
        if len(text) < self._least or (self._most is not None and len(text) > self._most):
            return False
        if self._pattern is None:
            return True
        # In Python, "$" is found before a newline at the end, too.
        if not self._searched(text) or text[-1:] == "\n":
            return False
        if len(text) <= LONG and len(self.known) < _REMEMBERED:
            self.known.add(text)
        return True

    def like(self) -> str:
        """Return what several are, or look like."""
        article, _, noun = self._title.partition(" ")
        if article == "a" and noun.isalpha():
            return f" of {noun}s"
        return f" such as {json.dumps(self._examples)}" if self._examples else ""

    def _values(self) -> Sequence[str]:
        if self._texts is None:
            try:
                texts = texts_of(self._pattern or "")
            except OverflowError:
                like = "" if self._pattern is None else f" like {self._pattern}"
                raise Wrong("", f" may be any text{like}") from None
            self._texts = [text for text in texts if self._fits(text)]
        return self._texts

    def _explained(self, value: Any) -> Wrong:
        title, like = self._title, " or ".join(map(repr, self._examples))
        if type(value) is not str:
            if like:
                return Wrong(f"{title or 'it'} is written like {like}, not as {json_kind(value)}")
            return Wrong("", f" must be a string, not {json_kind(value)}")
        if len(value) < self._least or (self._most is not None and len(value) > self._most):
            number = counted(self._least, self._most, "character", "characters")
            return Wrong("", f" must have {number}, not {len(value)}")
        if title:
            how = f"; {title} is written like {like}" if like else ""
            return Wrong(f"{value[:LONG]!r} is not {title}{how}")
        how = f"be written like {like}" if like else f"match the pattern {self._pattern}"
        return Wrong("", f" must {how}, not {value[:LONG]!r}")


def counted(least: int, most: int | None, one: str, many: str) -> str:
    """Return how many there must be of something."""
    things = one if (least if most is None else most) == 1 else many
    if most is None:
        return f"at least {least} {things}"
    if least == most:
        return f"exactly {least} {things}"
    return f"{least} to {most} {things}" if least else f"at most {most} {things}"
