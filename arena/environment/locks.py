"""The locks of bots for one Python: made, settled where they leave a choice, and their wheels had.

Where a lock allows several wheels of a package, the bot's own one counts, and without one that of
the index. What was fetched for another bot, or lies in its environment, is taken by its hash alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.requirements import Requirement

from arena.environment.choosing import choose
from arena.environment.errors import PackagesError, explained
from arena.environment.fetching import fetch_all, fetch_locked
from arena.environment.interpreter import Interpreter
from arena.environment.kept import choice_of, place_of
from arena.environment.lock import Lock, Pin, lock_text, read_lock
from arena.environment.names import LOCK, REQUIREMENTS, WHEELS
from arena.environment.requirements import read_requirements
from arena.environment.settings import EnvironmentSettings
from arena.environment.wheels import Wheel, wheels_in
from arena.text import quoted, safe
from referee.sandbox.kept import being_filled, forget_old, use


class Locks:
    """Reads and makes locks, and has their wheels.

    What is fetched is put into the folder `fetched`, and not fetched again while it is there.
    """

    def __init__(
        self, settings: EnvironmentSettings, interpreter: Interpreter, fetched: Path
    ) -> None:
        self._settings = settings
        self._interpreter = interpreter
        self._fetched = fetched
        self._given: dict[Path, dict[str, Pin]] = {}  # by the index, as it is noted there

    def settled(self, bot: Path) -> Lock:
        """Return the lock of the bot in a folder, with one wheel for each package.

        What the index has given is noted, and holds as long as the environment is there. Raises
        PackagesError if the lock cannot be read, or settled.
        """
        lock = self._with_own(bot)
        if not lock.open:
            return lock
        noted = choice_of(lock, self._interpreter)
        if noted in self._given:
            return lock.narrowed(self._given[noted])
        if use(noted):
            known = lock.narrowed(read_lock(noted, self._interpreter).pins)
            if place_of(known, self._interpreter).is_dir():
                return known
        if not self._settings.fetch:
            raise _absent(next(iter(lock.open.values())), bot, self._interpreter)
        with self._fetching() as new:
            fetch_locked([*lock.open.values()], self._interpreter, new, self._settings.seconds)
            suiting = _suiting(lock, lock.open, wheels_in(new), self._interpreter)
            given = _pins(suiting.values())
        for name, pin in lock.open.items():
            if name not in given:
                raise _absent(pin, bot, self._interpreter)
        with explained():
            noted.parent.mkdir(parents=True, exist_ok=True)
            forget_old(noted.parent)
            with being_filled(noted) as new:
                (new / LOCK).write_text(lock_text([*given.values()]), encoding="utf-8")
                (new / LOCK).replace(noted)
        self._given[noted] = given
        return lock.narrowed(given)

    def fix(self, bot: Path) -> str:
        """Let the lock of the bot in a folder allow no wheels but its own, where it has them.

        So its version names what it is run with. Return what was done, in a sentence, or nothing.
        Raises as `settled`.
        """
        before, after = self._read(bot), self._with_own(bot)
        fixed = [pin.shown for name, pin in after.pins.items() if pin != before.pins[name]]
        if not fixed:
            return ""
        _write(after.file, after.pins.values())
        return f"{LOCK} allows the wheels in {WHEELS} alone, for {', '.join(fixed)}."

    def wheels(self, lock: Lock, bot: Path) -> dict[str, Wheel]:
        """Return the wheels of a lock that is settled, by name, fetched if need be.

        Those that an environment keeps count too, if they are as they were. Raises PackagesError
        if one is not to be had.
        """
        found = self._here(lock, bot)
        if absent := [pin for pin in lock.pins.values() if pin.name not in found]:
            if not self._settings.fetch:
                raise _absent(absent[0], bot, self._interpreter)
            fetch_locked(absent, self._interpreter, self._fetched, self._settings.seconds)
            found = self._here(lock, bot)
        return {name: found[name] for name in lock.pins}

    def made(self, bot: Path, *, anew: bool = False) -> str:
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
            pins = self._chosen(requirements, bot)
        except PackagesError as error:
            what = f"its {LOCK} {why}, and cannot be made: {error.what}"
            raise PackagesError(what, error.output, remedy=error.remedy) from None
        _write(file, pins)
        return f"{LOCK} is written: {', '.join(pin.shown for pin in pins) or 'no packages'}."

    def forget_fetched(self) -> None:
        """Remove what was fetched."""
        self._given.clear()
        for wheel in wheels_in(self._fetched):
            wheel.path.unlink()

    def _read(self, bot: Path) -> Lock:
        """Return the lock of the bot in a folder, which fits its requirements."""
        lock = read_lock(bot / LOCK, self._interpreter)
        if (bot / REQUIREMENTS).exists():
            lock.check(read_requirements(bot / REQUIREMENTS), self._interpreter)
        return lock

    def _with_own(self, bot: Path) -> Lock:
        """Return the lock of the bot in a folder, with its own wheels where that has a choice."""
        lock = self._read(bot)
        own = _suiting(lock, lock.open, wheels_in(bot / WHEELS), self._interpreter)
        return lock.narrowed(_pins(own.values()))

    def _here(self, lock: Lock, bot: Path) -> dict[str, Wheel]:
        """Return the wheels of a lock by name, as far as they are here."""
        with explained():
            kept = [
                wheel
                for wheel in wheels_in(place_of(lock, self._interpreter) / WHEELS)
                if (pin := lock.pins.get(wheel.name)) and wheel.sha256() in pin.hashes
            ]
        here = [*wheels_in(bot / WHEELS), *wheels_in(self._fetched), *kept]
        return _suiting(lock, lock.pins, here, self._interpreter)

    def _chosen(self, requirements: Sequence[Requirement], bot: Path) -> list[Pin]:
        """Return the pins of the wheels that fulfil requirements, fetched if need be."""
        by = REQUIREMENTS
        beside = wheels_in(bot / WHEELS)
        choice = choose(requirements, beside, self._interpreter, by)
        if not choice.lacking:
            return [*_pins(choice.wheels).values()]
        if not self._settings.fetch:
            raise PackagesError(
                choice.why,
                remedy=f"Put it into {safe(str(bot / WHEELS))}, or let it be fetched: `arena "
                f"env build --fetch {quoted(bot)}`.",
            )
        seconds = self._settings.seconds
        with self._fetching() as new:
            found = fetch_all(requirements, beside, self._interpreter, new, seconds, by)
            return [*_pins(found).values()]

    @contextmanager
    def _fetching(self) -> Iterator[Path]:
        """Yield a new folder to fetch into, as what was fetched for another bot is no choice."""
        with explained(), TemporaryDirectory(dir=self._fetched) as name:
            new = Path(name)
            yield new
            for wheel in wheels_in(new):
                wheel.path.replace(self._fetched / wheel.path.name)


def changed(wheel: Wheel, lock: Lock) -> str:
    """Return what to say of a wheel that has another hash than its lock allows."""
    return (
        f"{wheel.shown} is not the file that {safe(str(lock.file))} was made with, as its hash is "
        f"another one. Get the file from where it came; or, if you changed it, make the lock anew: "
        f"`arena env build --update {quoted(lock.file.parent)}`."
    )


def _suiting(
    lock: Lock, pins: Mapping[str, Pin], wheels: Iterable[Wheel], python: Interpreter
) -> dict[str, Wheel]:
    """Return the wheel of each pin of a lock, as far as it is there: that which suits best."""
    found: dict[str, Wheel] = {}
    others: dict[str, Wheel] = {}
    ranked = [(rank, wheel) for wheel in wheels if (rank := wheel.rank(python)) is not None]
    with explained():
        for _, wheel in sorted(ranked, key=lambda each: (each[0], each[1].path.name)):
            pin = pins.get(wheel.name)
            if pin is None or wheel.version != pin.version:
                continue
            if wheel.name not in found and wheel.sha256() in pin.hashes:
                found[wheel.name] = wheel
            others.setdefault(wheel.name, wheel)
    for name, wheel in others.items():
        if name not in found:
            raise PackagesError(changed(wheel, lock))
    return found


def _pins(wheels: Iterable[Wheel]) -> dict[str, Pin]:
    """Return what allows these wheels alone, by name."""
    with explained():
        return {
            each.name: Pin(each.name, each.version, frozenset([each.sha256()])) for each in wheels
        }


def _write(file: Path, pins: Iterable[Pin]) -> None:
    try:
        file.write_text(lock_text([*pins]), encoding="utf-8")
    except OSError as error:
        raise PackagesError(f"{safe(str(file))} cannot be written: {error.strerror}.") from None


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
        remedy=f"Or let it be fetched: `arena env build --fetch {quoted(bot)}`; in a league, by "
        f"fetch = true in [environments] of its league.toml.",
    )
