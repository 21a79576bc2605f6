"""A root as containers have it, which may not mount, on a system that has little in it.

`python -m tests.attacks.small_system COMMAND...` runs a command as that one.
"""

import ctypes
import os
import sys
from fnmatch import fnmatch

PR_CAPBSET_DROP, CAP_SYS_ADMIN = 24, 21
CLONE_NEWNS = 0x00020000
MS_REC, MS_PRIVATE = 0x4000, 1 << 18
_THINNED = ("/usr/lib", "/usr/share", "/usr/local")
_KEPT = ("python3*", "*-linux-gnu", "zoneinfo", "bin", "lib", "jvm", "ssl", "locale", "gcc")


def shrink() -> None:
    """Hide most of what is installed, in a mount namespace of its own.

    Containers have little: where all is hard-linked, a machine with everything takes long.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    libc.mount(None, b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None)
    for folder in _THINNED:
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False) and not any(
                fnmatch(entry.name, kept) for kept in _KEPT
            ):
                libc.mount(b"tmpfs", os.fsencode(entry.path), b"tmpfs", ctypes.c_ulong(0), None)


def main() -> None:
    """Run a command as a root that may not mount."""
    shrink()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
