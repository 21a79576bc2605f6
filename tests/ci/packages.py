"""Debian's packages without which sandboxes, pages, networks, engines and languages go untested."""

import os
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

WANTED = {
    "bubblewrap": "bwrap",
    "chromium": "chromium",
    "iproute2": "ip",
    "stockfish": "/usr/games/stockfish",  # chess engines, for their bridge
    "ethereal-chess": "/usr/games/ethereal-chess",
    "rustc": "/usr/bin/rustc",  # builds are sandboxed, and see only /usr
    "golang-go": "/usr/bin/go",
}
"""Each package, by the program that it is wanted for."""
FOR_BARE = {"debootstrap": "debootstrap"}
"""What makes a bare machine."""
_OF_LANGUAGES = "slow:arena/languages"
_LANGUAGES = Path(__file__).parents[1] / "arena" / "languages" / "languages.toml"


def is_here(program: str) -> bool:
    """Whether a program is on the PATH, or is this file."""
    return Path(program).exists() if "/" in program else shutil.which(program) is not None


def here() -> list[str]:
    """Return the packages that are here although nothing was installed yet."""
    return [package for package, program in WANTED.items() if is_here(program)]


def install(units: Iterable[str], say: Callable[[str], None]) -> int:
    """Install, as root on Debian, what is not here; return the exit code of apt-get."""
    names = [*units]
    asked = WANTED | (FOR_BARE if any(name.startswith("bare") for name in names) else {})
    lacking = [package for package, program in asked.items() if not is_here(program)]
    languages = _languages() if _OF_LANGUAGES in names else []
    if not (lacking or languages) or os.getuid() != 0 or shutil.which("apt-get") is None:
        return 0
    say(f"== setup: {' '.join((*lacking, *languages))}")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for words in (
        ["update"],
        ["install", "-y", *lacking],
        ["install", "-y", "--no-install-recommends", *languages],
    ):
        done = subprocess.run(
            ["apt-get", words[0], "-qq", *words[1:]],
            env=environment,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode:
            return done.returncode
    return 0


def _languages() -> list[str]:
    """Return the packages of languages that are not here, some hundred MiB."""
    found = tomllib.loads(_LANGUAGES.read_text(encoding="utf-8")).values()
    return [each["package"] for each in found if not is_here(each["program"])]
