"""Tables of examples, as the tests of games write them: a row a line, cells between bars."""

from typing import Any

import pytest


def rows(table: str) -> list[Any]:
    """Return a test's cases: the first cell of each row is its name. A backslash goes on."""
    lines = table.replace("\\\n", "").strip().splitlines()
    cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    return [pytest.param(*row, id=name) for name, *row in cells]


def options_of(cell: str) -> dict[str, Any]:
    """Read `war_length=3 pickup=won_first`."""
    pairs = (pair.split("=") for pair in cell.split())
    return {name: int(value) if value.isdigit() else value for name, value in pairs}
