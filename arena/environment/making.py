"""Environments: made once for each set of wheels, read-only, and shared by the bots that have it.

An environment is a folder as `python -m venv` makes it, without programs but the interpreter. The
wheels that it was made of are kept in it.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from inspect import getsource
from pathlib import Path
from typing import TypeAlias

import msgspec
from packaging.requirements import Requirement

from arena.environment import unpack_wheels
from arena.environment.choosing import is_for
from arena.environment.errors import PackagesError, explained
from arena.environment.interpreter import Interpreter
from arena.environment.kept import place_of
from arena.environment.lock import Lock, lock_text
from arena.environment.locks import Locks, changed
from arena.environment.names import LOCK, WHEELS
from arena.environment.requirements import applies, name_of
from arena.environment.settings import EnvironmentSettings
from arena.environment.wheels import Wheel, wheels_in
from arena.folders import put_in_place
from arena.text import quoted, safe
from referee.limits import WorkLimits
from referee.sandbox.by_hash import keep_times
from referee.sandbox.kept import being_filled, discard, forget_old, kept_folder, make_open, use
from referee.sandbox.sources import Amount, Sources
from referee.sandbox.workshop import Outcome, Workshop

_ANYWAY = re.compile(r"^(ran longer|used more|made more)")
_NONE: frozenset[str] = frozenset()
_MANIFEST = "manifest.json"
_Known: TypeAlias = tuple[int, int, int]  # a file's mode, bytes, and nanoseconds since 1970
_Held: TypeAlias = dict[str, _Known]


@dataclass(frozen=True)
class Made:
    """An environment that is there."""

    folder: Path
    outcome: Outcome | None
    """How its packages were unpacked; None if it was there before."""
    remark: str = ""
    """What is to be said of it, in a sentence."""
    chosen: str = ""
    """What is another text for other wheels, if the lock leaves a choice; else empty."""


class Environments:
    """Makes environments for one Python, in a sandbox that is had when the first is made.

    What is fetched for them is put into the folder `fetched`.
    """

    def __init__(
        self,
        settings: EnvironmentSettings,
        limits: WorkLimits,
        interpreter: Interpreter,
        workshop: Callable[[], Workshop],
        fetched: Path,
    ) -> None:
        self._settings = settings
        self._limits = settings.work(limits)
        self._interpreter = interpreter
        self._workshop = workshop

        self.locks = Locks(settings, interpreter, fetched)
        """The locks that they are made by."""

    def made(self, bot: Path) -> Made:
        """Return the environment of the bot in a folder, as its lock says, made if need be.

        One that has changed since is made anew. Raises PackagesError if it cannot be made,
        SandboxError if nothing can be unpacked here.
        """
        lock = self.locks.settled(bot)
        folder = place_of(lock, self._interpreter)
        chosen = lock.digest() if lock.had_choice else ""
        if not use(folder):
            return Made(folder, self._make(lock, bot, folder), chosen=chosen)
        with explained():
            change = _what_changed(folder)
        if not change:
            return Made(folder, None, chosen=chosen)
        said = f"its environment {folder.name} was no longer as it was made: {change}"
        try:
            outcome = self._make(lock, bot, folder)
        except PackagesError as error:
            what = f"{said}. It cannot be made anew: {error.what}"
            raise PackagesError(what, error.output, remedy=error.remedy) from None
        return Made(folder, outcome, f"{said}. It was made anew.", chosen)

    def _make(self, lock: Lock, bot: Path, folder: Path) -> Outcome:
        """Make the environment of a bot in a folder, and return how its packages were unpacked."""
        forget_old(folder.parent)
        make_open(folder.parent, kept_folder().parent)
        with explained(), being_filled(folder) as new:
            wheels = self._gathered(lock, bot, new)
            _check_whole(lock, wheels, self._interpreter)
            outcome = self._unpacked(wheels, new / "wheels", new / "files")
            (new / "wheels").rename(new / "files" / WHEELS)  # to be sent to other machines
            self._finish(new / "files", lock, folder)
        return outcome

    def has(self, bot: Path) -> bool:
        """Return whether the environment of the bot in a folder is there, as it was made.

        Raises as `made`.
        """
        folder = self.place(bot)
        with explained():
            return use(folder) and not _what_changed(folder)

    def place(self, bot: Path) -> Path:
        """Return where the environment of the bot in a folder is kept, once it is made.

        Raises as `made`.
        """
        return place_of(self.locks.settled(bot), self._interpreter)

    def check_wheels(self, folder: Path) -> None:
        """Raise PackagesError if a wheel in a folder, from another machine, is not for here."""
        python = self._interpreter
        for wheel in wheels_in(folder):
            if wheel.rank(python) is None or not is_for(wheel, python):
                raise PackagesError(
                    f"{wheel.shown} is for another Python or machine, and bots run there with "
                    f"{python.shown}: install the Python there that runs the bots here."
                )

    def _gathered(self, lock: Lock, bot: Path, new: Path) -> list[Wheel]:
        """Copy the wheels of a lock into a folder of ours, and return them as they are there."""
        gathered = new / "wheels"
        gathered.mkdir()
        for name, wheel in self.locks.wheels(lock, bot).items():
            if wheel.copied(gathered / wheel.plain_name) not in lock.pins[name].hashes:
                raise PackagesError(changed(wheel, lock))
        return wheels_in(gathered)

    def _unpacked(self, wheels: Sequence[Wheel], source: Path, target: Path) -> Outcome:
        """Unpack wheels into the new folder `target`."""
        python, most = self._interpreter, self._settings
        site = f"lib/python{python.short}/site-packages"
        amount = Amount(most.files, most.disk_mb << 20)
        words = [python.path, "-I", "-S", "-c", getsource(unpack_wheels), site]
        names = [wheel.path.name for wheel in wheels]
        with (
            Sources(source, most=amount.size) as sources,
            self._workshop().work(words, sources, names, self._limits) as work,
        ):
            outcome = work.outcome
            if outcome.why == f"exited with code {unpack_wheels.REFUSED}":
                raise PackagesError(safe(outcome.output.strip().splitlines()[-1]) + ".")
            if not outcome.is_ok:
                more = " Allow more in [environments] of league.toml." * bool(
                    _ANYWAY.search(outcome.why)
                )
                what = f"its packages cannot be unpacked: that {outcome.why}.{more}"
                raise PackagesError(what, outcome.output)
            work.take(target, amount)
            return outcome

    def _finish(self, files: Path, lock: Lock, folder: Path) -> None:
        """Make what was unpacked an environment, and put it in its place."""
        python = self._interpreter
        (files / "bin").mkdir()
        (files / "bin" / "python").symlink_to(python.path)
        (files / "lib" / f"python{python.short}" / "site-packages").mkdir(
            parents=True, exist_ok=True
        )
        home = Path(python.path).parent
        (files / "pyvenv.cfg").write_text(
            f"home = {home}\ninclude-system-site-packages = false\nversion = {python.version}\n",
            encoding="utf-8",
        )
        (files / LOCK).write_text(lock_text([*lock.pins.values()]), encoding="utf-8")
        _seal(files)
        _seal_file(_write_manifest(files))
        if folder.is_dir() and _what_changed(folder):
            discard(folder)
        with suppress(FileExistsError, OSError):  # another process has made it meanwhile
            put_in_place(files, folder)
        if not folder.is_dir():
            raise PackagesError(f"{folder} cannot be made; free some space there, then try again.")
        folder.chmod(0o555)


def _check_whole(lock: Lock, wheels: Sequence[Wheel], python: Interpreter) -> None:
    """Raise PackagesError if a wheel is for another Python, or needs what the lock lacks."""
    for wheel in wheels:
        if not is_for(wheel, python):
            raise PackagesError(
                f"{wheel.shown} needs Python {wheel.needs.python}; bots run here with "
                f"{python.shown}."
            )
        needs: list[Requirement] = wheel.needs.packages
        for each in needs:
            pin = lock.pins.get(name_of(each))
            if not applies(each, python.markers, _NONE):
                continue
            if pin is None or not each.specifier.contains(pin.version, prereleases=True):
                raise PackagesError(
                    f"{safe(str(lock.file))} does not fit together: {wheel.name} needs "
                    f"{safe(each.name)}{each.specifier}. Make it anew: `arena env build --update "
                    f"{quoted(lock.file.parent)}`."
                )


def _seal(files: Path) -> None:
    """Let nobody write, and let no time of reading show: bots that share it could leave word."""
    for here, folders, names in os.walk(files, topdown=False):
        for name in names:
            path = Path(here, name)
            if not path.is_symlink():
                _seal_file(path)
        for name in folders:
            Path(here, name).chmod(0o555)
    files.chmod(0o755)  # until it is in its place


def _seal_file(path: Path) -> None:
    found = path.stat()
    path.chmod(0o555 if found.st_mode & 0o100 else 0o444)
    keep_times(path, found.st_mtime_ns)


def _write_manifest(folder: Path) -> Path:
    """Write down what a folder holds, in a new file in it, which is returned.

    Of each file it is only what the file system knows: its mode, its size, and when it was changed.
    Who sets that time back is not found out.
    """
    file = folder / _MANIFEST
    file.write_bytes(msgspec.json.encode(dict(_held(folder))))
    return file


def _what_changed(folder: Path) -> str:
    """Return the first file that is not as its manifest says, in words; empty if all are."""
    try:
        known = msgspec.json.decode((folder / _MANIFEST).read_bytes(), type=_Held)
    except (OSError, ValueError):
        return f"{_MANIFEST} cannot be read"
    for name, now in _held(folder):
        then = known.pop(name, None)
        if then is None:
            return f"{safe(name)} is new there"
        if then != now:
            return f"{safe(name)} was changed"
    return f"{safe(min(known))} is gone" if known else ""


def _held(folder: Path) -> Iterator[tuple[str, _Known]]:
    """Yield the files of a folder by their paths in it, but for its manifest."""
    left = [""]
    while left:
        here = left.pop()
        with os.scandir(folder / here) as entries:
            for entry in entries:
                path = f"{here}/{entry.name}" if here else entry.name
                found = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(found.st_mode):
                    left.append(path)
                elif path != _MANIFEST:
                    yield path, (found.st_mode, found.st_size, found.st_mtime_ns)
