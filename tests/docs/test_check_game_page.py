"""The page about check-game holds the steps and the faults as the code has them."""

from collections.abc import Callable, Iterator

import pytest

from tests.docs.pages import ROOT
from tests.referee.testing.faulty import FAULTS
from tests.referee.testing.figures import faults, steps


@pytest.mark.parametrize("table", [steps, faults])
def test_the_page_holds_the_table(table: Callable[[], Iterator[str]]) -> None:
    page = (ROOT / "docs/check-game.md").read_text(encoding="utf-8")
    assert "\n".join(table()) in page, "python -m tests.referee.testing.figures prints it"


def test_the_page_counts_the_faults() -> None:
    page = (ROOT / "docs/check-game.md").read_text(encoding="utf-8")
    assert f"has {len(FAULTS)} variants with one fault each" in page
