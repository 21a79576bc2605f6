"""Whether so many slow matches can be played here at once."""

import os
import resource
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from arena.play.control_groups import control_groups
from protocol.errors import ArenaError
from referee.limits import Limits
from referee.sandbox.users import MOST_USERS, first_user

_FILES_OF_BOT = 5  # open in the process that plays: three pipes, a pidfd, and what waits for them
_FILES_OF_DOOR = 6  # two pipes and a listener, once for the bot's process and once for the door
_OTHER_FILES = 200
_PROCESSES = {"landlock": 1, "uid": 1, "none": 1, "bwrap": 3}
_OTHER_PROCESSES = 50
_MOST_PIDS = Path("/proc/sys/kernel/pid_max")


def _in_league(fit: int) -> str:
    return (
        f"In [limits], have slots = {fit} or fewer; or"
        if fit > 0
        else "In [limits], play on another machine; or"
    )


def check_room(
    slots: int,
    seats: int,
    sandboxes: Sequence[Limits],
    uid: int | None,
    *,
    has_door: bool,
    asked: str = "",
    remedy: Callable[[int], str] = _in_league,
) -> None:
    """Allow this process the open files that the slots need.

    `uid` is as for a `Launcher`. Raises ArenaError with what is too little: it says how the slots
    were `asked` for, and what helps, by for how many there is room. By default in a league's file.
    """

    def too_many(needed: str, most: str, fit: int) -> ArenaError:
        said = asked or f"slots = {slots}"
        return ArenaError(
            f"{said} may need {needed}, and there can be {most} here. {remedy(fit)} allow more."
        )

    bots = slots * seats
    has_users = first_user(uid) is not None and any(each.sandbox != "none" for each in sandboxes)
    if has_users and bots > MOST_USERS:
        fit, which = MOST_USERS // seats, "that root runs bots as"
        raise too_many(f"{bots:,} users {which}", f"{MOST_USERS:,}", fit)
    files_of_bot = _FILES_OF_BOT + _FILES_OF_DOOR * has_door
    files = bots * files_of_bot + _OTHER_FILES
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most != resource.RLIM_INFINITY and files > most:
        fit = (most - _OTHER_FILES) // (seats * files_of_bot)
        raise too_many(f"{files:,} open files", f"{most:,} (ulimit -Hn)", fit)
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    own = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    resource.setrlimit(resource.RLIMIT_NPROC, (own, own))
    each = max(_PROCESSES[limits.sandbox] for limits in sandboxes)
    processes = bots * each + _OTHER_PROCESSES
    for most, where in _most_processes():
        if processes > most:
            fit = (most - _OTHER_PROCESSES) // (seats * each)
            needed = f"{processes:,} processes"
            raise too_many(needed, f"{most:,} ({where})", fit)


def _most_processes() -> Iterator[tuple[int, str]]:
    """Yield how many processes there may be, and what says so."""
    with suppress(OSError, ValueError):  # it is not shown
        yield int(_MOST_PIDS.read_text()), str(_MOST_PIDS)
    own = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    if os.getuid() != 0 and own != resource.RLIM_INFINITY:
        yield own, "ulimit -Hu"
    for group in control_groups("pids"):
        with suppress(OSError, ValueError):  # it bounds nothing, or is not shown
            most = (group.folder / "pids.max").read_text().strip()
            if most != "max":
                yield int(most), f"{group.folder}/pids.max"
