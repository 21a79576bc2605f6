"""Bots in a real sandbox: made of a few lines of Python, started, and heard out."""

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import msgspec
import pytest

from referee.limits import Limits
from referee.sandbox import PYTHON, Child, Launcher, Program, SandboxError
from referee.sandbox.landlock import abi
from referee.sandbox.uid import UidSandbox
from tests.referee.raw_programs import read_all

SANDBOXED = ("landlock", "bwrap", "uid")
ROOT = os.getuid() == 0


@functools.cache
def missing(sandbox: str) -> str:
    """Say what this machine itself lacks for a sandbox; nothing if it has all."""
    if sandbox == "none":
        return ""
    if sandbox != "bwrap":
        try:
            abi() if sandbox == "landlock" else UidSandbox(None)
        except SandboxError as error:
            return error.what
        return ""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return "bwrap is not installed"
    words = [bwrap, "--unshare-user", "--ro-bind", "/", "/", sys.executable, "-c", ""]
    tried = subprocess.run(words, capture_output=True, text=True)
    return tried.stderr.strip()


def need(sandbox: str) -> None:
    """Skip the test, loudly, where this machine cannot have the sandbox."""
    if reason := missing(sandbox):
        pytest.skip(f"THE SANDBOX {sandbox} IS NOT TESTED HERE: {reason}")


def need_mounts() -> None:
    """Skip the test, loudly, where root may make no mount namespace, as in most containers."""
    need("uid")
    if UidSandbox(None).name != "uid (mount namespace)":
        pytest.skip("MOUNT NAMESPACES ARE NOT TESTED HERE: root may make none")


def make(folder: Path, text: str, *neighbours: str) -> Program:
    """Return a bot of Python lines, alone in its folder but for neighbours that it lists."""
    (folder / "bot.py").write_text(dedent(text))
    return Program((PYTHON, "bot.py"), str(folder), tuple(sorted(("bot.py", *neighbours))))


def limits(launcher: Launcher, **settings: int) -> Limits:
    """Return the limits of bots in the sandbox of a launcher."""
    return Limits(sandbox=launcher.sandbox.name.partition(" ")[0], **settings)  # type: ignore[arg-type]


def said(launcher: Launcher, program: Program, **settings: int) -> str:
    """Run a bot to its end; return what it said, its last line break aside."""
    child = launcher.start(program, limits(launcher, **settings))
    text, errors = read_all(child.stdout), read_all(child.stderr)
    ended = launcher.wait(child)
    assert (str(ended), errors) == ("exited with code 0", "")
    return text.removesuffix("\n")


def running(launcher: Launcher, program: Program, **settings: int) -> Child:
    """Start a bot, and wait until it has said its first line: it is there, sandbox and all."""
    child = launcher.start(program, limits(launcher, **settings))
    os.set_blocking(child.stdout, True)
    said = b""
    while not said.endswith(b"\n"):
        said += (piece := os.read(child.stdout, 100))
        assert piece, read_all(child.stderr)
    return child


def python_of(uid: int) -> str:
    """Return a Python that another user can run, with this project and what it needs."""
    path = f"{Path(__file__).parents[3]}:{Path(msgspec.__file__).parents[1]}"
    for program in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        try:
            done = as_user(uid, [program, "-c", "import click, msgspec, pytest, referee"], path)
        except OSError:
            continue
        if done.returncode == 0:
            return program
    pytest.skip(
        f"ORDINARY USERS ARE NOT TESTED HERE: uid {uid} can run neither {sys.executable} nor "
        f"/usr/bin/python3 with this project and its packages"
    )


def as_user(uid: int, words: list[str], path: str) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end as an ordinary user without a name."""
    return subprocess.run(
        words,
        user=uid,
        group=uid,
        extra_groups=[],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
