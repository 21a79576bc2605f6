"""What arrived, unpacked by `unpack` in a workshop, where it can do no harm."""

import inspect
import os
from pathlib import Path

from arena.handin import unpack
from protocol.errors import Refusal, RunError
from referee.limits import WorkLimits
from referee.sandbox.program import interpreter
from referee.sandbox.users import FIRST_UID
from referee.sandbox.workshop import Workshop

_LIMITS = WorkLimits(
    seconds=60.0,
    memory_mb=512,
    processes=8,
    output_kb=64,
    disk_mb=2 * (unpack.BYTES >> 20),
    files=2 * unpack.FILES,
)
_NAMELESS = "bot"


def unpacked(workshop: Workshop, file: Path, name: str, target: Path) -> str:
    """Unpack a file into the new folder `target`; return what is to be said of it.

    `name` is what it was called by whoever handed it in. Raises Refusal for what is refused,
    and SandboxError, OSError or RunError if it could not be tried here.
    """
    user = FIRST_UID if os.getuid() == 0 else None
    words = [interpreter(user), "-I", "-S", "-c", inspect.getsource(unpack), name or _NAMELESS]
    with (
        file.open("rb") as archive,
        workshop.work(words, None, [], _LIMITS, stdin=archive) as work,
    ):
        outcome = work.outcome
        if outcome.is_ok:
            work.take(target)
            return outcome.output.strip()
    what, _, remedy = outcome.output.strip().partition("\n")
    if outcome.why == f"exited with code {unpack.REFUSED}" and remedy:
        raise Refusal(422, what, remedy)
    if outcome.why.startswith(("ran longer", "used more", "made more")):
        raise Refusal(422, f"it cannot be unpacked: that {outcome.why}.", "Make it smaller.")
    raise RunError(f"the unpacking {outcome.why}: {outcome.output}")
