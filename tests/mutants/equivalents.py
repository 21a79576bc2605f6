"""Mutants that no test can tell from the original, each with the reason, in `equivalents.toml`."""

import tomllib
from pathlib import Path

Key = tuple[str, str, str, str]
"""The module, the function, the line, and what becomes of it."""


def read_equivalents() -> dict[Key, str]:
    """Return why each is equivalent, by the key of its mutant."""
    text = Path(__file__).with_name("equivalents.toml").read_text(encoding="utf-8")
    found = tomllib.loads(text)["equivalent"]
    return {(of["module"], of["function"], of["line"], of["becomes"]): of["why"] for of in found}
