"""Where environments are kept, and what one is called: by its wheels, and by its Python."""

import os
from hashlib import blake2b
from pathlib import Path

from arena.environment.interpreter import Interpreter
from arena.environment.lock import Lock
from referee.sandbox.kept import kept_folder

_FORM = "3"  # of these folders; another one is not taken for the same


def environments_folder() -> Path:
    """Return the folder of all environments; raise ArenaError for a user without a home."""
    return kept_folder() / "environments"


def place_of(lock: Lock, python: Interpreter) -> Path:
    """Return where the environment is kept of a lock that has one wheel for each package."""
    return environments_folder() / _key(lock, python)


def choice_of(lock: Lock, python: Interpreter) -> Path:
    """Return where it is noted what the index has given where a lock leaves a choice."""
    return kept_folder() / "choices" / _key(lock, python)


def _key(lock: Lock, python: Interpreter) -> str:
    """Return another name for other packages, other wheels of them, or another Python."""
    machine = os.uname().machine
    parts = [_FORM, lock.digest(), python.path, python.version, python.soabi, machine]
    return blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()
