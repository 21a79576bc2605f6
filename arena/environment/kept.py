"""The environments that are kept here: where, which they are, and away with them."""

import datetime
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from arena.environment.errors import PackagesError
from arena.environment.interpreter import Interpreter
from arena.environment.lock import Lock
from arena.environment.names import LOCK
from referee.sandbox.kept import discard, is_whole, kept_folder, size_of

_FORM = "3"  # of these folders; another one is not taken for the same
_UNUSED_SECONDS = 86_400
_PIN = re.compile(r"^(\S+==\S+)", re.MULTILINE)
_VERSION = re.compile(r"^version = (.*)$", re.MULTILINE)


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


@dataclass(frozen=True)
class KeptEnvironment:
    """An environment that is there."""

    name: str
    python: str
    """The version of its Python."""
    packages: list[str]
    size: int
    """In bytes."""
    used: str
    """When it was used last, as UTC in ISO 8601."""


def kept_environments() -> list[KeptEnvironment]:
    """Return all environments of this user, those that were used last first."""
    return [
        KeptEnvironment(
            folder.name,
            "".join(_VERSION.findall(_text(folder / "pyvenv.cfg"))),
            _PIN.findall(_text(folder / LOCK)),
            size_of(folder),
            datetime.datetime.fromtimestamp(used, datetime.UTC).isoformat(timespec="seconds"),
        )
        for used, folder in sorted(_folders(), reverse=True)
    ]


def removed(names: Sequence[str]) -> list[str]:
    """Remove environments by name, or without names all that were not used for a day.

    Returns the names of those that were removed. Raises PackagesError for one that is not there;
    then none is removed.
    """
    known = {folder.name: (used, folder) for used, folder in _folders()}
    for name in names:
        if name not in known:
            raise PackagesError(f"there is no environment {name!r}. `arena env list` lists them.")
    old = time.time() - _UNUSED_SECONDS
    chosen = [*dict.fromkeys(names)] or [name for name, (used, _) in known.items() if used < old]
    for name in chosen:
        discard(known[name][1])
    return chosen


def _folders() -> Iterator[tuple[float, Path]]:
    place = environments_folder()
    for folder in place.iterdir() if place.is_dir() else ():
        if is_whole(folder):
            yield folder.stat().st_mtime, folder


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:  # of one that is being removed
        return ""
