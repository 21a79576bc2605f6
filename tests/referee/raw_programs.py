"""Programs as the fork server starts them, without a conversation."""

import os
import sys
from pathlib import Path
from textwrap import dedent

from referee.limits import Limits
from referee.sandbox import Child, Launcher, Program
from tests.referee.process_watch import until
from tests.referee.table import NAUGHTY

ENOUGH = Limits(sandbox="none", memory_mb=1024)
"""Limits that are none here."""
SH = "/bin/sh"
TRUE = (SH, "-c", ":")
"""What ends at once, and well."""


def here(folder: Path, *words: str) -> Program:
    return Program(words, str(folder))


def python(folder: Path, text: str) -> Program:
    return here(folder, sys.executable, "-I", "-S", "-c", dedent(text))


def sleeper(folder: Path) -> Program:
    """Return what does nothing for ten minutes."""
    return python(folder, "import time; time.sleep(600)")


def read_all(descriptor: int) -> str:
    """Return all that comes out of a pipe."""
    os.set_blocking(descriptor, True)
    pieces = []
    while piece := os.read(descriptor, 65536):
        pieces.append(piece)
    return b"".join(pieces).decode()


def output(launcher: Launcher, program: Program, limits: Limits = ENOUGH) -> str:
    """Run a program to its end; return what it wrote."""
    child = launcher.start(program, limits)
    text = read_all(child.stdout)
    errors = read_all(child.stderr)
    ended = launcher.wait(child)
    assert str(ended) == "exited with code 0", errors
    return text


def started(folder: Path, launcher: Launcher, name: str) -> tuple[Child, int]:
    """Start the fixture `child` or `daemon`; return it and the pid of what it left."""
    note = folder / f"{name}.pid"
    words = (sys.executable, "-S", str(NAUGHTY / f"{name}.py"), str(note), "600")
    child = launcher.start(here(folder, *words), ENOUGH)
    return child, int(until(lambda: note.read_text() if note.exists() else ""))
