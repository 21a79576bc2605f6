"""Cases that show more of what others show some of, and take seconds: left to CI."""

from typing import Any

import pytest


def slow(*values: Any) -> list[Any]:
    """Return values for a test's one parameter, marked as slow."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]
