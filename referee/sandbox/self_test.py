"""The self tests: canaries that must not get out, and of builds one that must be able to build."""

import errno
import os
import select
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from referee.limits import Limits
from referee.sandbox.errors import SandboxError, StartError
from referee.sandbox.launcher import Child, Launcher
from referee.sandbox.program import PYTHON, Program, check_cores, interpreter
from referee.sandbox.temporary import room_for

_CANARY = Path(__file__).with_name("canary.py")
BUILD_CANARY = Path(__file__).with_name("build_canary.py")
_SECONDS = 20.0  # within which the canary must have tried everything


def prove(launcher: Launcher, limits: Limits) -> None:
    """Raise SandboxError unless the sandbox of `launcher` holds; without one, none is tried.

    Raises SandboxError too if its Python cannot be run there; with any sandbox, if there is no core
    for each thread of a bot, or if bots are to have cgroups and there can be none.
    """
    check_cores(limits.threads)
    if limits.cgroup:
        launcher.cgroups()
    if limits.sandbox == "none":
        return
    assert launcher.folder is not None
    with _baits(launcher.folder, "the sandbox") as (secret, target):
        allowed = {*launcher.sandbox.allowed, *(["see /proc"] if limits.shows_proc else [])}
        words = (_CANARY.name, secret, target, str(os.getpid()), *allowed)
        program = Program((PYTHON, *words), str(_CANARY.parent), (_CANARY.name,))
        launcher.check(program, limits)
        try:
            child = launcher.start(program, limits)
        except StartError as error:
            raise SandboxError(why_unstarted(str(error)), "sandbox") from None
        told, errors = _output(child)
        launcher.stop(child)
        if os.path.exists(target):
            told.insert(0, "write a file")
    if errors.startswith("bwrap: "):
        raise SandboxError(
            f'bwrap cannot make its namespaces here ("{errors}"). In a container it needs one '
            f"that is --privileged.",
            "sandbox",
        )
    if told[-1:] != ["done"]:
        said = errors or told or "it said nothing"
        raise SandboxError(f"the self test did not end: {said}.", "sandbox")
    if told[:-1]:
        raise SandboxError(
            f"the self test failed: a sandboxed process could {told[0]}. No match was played.",
            "sandbox",
        )


@contextmanager
def build_canary(folder: str, uid: int | None) -> Iterator[list[str]]:
    """Make what the canary of builds must not reach; yield the words that run it."""
    python = interpreter(uid)
    if not python:
        raise SandboxError(
            f"uid {uid} can execute no Python, which tries what a build may do. Install python3 in "
            f"/usr, or run the arena as an ordinary user.",
            "workshop",
        )
    with _baits(folder, "a workshop") as (secret, target):
        if uid is not None:
            os.chown(secret, uid, uid)
        yield [python, "-I", BUILD_CANARY.name, secret, target, str(os.getpid())]


@contextmanager
def _baits(folder: str, whose: str) -> Iterator[tuple[str, str]]:
    """Make a file that a canary may not read; yield its path, and one that it may not write."""
    with ExitStack() as stack:
        with room_for(f"the files of {whose}'s self test cannot be written to", folder):
            made = tempfile.TemporaryDirectory(prefix="canary-", dir=folder)
            name = stack.enter_context(made)
            os.chmod(name, 0o777)  # noqa: S103 - nothing but the sandbox is to keep the canary out
            secret = f"{name}/secret"
            Path(secret).write_text("nobody may read this")
            os.chmod(secret, 0o644)
        yield secret, f"{name}/written"


def judge_build(why: str, told: str) -> None:
    """Raise SandboxError unless the canary of builds ended well and told of nothing."""
    *lines, last = told.splitlines() or [""]
    if why or last != "done":
        said = f" ({'; '.join(told.splitlines())})" if told else ""
        raise SandboxError(
            f"the self test did not end well: it {why or 'stopped'}{said}.", "workshop"
        )
    if lines:
        raise SandboxError(f"the self test failed: a build {lines[0]}.", "workshop")


def why_unstarted(reason: str) -> str:
    """Return why the canary could not be started, with the remedy where there is one."""
    if "uid map" in reason or "namespace" in reason:
        return (
            f'bwrap may not create user namespaces here ("{reason}"). Ubuntu 23.10 and later '
            f"restrict them: load the bwrap-userns-restrict AppArmor profile. Docker and the like "
            f"forbid them, but for --privileged containers."
        )
    if os.strerror(errno.EBUSY) in reason:
        return (
            f"the self test could not be started ({reason}): another program already "
            f"supervises system calls here, as LXD containers that intercept some do, and the "
            f"kernel allows only one. Switch it off."
        )
    if "seccomp" in reason.lower():
        return (
            f"the filter of system calls cannot be loaded here ({reason}): the kernel is older "
            f"than 5.5, or the container's runtime forbids it or knows no such filters. Update "
            f"these."
        )
    return f"the self test could not be started: {reason}."


def _output(child: Child) -> tuple[list[str], str]:
    """Return what the canary printed, by line, and the end of its standard error."""
    texts = {child.stdout: b"", child.stderr: b""}
    waiting = select.poll()
    for descriptor in texts:
        waiting.register(descriptor, select.POLLIN)
    open_ends = 2
    while open_ends and (events := waiting.poll(_SECONDS * 1000)):
        for descriptor, _ in events:
            data = os.read(descriptor, 4096)
            texts[descriptor] += data
            if not data:
                waiting.unregister(descriptor)
                open_ends -= 1
    return texts[child.stdout].decode().splitlines(), texts[child.stderr].decode()[-300:].strip()
