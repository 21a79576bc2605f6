"""What all tests of attacks need."""

import fcntl
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.users import Workshop

LOCK = "arena-attacks.lock"


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """What the runners need."""
    workshop = Workshop()
    yield workshop
    workshop.close()


@pytest.fixture(autouse=True)
def turn(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hold the machine with other tests of attacks; alone, for a test that is marked `alone`.

    pytest's processes hold a lock for it, exclusively where a test is to be alone.
    """
    kind = fcntl.LOCK_EX if request.node.get_closest_marker("alone") else fcntl.LOCK_SH
    with (Path(tempfile.gettempdir()) / LOCK).open("w") as file:
        fcntl.flock(file, kind)
        yield
