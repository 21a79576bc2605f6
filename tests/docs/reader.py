"""A reader who does what a page says."""

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from referee.sandbox.fork_server import remove
from tests.docs.pages import ROOT, Command, File, NotRun, Output, PageError, Step

PATIENCE = 60.0
"""Seconds that a command may take."""

_MATCH = re.compile(r"(\S+) (3f9a-0)\b")
_SCRIPT = """\
set -e -o pipefail
trap 'pwd > "$PAGE_FOLDER"' EXIT
cd "$(cat "$PAGE_FOLDER")"
"""


class Reader:
    """Somebody in a new folder, with this project installed.

    Args:
        page: what the reader reads, for errors.
        base: where folders can be made.
    """

    def __init__(self, page: str, base: Path) -> None:
        self.page = page
        self.home = base / "home"
        self.home.mkdir()
        self.output = ""
        self._kept = Path(tempfile.mkdtemp(prefix="arena-page-"))
        self._kept.chmod(0o755)  # root's bots run from it, as other users
        self._folder = base / "folder"
        self._folder.write_text(str(self.home))
        self._environment = os.environ | {
            "PATH": f"{_programs(base / 'bin')}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": f".:{ROOT}",  # in a copy of the project, the copy is what is played
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self._kept),
            "PAGE_FOLDER": str(self._folder),
            "PROJECT": str(ROOT),
            "NO_COLOR": "1",
            "COLUMNS": "80",
            "TERM": "dumb",
        }

    def follow(self, steps: Sequence[Step]) -> None:
        """Do all steps; PageError for the first that does not go as the page says."""
        for step in steps:
            match step:
                case Command():
                    self._do(step)
                case File():
                    self._write(step)
                case Output():
                    self._compare(step.line, "the last command", step.text)
                case NotRun():
                    pass

    def end(self) -> None:
        """Kill what the page has left running in the background, and remove what it has kept."""
        mark = f"PAGE_FOLDER={self._folder}".encode()
        for environment in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):  # it has ended, or is somebody else's
                if mark in environment.read_bytes().split(b"\0"):
                    os.kill(int(environment.parent.name), signal.SIGKILL)
        remove(str(self._kept))

    def _do(self, command: Command) -> None:
        words = _MATCH.sub(lambda found: self._real(command, found[1]), command.words)
        try:
            code, self.output = self._run(words, command.types)
        except TimeoutError as error:
            raise PageError(self.page, command.line, f"$ {words}\n{error}") from None
        if code != command.exits:
            told = f"$ {words}\nexit code {code}, not {command.exits}:\n{self.output}"
            raise PageError(self.page, command.line, told)
        if command.shows is not None:
            self._compare(command.line, f"$ {words}", command.shows, exact=command.is_exact)

    def _write(self, file: File) -> None:
        path = Path(self._folder.read_text().strip(), file.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
        if file.text.startswith("#!"):
            path.chmod(0o755)

    def _compare(self, line: int, what: str, shown: str, *, exact: bool = True) -> None:
        printed = f"{self.output.rstrip()}\n"
        likeness = str if exact else without_figures
        if not re.fullmatch(_pattern(likeness(shown)), likeness(printed)):
            told = f"{what}\nprinted:\n{self.output}\nbut the page shows:\n{shown}"
            raise PageError(self.page, line, told)

    def _real(self, command: Command, league: str) -> str:
        """Return the words for a match of a league: one with a fault if there is one."""
        _, text = self._run(f"arena matches {league} --most 0 --format json", None)
        try:
            matches = json.loads(text)["matches"]
        except ValueError:
            raise PageError(self.page, command.line, f"no match of {league}:\n{text}") from None
        named = set(re.findall(r"[\w-]+", command.words.partition("#")[0]))

        def fitness(match: dict[str, Any]) -> tuple[int, int]:
            bots = {seat["bot"] for seat in match["seats"]}
            return len(bots & named), len(match["faults"])

        return f"{league} {max(matches, key=fitness)['match']}"

    def _run(self, words: str, typed: str | None) -> tuple[int, str]:
        """Run a command of the shell; return its exit code and what it printed."""
        screen, inside = os.openpty() if typed is not None else os.pipe()
        process = subprocess.Popen(
            ["bash", "-c", f"{_SCRIPT}{words}\n"],
            stdin=subprocess.DEVNULL if typed is None else inside,
            stdout=inside,
            stderr=inside,
            env=self._environment,
            start_new_session=True,
        )
        os.close(inside)
        try:
            output = _heard(screen, typed)
            return process.wait(PATIENCE), output
        finally:
            os.close(screen)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _heard(screen: int, typed: str | None) -> str:
    """Return all that is written to a screen or pipe; where there is a prompt, type an answer."""
    output, deadline = b"", time.monotonic() + PATIENCE
    while select.select([screen], [], [], max(0.0, deadline - time.monotonic()))[0]:
        try:
            piece = os.read(screen, 65536)
        except OSError:  # a terminal that nobody has open any more
            piece = b""
        if not piece:
            return output.decode(errors="replace").replace("\r\n", "\n")
        output += piece
        if typed is not None and output.endswith(b"> "):
            os.write(screen, typed.encode() + b"\n")
    raise TimeoutError(
        f"has not ended after {PATIENCE:.0f} s:\n{output.decode(errors='replace')[-2000:]}"
    )


def without_figures(text: str) -> str:
    """Return a text with 0 for each number, and the rows of its tables in the order of letters.

    An interval of whole numbers, as ranks are, is one number, and so is one below nothing; of
    spaces one is left.
    """
    lines: list[str] = []
    row = None  # where the rows of the table begin
    for line in text.splitlines():
        line = re.sub(r"\d+([.,]\d+)*", "0", line)
        line = re.sub(r"(?<![\w-])(0-0|-0)(?![\w-])", "0", line)
        line = re.sub("-{2,}", "--", " ".join(line.split()))
        if row is not None and not line:
            lines[row:] = sorted(lines[row:])
            row = None
        lines.append(line)
        if line and set(line) <= {"-", " "}:
            row = len(lines)
    if row is not None:
        lines[row:] = sorted(lines[row:])
    return "\n".join(lines) + "\n"


def _pattern(shown: str) -> str:
    """Return what output must match to be as shown, white space at the ends of lines aside."""
    return "".join(
        r"(.*\n)*"
        if line.strip() in ("…", "...")
        else ".*".join(map(re.escape, line.rstrip().split("…"))) + r"[ \t]*\n"
        for line in shown.rstrip().splitlines()
    )


def _programs(folder: Path) -> Path:
    """Make a folder with the command `arena`, and with stand-ins for what may not be installed."""
    folder.mkdir()
    programs = {"arena": f'{sys.executable} -m arena "$@"'}
    programs |= {name: "cat" for name in ("less", "xz") if shutil.which(name) is None}
    for name, words in programs.items():
        (folder / name).write_text(f"#!/bin/sh\nexec {words}\n")
        (folder / name).chmod(0o755)
    return folder
