"""The self test of a workshop: a canary that must be able to build, and to do nothing else."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.sandbox.errors import SandboxError
from referee.sandbox.program import interpreter
from referee.sandbox.temporary import room_for

CANARY = Path(__file__).with_name("build_canary.py")


@contextmanager
def canary(folder: str, uid: int | None) -> Iterator[list[str]]:
    """Make what the canary must not reach; yield the words that run it."""
    python = interpreter(uid)
    if not python:
        raise SandboxError(
            f"uid {uid} can execute no Python, which tries what a build may do. Install python3 in "
            f"/usr, or run the arena as an ordinary user.",
            "workshop",
        )
    with room_for("the files of a workshop's self test cannot be written to", folder):
        outside = tempfile.TemporaryDirectory(prefix="canary-", dir=folder)
    with outside as name:
        os.chmod(name, 0o777)  # noqa: S103 - nothing but the sandbox is to keep the canary out
        secret = Path(name, "secret")
        secret.write_text("nobody may read this")
        secret.chmod(0o644)
        if uid is not None:
            os.chown(secret, uid, uid)
        yield [python, "-I", CANARY.name, str(secret), f"{name}/written", str(os.getpid())]


def judge(why: str, told: str) -> None:
    """Raise SandboxError unless the canary ended well and told of nothing."""
    *lines, last = told.splitlines() or [""]
    if why or last != "done":
        said = f" ({'; '.join(told.splitlines())})" if told else ""
        raise SandboxError(
            f"the self test did not end well: it {why or 'stopped'}{said}.", "workshop"
        )
    if lines:
        raise SandboxError(f"the self test failed: a build {lines[0]}.", "workshop")
