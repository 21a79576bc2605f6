"""Fields that hold others: a value or null, lists, and objects whose names are free."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Meta

from referee.rules.field import (
    LONG,
    UNIQUE,
    Choice,
    Kind,
    Quick,
    Schema,
    String,
    Whole,
    Wrong,
    counted,
    json_kind,
)

MOST_ENTRIES = 4096
"""Of a list that rows of numbers stand for."""


class Nullable(Kind):
    """A value of another kind, or null."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self.metas = kind.metas

    def schema(self) -> Schema:
        """Return the other kind's, with null."""
        schema = self._kind.schema()
        if "type" in schema and "oneOf" not in schema:
            return {**schema, "type": [schema["type"], "null"]}
        return {"anyOf": [schema, {"type": "null"}]}

    def read(self, value: Any) -> Any:
        """Return null, or what the other kind reads."""
        return None if value is None else self._kind.read(value)

    def condition(self, value: str, given: dict[str, Any]) -> str:
        """Return that it is null, or right for the other kind."""
        return f"{value} is None or {self._kind.condition(value, given)}"

    def sizes(self) -> list[int]:
        """Return 2, for null or not, and the sizes of the other kind."""
        return [2, *self._kind.sizes()]

    def made(self, numbers: Iterator[int]) -> Any:
        """Return null, or a value of the other kind."""
        is_there = next(numbers)
        value = self._kind.made(numbers)
        return value if is_there else None

    def numbers(self, value: Any) -> list[int]:
        """Return 0 and noughts for null, or 1 and the other kind's numbers."""
        if value is None:
            return [0] * len(self.sizes())
        return [1, *self._kind.numbers(value)]


class Items(Kind):
    """A list."""

    def __init__(self, item: Kind, metas: Sequence[Meta]) -> None:
        self._item = item
        self._least, self._most = 0, None
        self._unique = UNIQUE in metas
        if self._unique and not isinstance(item, Choice | String | Whole):
            raise TypeError("only a list of texts or of numbers can be UNIQUE")
        for meta in metas:
            self._least = meta.min_length or self._least
            self._most = self._most if meta.max_length is None else meta.max_length

    def schema(self) -> Schema:
        """Return the array with its bounds and what its entries are."""
        bounds: Schema = {"minItems": self._least} if self._least else {}
        if self._most is not None:
            bounds["maxItems"] = self._most
        return {"type": "array", "items": self._item.described(), **bounds}

    def read(self, value: Any) -> Any:
        """Return the list with each entry read."""
        if type(value) is not list:
            raise Wrong("", f" must be a list{self._item.like()}, not {json_kind(value)}")
        if len(value) < self._least or (self._most is not None and len(value) > self._most):
            number = counted(self._least, self._most, "entry", "entries")
            raise Wrong("", f" must have {number}, not {len(value)}")
        found = []
        for at, each in enumerate(value):
            try:
                found.append(self._item.read(each))
            except Wrong as wrong:
                raise wrong.at(f"entry {at}") from None
        if self._unique and len(set(found)) < len(found):
            twice = next(each for each, times in Counter(found).items() if times > 1)
            raise Wrong(f"{twice!r} is named twice")
        return found

    def quick(self) -> Quick:
        """Return whether every entry is right; of texts, those met before are known together."""
        least, unique, item = self._least, self._unique, self._item.quick()
        most = math.inf if self._most is None else self._most
        known = self._item.known if isinstance(self._item, String) else frozenset()

        def is_right(value: Any) -> bool:
            return type(value) is list and least <= len(value) <= most and all(map(item, value))

        def are_right_together(value: Any) -> bool:
            if type(value) is not list or not least <= len(value) <= most:
                return False
            try:
                different = {*value}
            except TypeError:
                return False
            if unique and len(different) < len(value):
                return False
            return different <= known or all(map(item, value))

        return are_right_together if unique or isinstance(self._item, String) else is_right

    def sizes(self) -> list[int]:
        """Return that of the length, then those of each entry that there may be.

        Where no entry may come twice, an entry's number is its place among those that are left.
        """
        try:
            each, most = self._item.sizes(), self._stated("maxItems", self._most)
        except Wrong as endless:
            raise endless.at("an entry") from None
        if self._unique:
            if each[0] > MOST_ENTRIES:
                raise Wrong("", f" may hold more than {MOST_ENTRIES} different entries")
            most = each[0] if most is None else min(most, each[0])
        elif most is None:
            raise Wrong("", " may be of any length")
        elif most > MOST_ENTRIES:
            raise Wrong("", f" may hold {most} entries, more than {MOST_ENTRIES}")
        entries = range(each[0], each[0] - most, -1) if self._unique else each * most
        return [most - self._least + 1, *entries]

    def made(self, numbers: Iterator[int]) -> Any:
        """Return the list."""
        width = len(self._item.sizes())
        most = (len(self.sizes()) - 1) // width
        length = self._least + next(numbers)
        if self._unique:
            left = self._every()
            return [left.pop(next(numbers)) for _ in range(most)][:length]
        return [self._item.made(numbers) for _ in range(most)][:length]

    def numbers(self, value: Any) -> list[int]:
        """Return the length beyond the least, and the numbers of each entry."""
        found = [len(value) - self._least]
        left = self._every() if self._unique else []
        for each in value:
            found += [left.index(each)] if self._unique else self._item.numbers(each)
            if self._unique:
                left.remove(each)
        return found + [0] * (len(self.sizes()) - len(found))

    def _every(self) -> list[Any]:
        """Return all values that an entry may have."""
        return [self._item.made(iter([number])) for number in range(self._item.sizes()[0])]


class Pairs(Kind):
    """An object whose names are a part of what it says."""

    def __init__(self, name: Kind, value: Kind) -> None:
        self._name = name
        self._value = value

    def schema(self) -> Schema:
        """Return the object with what its names and its values are."""
        names = {key: told for key, told in self._name.schema().items() if key != "type"}
        found = {"type": "object", "additionalProperties": self._value.described()}
        return {**found, "propertyNames": names} if names else found

    def read(self, value: Any) -> Any:
        """Return the object with each value read."""
        if type(value) is not dict:
            raise Wrong("", f" must be an object, not {json_kind(value)}")
        return {self._name.read(name): self._valued(name, each) for name, each in value.items()}

    def quick(self) -> Quick:
        """Return whether every name and every value is right."""
        name, entry = self._name.quick(), self._value.quick()
        known = self._name.known if isinstance(self._name, String) else frozenset()
        return lambda value: (
            type(value) is dict
            and (value.keys() <= known or all(map(name, value)))
            and all(map(entry, value.values()))
        )

    def sizes(self) -> list[int]:
        """Return, for each name there may be, 2 (absent or not) and the sizes of its value."""
        try:
            return [2, *self._value.sizes()] * self._name.sizes()[0]
        except Wrong as endless:
            raise endless.at("a name or a value") from None

    def made(self, numbers: Iterator[int]) -> Any:
        """Return the object."""
        found = {}
        for number in range(self._name.sizes()[0]):
            is_there = next(numbers)
            value = self._value.made(numbers)
            if is_there:
                found[self._name.made(iter([number]))] = value
        return found

    def numbers(self, value: Any) -> list[int]:
        """Return whether there is each name, with the numbers of its value."""
        found: list[int] = []
        for number in range(self._name.sizes()[0]):
            name = self._name.made(iter([number]))
            if name in value:
                found += [1, *self._value.numbers(value[name])]
            else:
                found += [0] * (1 + len(self._value.sizes()))
        return found

    def _valued(self, name: str, value: Any) -> Any:
        try:
            return self._value.read(value)
        except Wrong as wrong:
            raise wrong.at(f'"{name[:LONG]}"') from None
