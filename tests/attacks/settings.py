"""What the bots of the suite are allowed, and what the suite asks of the arena: in one place."""

import os
from typing import Any

from referee.limits import Limits

MEMORY_MB = 64
SLOWNESS = float(os.environ.get("ATTACKS_SLOWNESS", "1"))
"""How many times as long everything may take, on a machine that is emulated.

At most five: what gets away ends by itself after 20 seconds.
"""


def limits(sandbox: Any, **more: Any) -> Limits:
    """Return the limits under which every hostile bot runs."""
    devices = ("nvidia",) if "ATTACKS_BESIDE_GPUS" in os.environ and sandbox == "bwrap" else ()
    door = ("POST https://api.example.org/v1",) if "ATTACKS_WITH_DOOR" in os.environ else ()
    cgroup = "ATTACKS_IN_CGROUPS" in os.environ
    return Limits(
        sandbox=sandbox,
        memory_mb=MEMORY_MB,
        devices=devices,
        door=door,
        cgroup=cgroup,
        **more,
    )
