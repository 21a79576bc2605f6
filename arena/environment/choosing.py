"""Which wheels of some fulfil all requirements, those of the chosen wheels among them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from arena.environment.errors import PackagesError
from arena.environment.interpreter import Interpreter
from arena.environment.requirements import applies, name_of
from arena.environment.wheels import Wheel
from arena.text import safe

_ROUNDS = 200  # after which a choice that still changes is given up
_NAMED = 3  # of those who ask for one package


class _Wanted:
    """All that is asked of one package, and by whom."""

    def __init__(self) -> None:
        self.specifier = SpecifierSet()
        self.extras: frozenset[str] = frozenset()
        self._by: list[str] = []

    def add(self, requirement: Requirement, by: str) -> None:
        self.specifier &= requirement.specifier
        self.extras |= requirement.extras
        self._by.append(f"{requirement.name}{requirement.specifier} for {by}")

    @property
    def asked(self) -> str:
        return safe("; ".join([*dict.fromkeys(self._by)][:_NAMED]))


_Asked = dict[str, _Wanted]


class Choice(NamedTuple):
    """The wheels that were chosen, or what is lacking."""

    wheels: list[Wheel]
    lacking: list[str]
    """Packages of which no wheel that suits is there, as lines of requirements."""
    why: str
    """Why the first of these is lacking."""


def choose(
    requirements: Sequence[Requirement], wheels: Iterable[Wheel], interpreter: Interpreter, by: str
) -> Choice:
    """Return the wheels, the newest that suit, that fulfil requirements and their own, by name.

    There is no going back to an older version of one because a newer one asks for too much:
    whoever has both names the version that is meant. `by` is who asks. Raises PackagesError for
    requirements that contradict each other.
    """
    known: dict[str, list[Wheel]] = {}
    for wheel in wheels:
        known.setdefault(wheel.name, []).append(wheel)
    chosen: dict[str, Wheel] = {}
    for _ in range(_ROUNDS):
        wanted = _wanted(requirements, chosen, interpreter, by)
        found = {
            name: _best(known.get(name, []), each, interpreter) for name, each in wanted.items()
        }
        then = {name: wheel for name, wheel in found.items() if wheel is not None}
        if then == chosen:
            lacking = [name for name in wanted if name not in chosen]
            if not lacking:
                return Choice([chosen[name] for name in sorted(chosen)], [], "")
            first = lacking[0]
            why = _why(first, wanted[first], known.get(first, []), interpreter)
            return Choice([], [f"{name}{wanted[name].specifier}" for name in lacking], why)
        chosen = then
    raise PackagesError(f"the requirements of {by} contradict each other: name exact versions.")


def _wanted(
    requirements: Sequence[Requirement],
    chosen: dict[str, Wheel],
    interpreter: Interpreter,
    by: str,
) -> _Asked:
    """Return all that is asked for, by the requirements and by the wheels that they lead to."""
    wanted: _Asked = {}
    _ask(wanted, requirements, frozenset(), by, interpreter)
    done: set[tuple[str, frozenset[str]]] = set()
    while left := {(name, each.extras) for name, each in wanted.items()} - done:
        for name, extras in sorted(left, key=lambda each: each[0]):
            done.add((name, extras))
            if name in chosen:
                _ask(wanted, chosen[name].needs.packages, extras, name, interpreter)
    return wanted


def _ask(
    wanted: _Asked,
    requirements: Iterable[Requirement],
    extras: frozenset[str],
    by: str,
    interpreter: Interpreter,
) -> None:
    for each in requirements:
        if applies(each, interpreter.markers, extras):
            wanted.setdefault(name_of(each), _Wanted()).add(each, by)


def _best(here: Sequence[Wheel], wanted: _Wanted, interpreter: Interpreter) -> Wheel | None:
    """Return the newest wheel of a package that suits, and of these the one that suits best."""
    fitting = [
        (wheel.version, -rank, wheel.path.name, wheel)
        for wheel in here
        if (rank := wheel.rank(interpreter)) is not None
        and wanted.specifier.contains(wheel.version, prereleases=True)
        and is_for(wheel, interpreter)
    ]
    return max(fitting)[-1] if fitting else None


def _why(name: str, wanted: _Wanted, here: Sequence[Wheel], interpreter: Interpreter) -> str:
    """Return why there is no wheel of a package that suits."""
    if not here:
        return f"there is no wheel of {safe(name)} ({wanted.asked})."
    for wheel in here:
        if wheel.rank(interpreter) is not None and is_for(wheel, interpreter):
            return f"{wheel.shown} is not what is asked for ({wanted.asked})."
    return (
        f"{here[0].shown} is for another Python or machine; bots run here with {interpreter.shown}."
    )


def is_for(wheel: Wheel, interpreter: Interpreter) -> bool:
    """Return whether a wheel says that it is for the version of a Python."""
    return wheel.needs.python.contains(interpreter.version, prereleases=True)
