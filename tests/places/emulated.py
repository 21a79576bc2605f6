"""Runs a command as a container would: `python -m tests.places.emulated PLACE COMMAND...`.

A place has the capabilities and the filter of system calls that its engine gives by default. /sys
is read-only, and the system has little in it. There are no namespaces but that of mounts, no cgroup
and no AppArmor or SELinux.
"""

import ctypes
import os
import struct
import sys
from typing import NamedTuple

from tests.attacks.small_system import MS_REC, shrink
from tests.places.profiles import (
    DOCKER,
    LIKE_GVISOR,
    NO_LANDLOCK,
    OLD_DOCKER,
    PODMAN,
    Profile,
    program,
)

_PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 24, 38
_MS_RDONLY, _MS_REMOUNT, _MS_BIND = 1, 0x20, 0x1000
_SECCOMP = 317
_OF_PODMAN = frozenset((0, 1, 3, 4, 5, 6, 7, 8, 10, 18, 31))
"""CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, SYS_CHROOT
and SETFCAP."""
_OF_DOCKER = _OF_PODMAN | {13, 27, 29}
"""And NET_RAW, MKNOD, AUDIT_WRITE."""
_SYS_CHROOT, _SETUID, _KILL = 18, 7, 5
_ALL = frozenset(range(41))
USER = 61235
"""The ordinary user of places that have one."""


class Emulated(NamedTuple):
    """A place: its filter, its capabilities, and whether one is root there."""

    profile: Profile
    capabilities: frozenset[int]
    is_root: bool = True


PLACES = {
    "docker": Emulated(DOCKER, _OF_DOCKER),
    "docker-user": Emulated(DOCKER, frozenset(), is_root=False),
    "docker-2021": Emulated(OLD_DOCKER, _OF_DOCKER),
    "podman": Emulated(PODMAN, _OF_PODMAN),
    "cri-o": Emulated(OLD_DOCKER, _OF_PODMAN - {_SYS_CHROOT}),
    "like-gvisor": Emulated(LIKE_GVISOR, _OF_DOCKER),
    "no-listener": Emulated(DOCKER._replace(asks=False), _OF_DOCKER),
    "no-landlock": Emulated(NO_LANDLOCK, _ALL),
    "no-setuid": Emulated(OLD_DOCKER, _OF_DOCKER - {_SETUID}),
    "no-kill": Emulated(DOCKER, _OF_DOCKER - {_KILL}),
}


def main() -> None:
    """Become the place, and execute the command there."""
    place = PLACES[sys.argv[1]]
    libc = ctypes.CDLL(None, use_errno=True)

    def checked(result: int) -> None:
        if result != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    shrink()
    flags = ctypes.c_ulong(_MS_BIND | MS_REC)
    checked(libc.mount(b"/sys", b"/sys", None, flags, None))
    flags = ctypes.c_ulong(_MS_BIND | _MS_REMOUNT | _MS_RDONLY)
    checked(libc.mount(None, b"/sys", None, flags, None))
    for capability in _ALL - place.capabilities:
        checked(libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0))
    if not place.is_root:
        os.setgroups([])
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)
        checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    code = ctypes.create_string_buffer(filter_ := program(place.profile), len(filter_))
    fields = struct.pack("@HP", len(filter_) // 8, ctypes.addressof(code))
    checked(libc.syscall(_SECCOMP, 1, 0, fields))
    os.execv(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
