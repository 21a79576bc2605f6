"""One campaign for all tests of faults; what it did is told at the end of the session."""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from tests.faults.campaign import Campaign
from tests.faults.tally import Tally
from tests.faults.workshop import Workshop

SEED = 20261120
TALLY = Tally()


@pytest.fixture(scope="session")
def campaign() -> Iterator[Campaign]:
    """The campaign."""
    with Workshop() as workshop:
        yield Campaign(workshop, SEED, TALLY, nullcontext())


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tell what the leagues went through."""
    if TALLY.runs:
        terminalreporter.section("faults")
        for line in TALLY.lines():
            terminalreporter.write_line(line)
