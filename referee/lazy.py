"""Things by name that are imported one by one, each when it is first asked for."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import TypeVar

T = TypeVar("T")


class Lazy(MutableMapping[str, T]):
    """A mapping whose names are known at once, in their order, and whose values only if needed."""

    def __init__(self, homes: Mapping[str, str]) -> None:
        """Take where each is found: `module:name`, or the module that sets it when imported."""
        self._homes = dict(homes)
        self._found: dict[str, T] = {}

    def __getitem__(self, key: str) -> T:
        if key not in self._found:
            home, _, name = self._homes[key].partition(":")
            module = import_module(home)
            if name:
                self._found[key] = getattr(module, name)
        return self._found[key]

    def __contains__(self, key: object) -> bool:
        return key in self._homes

    def __setitem__(self, key: str, value: T) -> None:
        self._homes.setdefault(key, "")
        self._found[key] = value

    def __delitem__(self, key: str) -> None:
        del self._homes[key]
        self._found.pop(key, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)
