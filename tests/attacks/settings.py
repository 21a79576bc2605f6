"""What the bots of the suite are allowed, and what the suite asks of the arena: in one place."""

import os
from typing import Any

from referee.limits import Limits

MEMORY_MB = 64


def limits(sandbox: Any, **more: Any) -> Limits:
    """Return the limits under which every hostile bot runs."""
    devices = ("nvidia",) if "ATTACKS_BESIDE_GPUS" in os.environ and sandbox == "bwrap" else ()
    door = ("api.example.org",) if "ATTACKS_WITH_DOOR" in os.environ else ()
    return Limits(sandbox=sandbox, memory_mb=MEMORY_MB, devices=devices, door=door, **more)
