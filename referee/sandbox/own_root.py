"""A file system of its own, or an emptier one, for a process that has the rights to make one.

The fork server imports this module beside the referee, so it imports nothing of the project but
the numbers of system calls. An emptier one is `cleared` once for all bots. In a mount namespace of
its own, `bind` shows a file or a folder that can only be read, `device` a device, and `link` makes
a symbolic link.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.sandbox.enclosure import OwnRoot
if TYPE_CHECKING or __package__:
    from referee.sandbox.syscalls import ARCHITECTURES
else:
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from syscalls import ARCHITECTURES

    del sys.path[0]

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 0x20, 0x1000, 0x4000, 1 << 18
MS_NOATIME, MS_NODIRATIME, MS_RELATIME = 0x400, 0x800, 1 << 21
MNT_DETACH = 2
_KEPT = (
    (os.ST_NOSUID, MS_NOSUID),
    (os.ST_NODEV, MS_NODEV),
    (os.ST_NOEXEC, MS_NOEXEC),
)
"""Flags of the original that a mount of it must have too, where they are locked."""
_AT = "/proc"
"""Where the new root is mounted until it is the root: a folder that is everywhere, and shows
nothing that a bot is shown."""

libc = ctypes.CDLL(None, use_errno=True)


def enter(asked: "OwnRoot") -> None:
    """Leave the file system of this machine for another; raise OSError if the kernel refuses."""
    if asked.get("chroot"):
        folder = os.fsencode(asked["chroot"])
        _checked(libc.chroot(folder), "chroot")
    else:
        _checked(libc.unshare(CLONE_NEWNS), "unshare")
        _mount(None, "/", None, MS_REC | MS_PRIVATE)  # nothing of what follows is seen outside
        _mount("tmpfs", _AT, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=64k,nr_inodes=4k")
        before = os.umask(0o022)
        for way, path, target in asked["shown"]:
            _show(way, path, target)
        os.umask(before)
        os.chdir(_AT)
        _pivot()
    os.chdir("/")


def cleared(folders: Iterable[str]) -> list[int]:
    """Leave for a mount namespace in which folders are empty; return what leads others into it.

    They are descriptors of the root folder and of the namespaces: an ordinary user gets a user
    namespace besides, with himself in it alone. Raises OSError if the kernel refuses.
    """
    user, group = os.geteuid(), os.getegid()
    kinds = ["user", "mnt"] if user else ["mnt"]
    _checked(libc.unshare(CLONE_NEWNS | (CLONE_NEWUSER if user else 0)), "unshare")
    own = os.open("/proc/self", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    if user:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            file = os.open(name, os.O_WRONLY | os.O_CLOEXEC, dir_fd=own)
            os.write(file, text.encode())
            os.close(file)
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME
    for folder in folders:
        _mount("tmpfs", folder, "tmpfs", flags, "mode=555,size=4k,nr_inodes=1")
    spaces = [os.open(f"ns/{kind}", os.O_RDONLY | os.O_CLOEXEC, dir_fd=own) for kind in kinds]
    return [os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC), *spaces]


def _show(way: str, path: str, target: str) -> None:
    """Show a path of the machine in the new root, or a link in its place."""
    inside = _AT + path
    os.makedirs(os.path.dirname(inside), 0o755, exist_ok=True)
    if way == "link":
        os.symlink(target, inside)
        return
    if os.path.isdir(path):
        os.makedirs(inside, 0o755, exist_ok=True)
    elif not os.path.lexists(inside):
        os.close(os.open(inside, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o444))
    _mount(path, inside, None, MS_BIND)
    of_path = os.statvfs(path).f_flag
    flags = MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NOATIME | MS_NODIRATIME
    for shown, flag in _KEPT:
        flags |= flag if of_path & shown else 0
    flags |= MS_NOEXEC if way == "device" else MS_RDONLY | MS_NODEV
    try:
        _mount(None, inside, None, flags)
    except PermissionError:  # where the times of access are locked too
        _mount(None, inside, None, flags & ~(MS_NOATIME | MS_NODIRATIME) | _times(of_path))


def _times(of_path: int) -> int:
    """Return the flags of a mount that say when times of access are set."""
    known = ((os.ST_NOATIME, MS_NOATIME), (os.ST_NODIRATIME, MS_NODIRATIME))
    flags = sum(flag for shown, flag in known if of_path & shown)
    return flags | (MS_RELATIME if of_path & os.ST_RELATIME else 0)


def _pivot() -> None:
    """Make the working directory the root, and let go of what was that before."""
    calls = ARCHITECTURES[os.uname().machine].calls
    _checked(libc.syscall(ctypes.c_long(calls["pivot_root"]), b".", b"."), "pivot_root")
    _checked(libc.umount2(b".", MNT_DETACH), "umount2")
    flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV
    _mount(None, "/", None, flags)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind)]
    result = libc.mount(*words, ctypes.c_ulong(flags), data.encode() or None)
    _checked(result, "mount", target.removeprefix(_AT) or target)


def _checked(result: int, call: str, path: str = "") -> None:
    if result != 0:
        number = ctypes.get_errno() or errno.EPERM
        raise OSError(number, os.strerror(number), f"{call} {path}".rstrip())
