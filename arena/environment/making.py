"""Environments: made once for each set of packages, read-only, and shared by the bots that have it.

An environment is a folder as `python -m venv` makes it, without programs but the interpreter. The
wheels that it was made of are kept in it.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from inspect import getsource
from pathlib import Path

from packaging.requirements import Requirement

from arena.environment import unpack_wheels
from arena.environment.choosing import LackingError, choose, is_for
from arena.environment.errors import PackagesError
from arena.environment.fetching import fetch_all, fetch_locked
from arena.environment.interpreter import Interpreter
from arena.environment.lock import Lock, Pin, lock_text, read_lock
from arena.environment.manifest import what_changed, write_manifest
from arena.environment.names import LOCK, REQUIREMENTS, WHEELS
from arena.environment.requirements import applies, name_of, read_requirements
from arena.environment.settings import EnvironmentSettings
from arena.environment.wheels import Wheel, wheels_in
from arena.folders import put_in_place
from arena.text import safe
from referee.limits import WorkLimits
from referee.sandbox.kept import being_filled, discard, forget_old, kept_folder, make_open, use
from referee.sandbox.sources import Amount, Sources
from referee.workshop import Outcome, Workshop

_FORM = "2"  # of these folders; another one is not taken for the same
_FAR = 4_102_444_800  # the year 2100, in seconds: see `_seal`
_ANYWAY = re.compile(r"^(ran longer|used more|made more)")
_NONE: frozenset[str] = frozenset()


def environments_folder() -> Path:
    """Return the folder of all environments; raise ArenaError for a user without a home."""
    return kept_folder() / "environments"


@dataclass(frozen=True)
class Made:
    """An environment that is there."""

    folder: Path
    outcome: Outcome | None
    """How its packages were unpacked; None if it was there before."""
    remark: str = ""
    """What is to be said of it, in a sentence."""


class Environments:
    """Makes environments for one Python, in a sandbox that is had when the first is made.

    What is fetched is put into the folder `fetched`, and not fetched again while that is there.
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
        self._fetched = fetched

    def made(self, bot: Path) -> Made:
        """Return the environment of the bot in a folder, as its lock says, made if need be.

        One that has changed since is made anew. Raises PackagesError if it cannot be made,
        SandboxError if nothing can be unpacked here.
        """
        lock, folder = self._asked(bot)
        if not use(folder):
            return Made(folder, self._make(lock, bot, folder))
        with _explained():
            change = what_changed(folder)
        if not change:
            return Made(folder, None)
        said = f"its environment {folder.name} was no longer as it was made: {change}"
        try:
            outcome = self._make(lock, bot, folder)
        except PackagesError as error:
            what = f"{said}. It cannot be made anew: {error.what}"
            raise PackagesError(what, error.output, remedy=error.remedy) from None
        return Made(folder, outcome, f"{said}. It was made anew.")

    def _make(self, lock: Lock, bot: Path, folder: Path) -> Outcome:
        """Make the environment of a bot in a folder, and return how its packages were unpacked."""
        forget_old(folder.parent)
        make_open(folder.parent, kept_folder().parent)
        with _explained(), being_filled(folder) as new:
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
        _, folder = self._asked(bot)
        with _explained():
            return use(folder) and not what_changed(folder)

    def check_wheels(self, folder: Path) -> None:
        """Raise PackagesError if a wheel in a folder, from another machine, is not for here."""
        python = self._interpreter
        for wheel in wheels_in(folder):
            if wheel.rank(python) is None or not is_for(wheel, python):
                raise PackagesError(
                    f"{wheel.shown} is for another Python or machine, and bots run there with "
                    f"{python.shown}: install the Python there that runs the bots here."
                )

    def _asked(self, bot: Path) -> tuple[Lock, Path]:
        """Return the lock of the bot in a folder, and where its environment is kept."""
        lock = read_lock(bot / LOCK, self._interpreter)
        if (bot / REQUIREMENTS).exists():
            lock.check(read_requirements(bot / REQUIREMENTS), self._interpreter)
        return lock, environments_folder() / self._key(lock)

    def _key(self, lock: Lock) -> str:
        """Return what its folder is called: another one for other packages, or another Python."""
        python = self._interpreter
        parts = [
            _FORM,
            lock.digest(),
            python.path,
            python.version,
            python.soabi,
            os.uname().machine,
        ]
        return blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()

    def _gathered(self, lock: Lock, bot: Path, new: Path) -> list[Wheel]:
        """Copy the wheels of a lock into a folder of ours, and return them as they are there."""
        gathered = new / "wheels"
        gathered.mkdir()
        found = self._locked_wheels(lock, bot)
        if absent := [pin for pin in lock.pins.values() if pin.name not in found]:
            if not self._settings.fetch:
                raise _absent(absent[0], bot, self._interpreter)
            fetch_locked(absent, self._interpreter, self._fetched, self._settings.seconds)
            found = self._locked_wheels(lock, bot)
        for name, pin in lock.pins.items():
            wheel = found[name]
            if wheel.copied(gathered / wheel.path.name) not in pin.hashes:
                raise PackagesError(_changed(wheel, lock))
        return wheels_in(gathered)

    def _locked_wheels(self, lock: Lock, bot: Path) -> dict[str, Wheel]:
        """Return the wheels of a lock by name, as far as they are here.

        Those that an environment keeps count too, if they are as they were.
        """
        kept = [
            wheel
            for wheel in wheels_in(environments_folder() / self._key(lock) / WHEELS)
            if (pin := lock.pins.get(wheel.name)) and wheel.sha256() in pin.hashes
        ]
        here = [*wheels_in(bot / WHEELS), *wheels_in(self._fetched), *kept]
        return _locked_wheels(lock, here, self._interpreter)

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
        _seal_file(write_manifest(files))
        if folder.is_dir() and what_changed(folder):
            discard(folder)
        with suppress(FileExistsError, OSError):  # another process has made it meanwhile
            put_in_place(files, folder)
        if not folder.is_dir():
            raise PackagesError(f"{folder} cannot be made; free some space there, then try again.")
        folder.chmod(0o555)

    # --- locks

    def locked(self, bot: Path, *, anew: bool = False) -> str:
        """Make the lock of the bot in a folder, if it has none that fits; say what was done.

        Raises PackagesError if there are no wheels that fulfil its requirements.
        """
        requirements = read_requirements(bot / REQUIREMENTS)
        file = bot / LOCK
        why = "is to be made anew"
        if not file.exists():
            why = "is not there"
        elif not anew:
            misfit = read_lock(file, self._interpreter).misfit(requirements, self._interpreter)
            if not misfit:
                return ""
            why = f"does not fit {REQUIREMENTS} any more ({misfit})"
        try:
            wheels = self._chosen(requirements, bot)
        except PackagesError as error:
            what = f"its {LOCK} {why}, and cannot be made: {error.what}"
            raise PackagesError(what, error.output, remedy=error.remedy) from None
        with _explained():
            pins = [Pin(each.name, each.version, frozenset([each.sha256()])) for each in wheels]
        try:
            file.write_text(lock_text(pins), encoding="utf-8")
        except OSError as error:
            raise PackagesError(f"{safe(str(file))} cannot be written: {error.strerror}.") from None
        return f"{LOCK} is written: {', '.join(pin.shown for pin in pins) or 'no packages'}."

    def _chosen(self, requirements: Sequence[Requirement], bot: Path) -> list[Wheel]:
        by = REQUIREMENTS
        beside = wheels_in(bot / WHEELS)
        try:
            return choose(requirements, beside, self._interpreter, by)
        except LackingError as error:
            if not self._settings.fetch:
                raise PackagesError(
                    str(error),
                    remedy=f"Put it into {safe(str(bot / WHEELS))}, or let it be fetched: arena "
                    f"env build --fetch {safe(str(bot))}",
                ) from None
        seconds = self._settings.seconds
        return fetch_all(requirements, beside, self._interpreter, self._fetched, seconds, by)


def _locked_wheels(lock: Lock, wheels: Iterable[Wheel], python: Interpreter) -> dict[str, Wheel]:
    """Return the wheel of each pin, as far as it is there: one that the Python can load."""
    found: dict[str, Wheel] = {}
    others: dict[str, Wheel] = {}
    with _explained():
        for wheel in wheels:
            pin = lock.pins.get(wheel.name)
            if pin is None or wheel.version != pin.version or wheel.rank(python) is None:
                continue
            if wheel.name not in found and wheel.sha256() in pin.hashes:
                found[wheel.name] = wheel
            others.setdefault(wheel.name, wheel)
    for name, wheel in others.items():
        if name not in found:
            raise PackagesError(_changed(wheel, lock))
    return found


def _changed(wheel: Wheel, lock: Lock) -> str:
    return (
        f"{wheel.shown} is not the file that {safe(str(lock.file))} was made with, as its hash is "
        f"another one. Get the file from where it came; or, if you changed it, make the lock anew: "
        f"arena env build --update {safe(str(lock.file.parent))}"
    )


def _absent(pin: Pin, bot: Path, python: Interpreter) -> PackagesError:
    """Return the error of a pin without a wheel."""
    place = safe(str(bot / WHEELS))
    for wheel in wheels_in(bot / WHEELS):
        if wheel.name == pin.name and wheel.version == pin.version:
            return PackagesError(
                f"{wheel.shown} is for another Python or machine; bots run here with "
                f"{python.shown}: put the wheel for that into {place}."
            )
    return PackagesError(
        f"its package {pin.shown} is not here: put its wheel into {place}.",
        remedy=f"Or let it be fetched: arena env build --fetch {safe(str(bot))}; in a league, by "
        f"fetch = true in [environments] of its league.toml.",
    )


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
                    f"{safe(each.name)}{each.specifier}. Make it anew: arena env build --update "
                    f"{safe(str(lock.file.parent))}"
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
    path.chmod(0o555 if path.stat().st_mode & 0o100 else 0o444)
    os.utime(path, (_FAR, path.stat().st_mtime))


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what the file system refuses into a PackagesError."""
    try:
        yield
    except OSError as error:
        where = f"{safe(str(error.filename))}: " if error.filename else ""
        raise PackagesError(f"{where}{error.strerror}.") from None
