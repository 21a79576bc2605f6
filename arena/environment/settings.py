"""What an organizer allows while environments are made."""

from typing import Annotated

import msgspec
from msgspec import Meta

from referee.limits import PositiveSeconds, WorkLimits


class EnvironmentSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How packages are had and unpacked, as `[environments]` in a league's file says it."""

    fetch: bool = False
    """Whether wheels are fetched from the package index that pip knows here."""
    seconds: PositiveSeconds = 600.0
    """How long it may take to fetch, and to unpack, on the wall."""
    memory_mb: Annotated[int, Meta(ge=64, le=1 << 20)] = 1024
    """The most memory while they are unpacked, in MiB."""
    disk_mb: Annotated[int, Meta(ge=1, le=1 << 20)] = 6144
    """The most room that one environment may take, its wheels included, in MiB."""
    files: Annotated[int, Meta(ge=1, le=1_000_000)] = 60_000
    """The most files and folders of one environment."""

    def work(self, limits: WorkLimits) -> WorkLimits:
        """Return the limits of the unpacking, in the sandbox of builds."""
        return WorkLimits(
            sandbox=limits.sandbox,
            seconds=self.seconds,
            memory_mb=self.memory_mb,
            processes=8,
            output_kb=64,
            disk_mb=self.disk_mb,
            files=self.files,
        )
