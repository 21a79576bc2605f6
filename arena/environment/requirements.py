"""What a bot asks for: `requirements.txt`, plain lines only, and the requirements of packages."""

import re
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from arena.environment.errors import PackagesError
from arena.text import safe
from referee.sandbox.sources import read_at_most

_MOST = 64 << 10  # bytes of it
_LONGEST = 500  # characters of a line
_COMMENT = re.compile(r"(^|\s)#.*$")
_EXAMPLE = "Write names and versions alone, such as numpy>=2"


def joined_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file of pip's without comments, with the number of each.

    A line that ends with a backslash goes on in the next one.
    """
    begun, parts = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        begun = begun or number
        said = _COMMENT.sub("", line)
        if said.endswith("\\"):
            parts += f"{said[:-1]} "
            continue
        if whole := f"{parts}{said}".strip():
            yield begun, whole
        begun, parts = 0, ""
    if whole := parts.strip():
        yield begun, whole


def read_text(file: Path) -> str:
    """Return what a file of requirements holds; raise PackagesError if it cannot be read."""
    try:
        return read_at_most(file, _MOST).decode("utf-8-sig")
    except OSError as error:
        raise PackagesError(f"{safe(str(file))} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise PackagesError(f"{safe(str(file))} is not UTF-8; save it as UTF-8.") from None


def read_requirements(file: Path) -> list[Requirement]:
    """Return the requirements of a file; raise PackagesError with the line of a mistake."""
    found = []
    for number, line in joined_lines(read_text(file)):
        try:
            found.append(plain(line))
        except ValueError as error:
            where = f"{safe(str(file))}:{number}"
            raise PackagesError(f"{where}: {safe(line[:80])!r} {error}") from None
    return found


def plain(line: str) -> Requirement:
    """Return the requirement that a line says; raise ValueError, in words, for any other line."""
    if len(line) > _LONGEST:
        raise ValueError(f"… is longer than {_LONGEST} characters. {_EXAMPLE}.")
    if line.startswith("-") or " --" in line:
        raise ValueError(f"has an option of pip, and none is allowed here. {_EXAMPLE}.")
    if "://" in line or line.startswith(("git+", "/", ".")):
        raise ValueError(
            f"is a place, and packages are named. {_EXAMPLE}; put wheels of your own into the "
            f"folder wheels beside it."
        )
    try:
        found = Requirement(line)
    except (InvalidRequirement, RecursionError):
        raise ValueError(f"is no requirement. {_EXAMPLE}.") from None
    if found.url is not None:
        raise ValueError(f"names a place. {_EXAMPLE}.")
    if any(part.operator == "===" for part in found.specifier):
        raise ValueError("compares with ===, which is not allowed here: write ==.")
    return found


def applies(requirement: Requirement, markers: dict[str, str], extras: frozenset[str]) -> bool:
    """Return whether a requirement counts for a Python, if these extras were asked for.

    Raises PackagesError if that cannot be decided.
    """
    marker = requirement.marker
    if marker is None:
        return True
    try:
        return any(marker.evaluate({**markers, "extra": extra}) for extra in ("", *sorted(extras)))
    except ValueError:
        raise PackagesError(
            f"{safe(str(requirement))} has a condition that cannot be decided: it compares what "
            f"cannot be compared."
        ) from None


def name_of(requirement: Requirement) -> str:
    """Return the name by which all ways to write it are one."""
    return canonicalize_name(requirement.name)
