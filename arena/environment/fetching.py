"""Fetches ready wheels from the package index that the organizer's pip knows: nothing is built.

Each fetch is of named packages alone, without what they need: that is read from the wheels here.
So pip never follows an address that stands in a stranger's package, and builds nothing.
"""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement

from arena.environment.choosing import choose
from arena.environment.errors import PackagesError
from arena.environment.interpreter import Interpreter
from arena.environment.lock import Pin
from arena.environment.names import LOCK, REQUIREMENTS, WHEELS
from arena.environment.wheels import Wheel, wheels_in
from arena.text import quoted, safe

_UNKNOWN = re.compile(r"No matching distribution found for (\S+)")
_ROUNDS = 50  # of fetching what the fetched wheels need
_OPTIONS = (
    *("--no-deps", "--only-binary", ":all:", "--no-input", "--progress-bar", "off"),
    *("--disable-pip-version-check", "--quiet"),
)


def fetch_all(
    requirements: Sequence[Requirement],
    here: Sequence[Wheel],
    interpreter: Interpreter,
    folder: Path,
    seconds: float,
    by: str,
) -> list[Wheel]:
    """Return the wheels that fulfil requirements; those that are not here are fetched to a folder.

    `by` is who asks. Raises PackagesError, with what pip printed, if that cannot be.
    """
    lines: list[str] = []
    for _ in range(_ROUNDS):
        choice = choose(requirements, [*here, *wheels_in(folder)], interpreter, by)
        if not choice.lacking:
            return choice.wheels
        if choice.lacking == lines:
            raise PackagesError(choice.why)
        lines = choice.lacking
        _download(lines, interpreter, folder, seconds, [])
    raise PackagesError(f"the requirements of {by} lead from one package to the next: name less.")


def fetch_locked(
    pins: Sequence[Pin], interpreter: Interpreter, folder: Path, seconds: float
) -> None:
    """Fetch the wheels of pins, whose hashes pip compares; raise PackagesError as `fetch_all`."""
    lines = [
        f"{pin.shown} {' '.join(f'--hash=sha256:{each}' for each in sorted(pin.hashes))}"
        for pin in pins
    ]
    _download(lines, interpreter, folder, seconds, ["--require-hashes"])


def _download(
    lines: Sequence[str],
    interpreter: Interpreter,
    folder: Path,
    seconds: float,
    options: Sequence[str],
) -> None:
    if find_spec("pip") is None:
        raise PackagesError(
            f"packages are fetched with pip, which the arena's Python lacks: install it "
            f"(`{quoted(sys.executable)} -m ensurepip`), or put the wheels into the "
            f"folder {WHEELS} beside the bot."
        )
    asked = folder / "asked.txt"
    asked.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    other = (
        []
        if interpreter.path == os.path.realpath(sys.executable)
        else ["--python", interpreter.path]
    )
    command = [sys.executable, "-P", "-m", "pip", *other, "download", *_OPTIONS, *options]
    command += ["--dest", str(folder), "--requirement", str(asked)]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PackagesError(f"packages were not fetched in {seconds:g} s; try again.") from None
    asked.unlink()
    if done.returncode:
        if unknown := _UNKNOWN.search(done.stdout):
            named = safe(unknown[1])
        else:
            named = ", ".join(safe(line.partition(" --hash")[0]) for line in lines[:5])
        why, remedy = _explained(done.stdout, interpreter)
        raise PackagesError(f"{named} cannot be fetched: {why}.", done.stdout, remedy=remedy)


def _explained(output: str, interpreter: Interpreter) -> tuple[str, str]:
    """Return why pip could not fetch wheels, and what to do, by what it printed."""
    if "Retrying (" in output:
        return (
            "the package index was not reached",
            f"Try again later, or put the wheels into the folder {WHEELS} beside {REQUIREMENTS}.",
        )
    if "DO NOT MATCH THE HASHES" in output:
        return (
            f"the wheel of the index has another hash than {LOCK} names",
            "Put the old lock back; or make it anew, if you trust the index: `arena env build "
            "--fetch --update FOLDER`, with the bot's folder.",
        )
    if _UNKNOWN.search(output):
        return (
            f"the index does not know it, or has no ready wheel of it for {interpreter.shown}",
            f"See whether its name is right, or ask for another version in {REQUIREMENTS}; if "
            f"there are only sources, build a wheel (pip wheel) for the folder {WHEELS}.",
        )
    said = [line for line in output.splitlines() if line.startswith("ERROR: ")]
    return safe(said[-1].removeprefix("ERROR: ").rstrip(".")) if said else "pip failed", ""
