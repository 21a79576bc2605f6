"""Which program of a machine runs a bot: an interpreter, which may be another one elsewhere."""

import hashlib
import os
from functools import lru_cache
from pathlib import Path

import msgspec

from referee.sandbox.executable import named_interpreter
from referee.sandbox.kinds import search_path
from referee.sandbox.program import PYTHON, Program, interpreter
from referee.sandbox.users import first_user


class Runtime(msgspec.Struct, frozen=True):
    """A program that runs bots: where it is, links followed, and the hash of what is in it."""

    path: str
    digest: str


def runtime_of(program: Program, sandbox: str, uid: int | None) -> Runtime | None:
    """Return what runs a program that is no executable of its own; None if it is, or is not there.

    `uid` is as for a `Launcher`; the sandbox need not be had here.
    """
    sandboxed = sandbox != "none"
    user = first_user(uid) if sandboxed else None
    path = program.argv[0]
    if path == PYTHON:
        path = interpreter(user)
    elif path.startswith(f"{program.folder}/"):
        search = search_path(user) if sandboxed else os.environ.get("PATH", os.defpath)
        path = named_interpreter(path, search)
    if not path:
        return None
    real = os.path.realpath(path)
    try:
        found = os.stat(real)
        return Runtime(real, _digest(real, found.st_mtime_ns, found.st_size))
    except OSError:
        return None


@lru_cache
def _digest(path: str, _changed: int, _size: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
