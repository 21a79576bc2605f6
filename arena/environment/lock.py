"""`requirements.lock`: the exact versions that a bot gets, and what their wheels hash to.

It is in pip's own format, so that pip and uv can read and write it.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from arena.environment.errors import PackagesError
from arena.environment.interpreter import Interpreter
from arena.environment.names import REQUIREMENTS
from arena.environment.requirements import applies, joined_lines, name_of, plain, read_text
from arena.text import quoted, safe

_HASH = re.compile(r"\s--hash[= ](\S+)")
_SHA256 = re.compile(r"sha256:([0-9a-f]{64})")
_FIRST = (
    "# Made by `arena env build`: the exact packages of this bot, and what their wheels hash to.\n"
)
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Pin:
    """A package in its exact version, and what its wheels may hash to."""

    name: str
    version: Version
    hashes: frozenset[str]
    marker: Marker | None = None

    @property
    def shown(self) -> str:
        """Its name and version, as pip writes them."""
        return f"{self.name}=={self.version}"

    @property
    def is_open(self) -> bool:
        """Whether it leaves a choice of wheels."""
        return len(self.hashes) > 1


@dataclass(frozen=True)
class Lock:
    """The pins of a lock that count for one Python, by name."""

    file: Path
    pins: dict[str, Pin]
    had_choice: bool = False
    """Whether it left a choice of wheels, before it was narrowed."""

    @property
    def open(self) -> dict[str, Pin]:
        """The pins that leave a choice of wheels, by name."""
        return {name: pin for name, pin in self.pins.items() if pin.is_open}

    def narrowed(self, pins: Mapping[str, Pin]) -> "Lock":
        """Return it with some pins narrower, by name."""
        had_choice = self.had_choice or bool(pins)
        return replace(self, pins={**self.pins, **pins}, had_choice=had_choice)

    def digest(self) -> str:
        """Return what is another text for other packages."""
        lines = (f"{pin.shown} {' '.join(sorted(pin.hashes))}\n" for pin in self.pins.values())
        return hashlib.blake2b("".join(lines).encode(), digest_size=16).hexdigest()

    def misfit(self, requirements: Iterable[Requirement], interpreter: Interpreter) -> str:
        """Return the first requirement that it does not fulfil, in words; empty if all are."""
        for each in requirements:
            if not applies(each, interpreter.markers, _NONE):
                continue
            pin = self.pins.get(name_of(each))
            if pin is None:
                return f"it lacks {name_of(each)}"
            if not each.specifier.contains(pin.version, prereleases=True):
                return f"it has {pin.shown}, and {each.name}{each.specifier} is asked for"
        return ""

    def check(self, requirements: Iterable[Requirement], interpreter: Interpreter) -> None:
        """Raise PackagesError if it does not fulfil the requirements of its bot."""
        if why := self.misfit(requirements, interpreter):
            raise PackagesError(
                f"{safe(str(self.file))} does not fit {REQUIREMENTS} any more: {why}. `arena env "
                f"build --fetch {quoted(self.file.parent)}` makes it anew."
            )


def read_lock(file: Path, interpreter: Interpreter) -> Lock:
    """Return what a lock says for a Python; raise PackagesError with the line of a mistake."""
    found: dict[str, Pin] = {}
    for number, line in joined_lines(read_text(file)):
        try:
            pin = _pin(line)
            if pin.marker is not None and not pin.marker.evaluate(
                {**interpreter.markers, "extra": ""}
            ):
                continue
            if found.setdefault(pin.name, pin) != pin:
                raise ValueError(f"pins {pin.name} a second time.")  # noqa: TRY301 - told with its line below
        except ValueError as error:
            raise PackagesError(
                f"{safe(str(file))}:{number}: {safe(line[:80])!r} {error} `arena env build --fetch "
                f"--update {quoted(file.parent)}` makes the file anew."
            ) from None
    return Lock(file, dict(sorted(found.items())))


def _pin(line: str) -> Pin:
    hashes = _HASH.findall(line)
    requirement = plain(_HASH.sub("", line).strip())
    [*parts] = requirement.specifier
    if len(parts) != 1 or parts[0].operator != "==":
        raise ValueError("is no exact version, as numpy==2.4.0.")
    try:
        version = Version(parts[0].version)
    except InvalidVersion:
        raise ValueError("is no exact version, as numpy==2.4.0.") from None
    sums = [match[1] for each in hashes if (match := _SHA256.fullmatch(each))]
    if not sums or len(sums) != len(hashes):
        raise ValueError("has no --hash=sha256:… of its wheel.")
    return Pin(canonicalize_name(requirement.name), version, frozenset(sums), requirement.marker)


def lock_text(pins: Sequence[Pin]) -> str:
    """Return the text of a lock."""
    lines = [_FIRST]
    for pin in sorted(pins, key=lambda pin: pin.name):
        sums = " \\\n".join(f"    --hash=sha256:{each}" for each in sorted(pin.hashes))
        lines.append(f"{pin.shown} \\\n{sums}\n")
    return "".join(lines)
