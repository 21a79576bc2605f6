"""What all tests of attacks need."""

from collections.abc import Iterator

import pytest

from tests.attacks.users import Workshop


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """What the runners need."""
    workshop = Workshop()
    yield workshop
    workshop.close()
