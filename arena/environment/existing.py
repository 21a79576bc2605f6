"""A virtual environment that a bot's author made: what is installed in it, as requirements."""

from pathlib import Path

from packaging.utils import InvalidName, canonicalize_name
from packaging.version import InvalidVersion, Version

from arena.environment.errors import PackagesError
from arena.environment.names import REQUIREMENTS
from arena.text import safe

_USUAL = (".venv", "venv")
_NOT_ASKED = {"pip", "setuptools", "wheel"}
"""What every such folder has, whether a bot needs it or not."""
_INFO = ".dist-info"


def written_requirements(bot: Path) -> str:
    """Write the requirements of a bot that has a virtual environment and none; say what was done.

    They are exact: what is installed there. Nothing of it is executed. Raises PackagesError if
    there is neither.
    """
    file = bot / REQUIREMENTS
    if file.exists():
        return ""
    for name in _USUAL:
        if (bot / name / "pyvenv.cfg").is_file():
            found = _installed(bot / name)
            text = "".join(f"{package}=={version}\n" for package, version in sorted(found.items()))
            try:
                file.write_text(text, encoding="utf-8")
            except OSError as error:
                raise PackagesError(
                    f"{safe(str(file))} cannot be written: {error.strerror}."
                ) from None
            listed = ", ".join(text.split()) or "nothing"
            return f"{REQUIREMENTS} is written, from what {name} has: {listed}."
    raise PackagesError(
        f"{safe(str(bot))} has no {REQUIREMENTS}: write one there that names the packages that the "
        f"bot needs, one in each line, such as numpy>=2."
    )


def _installed(environment: Path) -> dict[str, str]:
    """Return the packages of a virtual environment and their versions, by its folders' names."""
    found: dict[str, str] = {}
    for info in environment.glob(f"lib/python3*/site-packages/*{_INFO}"):
        name, _, version = info.name.removesuffix(_INFO).partition("-")
        try:
            package = canonicalize_name(name, validate=True)
            if package not in _NOT_ASKED:
                found[package] = str(Version(version))
        except (InvalidName, InvalidVersion):
            raise PackagesError(
                f"{safe(str(info))} is not called as installed packages are; write {REQUIREMENTS} "
                f"yourself."
            ) from None
    return found
