"""What a bot may open: the Landlock rules of the default sandbox.

See the kernel's userspace-api/landlock documentation for rights and versions of the interface.
"""

import ctypes
import errno
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from referee.sandbox.errors import SandboxError
from referee.sandbox.program import own_python
from referee.sandbox.syscalls import EVERYWHERE

if TYPE_CHECKING:
    from referee.sandbox.enclosure import Ruleset

_VERSION = 1  # a flag: return the version of the interface

EXECUTE = 1 << 0
WRITE_FILE = 1 << 1
READ_FILE = 1 << 2
READ_DIR = 1 << 3
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | 1 << 14 | 1 << 15
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All filesystem rights, by the first version of the interface that knows them."""
_HANDLED = _RIGHTS[5]
_NOT_IN_BUILDS = 1 << 6 | 1 << 9 | 1 << 11 | 1 << 15
"""To make devices and sockets, and to control devices."""
_TCP = 0b11  # bind and connect
_SCOPES = 0b11  # abstract unix sockets and signals

_RUN_ALL = EXECUTE | READ_FILE | READ_DIR
PROGRAMS = ("/usr", "/lib", "/lib64", "/bin", "/sbin")
"""Where the system's programs are."""
_OF_LANGUAGES = ("java*", "mono/config", "R/Renviron", "R/ldpaths", "fpc*.cfg", "nim", "ldc2.conf*")
"""Where in /etc runtimes and compilers look for their own parts; what a site adds is left out."""
SETTINGS = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/alternatives",
    "/etc/ssl/openssl.cnf",
    *sorted(str(path) for name in _OF_LANGUAGES for path in Path("/etc").glob(name)),
    "/var/lib/ghc",
)
"""What programs read of the system's settings; some are on no machine."""
_DEVICES = ("/dev/zero", "/dev/random", "/dev/urandom")
_WRITE = ("/dev/null", "/dev/full")

Rule = tuple[str, int]
"""A path and the rights beneath it."""


def abi() -> int:
    """Return the version of Landlock here; raise SandboxError if it cannot be used."""
    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.syscall(EVERYWHERE["landlock_create_ruleset"], None, ctypes.c_size_t(0), _VERSION)
    if found > 0:
        return int(found)
    number = ctypes.get_errno()
    usual = f"Landlock does not answer (landlock_create_ruleset: {os.strerror(number)})."
    raise SandboxError(_REASONS.get(number, usual), "sandbox")


_REASONS = {
    errno.ENOSYS: "this kernel has no Landlock (landlock_create_ruleset: Function not "
    "implemented). Needs Linux 5.13 or newer.",
    errno.EOPNOTSUPP: 'Landlock is built in but off (Operation not supported). Add "landlock" to '
    "the lsm= list on the kernel command line.",
    errno.EPERM: "the container's seccomp profile blocks Landlock (Operation not permitted). "
    "Update Docker (20.10.18 or newer) or Podman (of late 2022 or newer), or change its profile.",
}


def ruleset(
    version: int, folder: str, files: Sequence[str], shared: Iterable[str] = ()
) -> "Ruleset":
    """Return what a bot may open: the system's programs, the arena's own Python, and its files.

    It may list the names in its folder, which Python's imports need, but read no other file there,
    and read what is `shared` with others.
    """
    rules = _of_system()
    rules.append((folder, READ_DIR))
    rules += [(f"{folder}/{name}", _RUN_ALL) for name in covering(folder, files)]
    rules += [(path, _RUN_ALL) for path in shared]
    return _ruleset(version, rules)


def building(version: int, tools: Iterable[str], folders: Iterable[str]) -> "Ruleset":
    """Return what a build may open: the system's programs, its tools, and its own `folders`.

    It may do there what it likes, except make devices and sockets.
    """
    rules = _of_system()
    rules += [(tool, _RUN_ALL) for tool in tools]
    rules += [(folder, _HANDLED & ~_NOT_IN_BUILDS) for folder in folders]
    return _ruleset(version, rules)


def _of_system() -> list[Rule]:
    """Return the rules for the system's programs, the arena's own Python among them."""
    rules = [(path, _RUN_ALL) for path in (*PROGRAMS, *own_python(None))]
    rules += [(path, READ_FILE | READ_DIR) for path in (*SETTINGS, *_DEVICES)]
    rules += [(path, READ_FILE | WRITE_FILE) for path in _WRITE]
    return rules


def _ruleset(version: int, rules: Iterable[Rule]) -> "Ruleset":
    """Return the rules with all else refused that this version can refuse."""
    handled = _RIGHTS[max(known for known in _RIGHTS if known <= version)]
    return {
        "filesystem": handled,
        "network": _TCP if version >= 4 else 0,
        "scopes": _SCOPES if version >= 6 else 0,
        "rules": list(_fitting(rules, handled)),
    }


def covering(folder: str, files: Iterable[str]) -> list[str]:
    """Return the fewest files and folders beneath which lie `files` and no other file."""
    names: dict[str, list[str]] = {}
    found = []
    for file in files:
        first, slash, rest = file.partition("/")
        if slash:
            names.setdefault(first, []).append(rest)
        else:
            found.append(file)
    for name, inner in names.items():
        path = f"{folder}/{name}"
        parts = covering(path, inner)
        links = [part for part in parts if os.path.islink(f"{path}/{part}")]
        if set(os.listdir(path)) == set(parts):
            found += [name, *(f"{name}/{link}" for link in links)]
        else:
            found += [f"{name}/{part}" for part in parts]
    return found


def _fitting(rules: Iterable[Rule], handled: int) -> Iterable[Rule]:
    """Yield the rules of what is there, with the rights that it can have."""
    for path, rights in rules:
        if os.path.isdir(path):
            yield path, rights & handled
        elif os.path.exists(path):
            yield path, rights & handled & _OF_FILES
