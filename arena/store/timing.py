"""How quiet machines were, as it is kept with the runs on them, beside the times of matches."""

from typing import Annotated

import msgspec

Microseconds = Annotated[int, msgspec.Meta(ge=0)]
Share = Annotated[float, msgspec.Meta(ge=0)]


class Noise(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much the time of a fixed job varied."""

    job: Microseconds
    """The CPU time that the job took, the median of all cores."""
    spread: Share
    """From its fastest twentieth to its slowest, in parts of the median: of the worst core."""
    apart: Share
    """By how much the slowest core was slower than the fastest, in parts of that."""
    waited: Share
    """How much of the time on the wall somebody else had the core, or the machine."""


class Timing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How quiet a machine was when a run began on it."""

    machine: str
    spoilt: list[str]
    """What spoils measured times there, by the names that `arena doctor --timing` has for it."""
    noise: Noise
