"""docs/architecture.md: its pictures are the code's, and the files that it names are there."""

import re

import pytest

from tests.rooms import MODULES, ROOT, nodes, picture, purposes

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
HOMES = ("", "arena", "referee", "arena/league", "docs")
"""Where a file may be that is named without its folder."""


@pytest.fixture(scope="module")
def _all_read() -> None:
    """Read the modules before a test's time is measured."""
    for module in MODULES:
        nodes(module)


@pytest.mark.usefixtures("_all_read")
def test_its_pictures_and_tables_are_those_of_the_code() -> None:
    """If not: `python -m tests.rooms` prints them."""
    for package in ("arena", "referee"):
        assert picture(package) in PAGE
        assert purposes(package) in PAGE


def test_the_files_and_folders_that_it_names_are_there() -> None:
    prose = PAGE.replace(purposes("arena"), "").replace(purposes("referee"), "")
    named = set(re.findall(r"`([\w/]+(?:\.py|\.md|/))`", prose))
    assert len(named) > 20
    for name in named:
        assert any((ROOT / home / name).exists() for home in HOMES), name
