"""The control groups around us, which may bound what processes use: see cgroups(7)."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class ControlGroup(NamedTuple):
    """A group that we are in, or one around it."""

    folder: Path
    """Where it is shown: what is not, bounds nothing that can be known."""
    is_second: bool
    """Whether it is of the second version of control groups, and its files are called so."""


def control_groups(controller: str, root: Path = Path("/")) -> Iterator[ControlGroup]:
    """Yield each group that we are in, and each around it, of a controller such as `memory`.

    The machine's /proc and /sys lie in the folder `root`. Without them, none is known.
    """
    groups = root / "sys/fs/cgroup"
    try:
        lines = (root / "proc/self/cgroup").read_text(errors="surrogateescape").split("\n")
    except OSError:
        return  # none is shown
    for line in lines:
        if line.count(":") < 2:
            continue
        _, controllers, path = line.split(":", 2)
        if not controllers:
            top = groups
        elif controller in controllers.split(","):
            top = groups / controller
        else:
            continue
        folder = top / path.lstrip("/")
        for group in (folder, *folder.parents):
            if group.is_relative_to(top):
                yield ControlGroup(group, is_second=not controllers)
