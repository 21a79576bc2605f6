"""Mutants that no test can tell from the original, each with the reason, in `equivalents.toml`."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from tests.mutants.mutating import Mutant

FILE = Path(__file__).with_name("equivalents.toml")


class Equivalent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of them: a line of a function, and what becomes of it."""

    module: str
    function: str
    line: str
    becomes: str
    why: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What its mutant is known by."""
        return self.module, self.function, self.line, self.becomes


def read_equivalents() -> Sequence[Equivalent]:
    """Return all that are written down."""
    found = msgspec.toml.decode(FILE.read_bytes(), type=dict[str, list[Equivalent]])
    return found["equivalent"]


def reasons(equivalents: Iterable[Equivalent]) -> dict[tuple[str, str, str, str], str]:
    """Return why a mutant is equivalent, by its key."""
    return {each.key: each.why for each in equivalents}


def unmatched(equivalents: Iterable[Equivalent], drawn: Iterable[Mutant]) -> list[Equivalent]:
    """Return those that none of the drawn mutants is, though they are of the same modules."""
    keys = {mutant.key for mutant in drawn}
    modules = {module for module, *_ in keys}
    return [each for each in equivalents if each.key not in keys and each.module in modules]
