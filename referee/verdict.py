"""Which limit ended a bot, as far as its end and its last words tell."""

import re
import signal
from typing import Literal

from referee.limits import Limits
from referee.sandbox import Ended

Verdict = Literal["crash", "memory", "files", "processes"]

_LAST_WORDS = 4096  # characters of the standard error that are looked at
_SIGNS: tuple[tuple[Verdict, str], ...] = (
    (
        "memory",
        "MemoryError|bad_alloc|heap out of memory|OutOfMemoryError|memory allocation of .* failed"
        "|[Oo]ut of memory|Cannot allocate memory|insufficient memory|Failed to reserve",
    ),
    ("files", "Too many open files|EMFILE"),
    (
        "processes",
        "can't start new thread|Resource temporarily unavailable|unable to create native thread"
        "|[Cc]annot fork|fork.*Operation not permitted|spawn .*EPERM|_fork_exec|os\\.fork",
    ),
)


def verdict(ended: Ended, stderr: str, limits: Limits) -> tuple[Verdict, str]:
    """Return the kind of a bot's end, and what to say of it beside how it ended.

    The runtimes of most languages say what they lacked before they die of it.
    """
    code = ended.code
    if code == -signal.SIGXFSZ:
        return "crash", "it wrote more than a file may hold"
    if code == -signal.SIGSYS:
        return "crash", "it made a system call that the sandbox forbids"
    for kind, signs in _SIGNS:
        if re.search(signs, stderr[-_LAST_WORDS:]):
            return kind, _told(kind, ended, limits)
    return "crash", ""


def _told(kind: Verdict, ended: Ended, limits: Limits) -> str:
    if kind == "memory":
        peak = f"{ended.memory / 2**20:.0f} MiB used at the peak"
        return f"it ran out of memory: {limits.memory_mb} MiB allowed, {peak}"
    if kind == "files":
        return f"it ran out of open files: {limits.open_files} allowed"
    if limits.sandbox == "landlock":
        return (
            "it lacked a process: --sandbox landlock allows threads alone. A start script must "
            "exec its program; or use --sandbox bwrap"
        )
    return f"it lacked a process or thread: {limits.processes} allowed"
