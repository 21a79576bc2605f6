"""The Python that an environment is for: asked once what it is, and which wheels it can load."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from packaging.tags import Tag, compatible_tags, cpython_tags, platform_tags

from arena.environment.errors import PackagesError
from referee.sandbox.program import interpreter
from referee.sandbox.users import first_user

_SECONDS = 30.0
_ASKED = """
import json, os, platform, sys, sysconfig
version = ".".join(map(str, sys.version_info[:3]))
json.dump({
    "soabi": sysconfig.get_config_var("SOABI") or "",
    "flags": ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "")
        + ("d" if hasattr(sys, "gettotalrefcount") else ""),
    "markers": {
        "implementation_name": sys.implementation.name,
        "implementation_version": version,
        "os_name": os.name,
        "platform_machine": platform.machine(),
        "platform_release": platform.release(),
        "platform_system": platform.system(),
        "platform_version": platform.version(),
        "python_full_version": platform.python_version(),
        "platform_python_implementation": platform.python_implementation(),
        "python_version": ".".join(platform.python_version_tuple()[:2]),
        "sys_platform": sys.platform,
    },
}, sys.stdout)
"""
"""What is asked of it: as `packaging.markers` would find it there."""


@dataclass(frozen=True)
class Interpreter:
    """A Python, as far as it says which packages fit it."""

    path: str
    soabi: str
    """The name of its binary interface."""
    flags: str
    """`t` if it is free-threaded, `d` if it was built to be debugged."""
    markers: dict[str, str]
    """What the markers of requirements are compared with."""

    @property
    def version(self) -> str:
        """Its whole version, as 3.11.2."""
        return self.markers["python_full_version"]

    @property
    def short(self) -> str:
        """The version that its folders are called by, as 3.11."""
        return self.markers["python_version"]

    @property
    def shown(self) -> str:
        """What it is, in words."""
        return f"Python {self.short} on {self.markers['platform_machine']}"

    @cached_property
    def tags(self) -> dict[Tag, int]:
        """The tags of the wheels that it can load; the lower the number, the better."""
        return {tag: number for number, tag in enumerate(self._tags())}

    def _tags(self) -> Iterator[Tag]:
        major, minor = map(int, self.short.split("."))
        platforms = list(platform_tags())
        named = f"cp{major}{minor}"
        yield from cpython_tags((major, minor), [f"{named}{self.flags}"], platforms)
        yield from compatible_tags((major, minor), named, platforms)


def interpreter_for(uid: int | None) -> Interpreter:
    """Return the Python that runs Python bots here; as root, they are users from `uid` on.

    Raises PackagesError if there is none, or it is no CPython.
    """
    user = first_user(uid)
    path = interpreter(user)
    if not path:
        raise PackagesError(
            f"no Python here can be run by uid {user}: install python3 in /usr, or run the arena "
            f"as an ordinary user."
        )
    return _asked(path)


@cache
def _asked(path: str) -> Interpreter:
    command = [path, "-I", "-S", "-c", _ASKED]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=_SECONDS, cwd="/"
        )
        found = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise PackagesError(f"{path} does not say what it is: {error}") from None
    if found["markers"]["implementation_name"] != "cpython":
        raise PackagesError(f"{path} is no CPython, and environments are made for CPython alone.")
    return Interpreter(path, found["soabi"], found["flags"], found["markers"])
