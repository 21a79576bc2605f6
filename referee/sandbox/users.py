"""The users that sandboxed programs are run as where the referee is root: nobody else's."""

import fcntl
import functools
import grp
import os
import pwd
import socket
import struct
from contextlib import ExitStack, suppress
from pathlib import Path

from referee.sandbox.errors import SandboxError

FIRST_UID = 60100
"""The first of the users that bots are run as when the referee is root."""
USERS = 64
"""How many of them a referee uses if it plays one match: one for each bot that runs at a time."""
_BLOCKS = 64  # of so many users, each for one referee, or several for one with more bots
MOST_USERS = _BLOCKS * USERS
"""The most users that there are for the bots of all referees of a machine."""
_LOCKED = "/run/bot-arena-users"
"""In it, by their numbers, the users are locked that referees use; it is empty."""
_CAP_KILL = 5  # the number of its bit


def first_user(asked: int | None) -> int | None:
    """Return the first of the users that sandboxed bots are run as; None for the referee's own.

    `asked` is as for a `Launcher`; if that user is somebody else's, others are taken.
    """
    return None if os.getuid() != 0 or asked == 0 else asked or FIRST_UID


def claim_uids(first: int | None, count: int = USERS) -> tuple[int, ExitStack]:
    """Return the first of so many users that nobody else uses, and the claim to them.

    With a user in common, one league's bots could reach for another's. The claim goes with its
    owner, or when it is closed. Raises SandboxError if there are no such users from `first` on, or
    their processes could not be ended.
    """
    if not _may_end_others():
        raise SandboxError(
            "as root, bots run as users of their own, and their processes cannot be ended here "
            "without CAP_KILL. Give the container CAP_KILL, which Docker and Podman do by default, "
            "or run the arena as an ordinary user."
        )
    start = FIRST_UID if first is None else first
    size = -(-count // USERS) * USERS
    running = _running()
    is_somebody = functools.cache(lambda user: user in running or _has_name(user))
    for uid in range(start, start + MOST_USERS - size + 1, USERS):
        users = range(uid, uid + size)
        if not _are_mapped(users) or any(map(is_somebody, users)):
            continue
        claim = _claim(users)
        if claim is not None:
            return uid, claim
    raise SandboxError(
        f"as root, bots run as users that nothing else uses, but from {start} to "
        f"{start + MOST_USERS - 1} no {count} in a row are free and known to this user namespace "
        f"(/proc/self/uid_map and gid_map). Pass --sandbox-uid with the first of {count} that are, "
        f"or run the arena as an ordinary user."
    )


def _may_end_others() -> bool:
    """Return whether this process may send signals to those of other users (capabilities(7))."""
    for line in _lines("/proc/self/status"):
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) >> _CAP_KILL & 1)
    return True  # as far as is known


def _are_mapped(users: range) -> bool:
    """Return whether a user namespace knows users, and groups of the same numbers."""
    for table in ("/proc/self/uid_map", "/proc/self/gid_map"):
        maps = [[int(word) for word in line.split()] for line in _lines(table)]
        left = [user for user in users if not any(a <= user < a + n for a, _, n in maps)]
        if maps and left:
            return False
    return True


def _lines(path: str) -> list[str]:
    """Return the lines of a file of the kernel; none if it is not there."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _claim(users: range) -> ExitStack | None:
    """Return a claim to users; None if another has a claim to one of them.

    It has an abstract socket for each block of users that they touch. Other network namespaces
    know nothing of those, so it locks the users' numbers in a file too, as other mounts know
    nothing of that. Where there is no such file, sockets must do.
    """
    with ExitStack() as held:
        block = users.start - (users.start - FIRST_UID) % USERS
        try:
            for each in range(block, users.stop, USERS):
                claim = held.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
                claim.bind(f"\0bot-arena-uids-{each}")
        except OSError:
            return None
        try:
            lock = os.open(_LOCKED, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError:  # as in a container that may write nothing there
            return held.pop_all()
        held.callback(os.close, lock)
        asked = struct.pack("@hhlli", fcntl.F_WRLCK, os.SEEK_SET, users.start, len(users), 0)
        try:
            fcntl.fcntl(lock, fcntl.F_OFD_SETLK, asked)
        except OSError:
            return None
        return held.pop_all()


def _running() -> set[int]:
    """Return the users of all processes that can be seen here."""
    users = set()
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):  # it has ended
                users.add(os.stat(f"/proc/{name}").st_uid)
    return users


def _has_name(number: int) -> bool:
    """Return whether a number is that of a user or of a group: bots have a group of their own."""
    for find in (pwd.getpwuid, grp.getgrgid):
        with suppress(KeyError):
            find(number)
            return True
    return False
