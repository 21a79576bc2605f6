"""What the bots of the suite are allowed, and what the suite asks of the arena: in one place."""

from typing import Any

from referee.limits import Limits

MEMORY_MB = 64


def limits(sandbox: Any, **more: Any) -> Limits:
    """Return the limits under which every hostile bot runs."""
    return Limits(sandbox=sandbox, memory_mb=MEMORY_MB, **more)
